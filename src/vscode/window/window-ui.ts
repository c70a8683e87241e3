import { join } from 'node:path';
import type * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { CommandTerminals } from '../chat/command-terminal';
import { Proposals } from '../chat/proposals';
import { HookDebugger, registerHookDebugger } from '../debug/debug-hooks';
import { watchEditors } from '../questions/editor-activity';
import { VsCodeQuestionView } from '../questions/question-view';
import { HookDiagnostics } from '../hooks-view/hook-diagnostics';
import { HookSwitches } from '../hooks-view/hook-switches';
import { HooksView } from '../hooks-view/hooks-view';
import { McpView } from '../mcp-view/mcp-view';
import { PackagesView } from '../packages-view/packages-view';
import { SessionsView } from '../sessions-view/sessions-view';
import { ChannelLog } from '../log';
import { SecretMcpLogins } from '../login/mcp-logins';
import { SecretKeys } from '../login/secret-keys';
import { StatusBar } from './status/status-bar';
import { workFolder } from './work-folder';
import { TextDocuments } from '../text-documents';
import { WriteDiffs } from '../write-diff/write-diffs';
import { stateFolder } from '../../startup/own-folders';
import { Quiet } from '../quiet';
import { closeLeftOverTabs } from '../left-over-tabs';
import { messageOf } from '../../base/errors';

/** The folder of this copy of the extension, and the folders that it may write to. All paths are absolute. */
export interface ExtensionPlace {
  readonly dir: string;
  /** The folder that contains jiti.cjs and babel.cjs. */
  readonly jitiDir: string;
  /** Shared by all windows. */
  readonly storageDir: string;
  /** Shared with the command line. */
  readonly stateDir: string;
  readonly version: string;
}

/** What Hookline shows in VS Code besides the chat. It is made at activation, so it must not load anything heavy. */
export class WindowUi implements Disposable {
  private readonly store = new DisposableStore();
  readonly log = this.store.add(new ChannelLog());
  readonly texts = this.store.add(new TextDocuments());
  /** Knows when the user types in an editor or in a page of Hookline. */
  readonly quiet = new Quiet();
  readonly writeDiffs = this.store.add(new WriteDiffs(this.log));
  readonly dialogs = this.store.add(new VsCodeQuestionView(this));
  readonly proposals = this.store.add(new Proposals(this.texts));
  readonly commandTerminals = this.store.add(new CommandTerminals());
  readonly statusBar = this.store.add(new StatusBar());
  readonly diagnostics = this.store.add(new HookDiagnostics());
  readonly hooksView = this.store.add(new HooksView());
  readonly sessionsView = this.store.add(new SessionsView());
  readonly packagesView = this.store.add(new PackagesView());
  readonly mcpView = this.store.add(new McpView());
  readonly switches: HookSwitches;
  readonly keys: SecretKeys;
  readonly mcpLogins: SecretMcpLogins;
  readonly hookDebugger: HookDebugger;
  readonly extensionUri: vscode.Uri;
  readonly place: ExtensionPlace;
  /** Absolute path of the storage folder of this workspace; undefined without a workspace. */
  readonly workspaceStorageDir: string | undefined;
  /** Values that VS Code stores for this workspace. */
  readonly workspaceMemory: vscode.Memento;
  /** Values that VS Code stores for this user. */
  readonly userMemory: vscode.Memento;

  constructor(context: vscode.ExtensionContext) {
    this.extensionUri = context.extensionUri;
    this.place = {
      dir: context.extensionPath,
      jitiDir: join(context.extensionPath, 'dist', 'jiti'),
      storageDir: context.globalStorageUri.fsPath,
      stateDir: stateFolder(),
      version: versionOf(context.extension.packageJSON),
    };
    this.workspaceStorageDir = context.storageUri?.fsPath;
    this.workspaceMemory = context.workspaceState;
    this.userMemory = context.globalState;
    this.switches = this.store.add(new HookSwitches(context.workspaceState));
    this.keys = this.store.add(new SecretKeys(context.secrets));
    this.mcpLogins = new SecretMcpLogins(context.secrets, this.place.storageDir);
    this.hookDebugger = new HookDebugger({ ...this.place, folder: () => workFolder(this.workspaceMemory) });
    this.store.add(registerHookDebugger(this.hookDebugger));
    this.store.add(watchEditors(this.quiet));
    closeLeftOverTabs().catch((error: unknown) =>
      this.log.error(`Tabs of an earlier window could not be closed: ${messageOf(error)}`, error),
    );
  }

  dispose(): void {
    this.store.dispose();
  }
}

function versionOf(manifest: unknown): string {
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  return typeof version === 'string' ? version : '';
}
