import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { errorCode } from '../../agent/tools/result';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { placeInJson } from '../../base/json/json-place';
import { mcpFile, type McpServerEntry } from '../../mcp/config/read-config';
import { addServer, removeServer, type ServerChange } from '../../mcp/config/write-config';
import type { McpServer } from '../../mcp/managed-server';
import type { McpServers } from '../../mcp/mcp-servers';
import type { SettingsPlace } from '../../startup/live-settings';
import { VIEWS } from '../ids';
import { LoginCancelled, LoginDialogs } from '../login/login-dialogs';
import { showFile } from '../show-file';
import { askForServer } from './ask-for-server';
import { serverStateText } from './mcp-nodes';
import type { McpSource } from './mcp-view';
import { ServerOutputs } from './server-outputs';

/** How long a user may take to log in, ms; the same as in pi. */
const LOGIN_MS = 5 * 60_000;

const EMPTY_FILE = '{\n  "mcpServers": {}\n}\n';

/** Actions on MCP servers for the view and the Command Palette. Without a server, they ask the user for one. */
export class McpActions implements Disposable {
  private readonly store = new DisposableStore();
  private readonly outputs = this.store.add(new ServerOutputs());
  private readonly ending = new AbortController();

  constructor(
    private readonly mcp: McpServers,
    private readonly place: SettingsPlace,
  ) {
    this.store.add(mcp.onDidChange(() => this.outputs.update(mcp.list())));
  }

  /** What the view shows. */
  get source(): McpSource {
    const { mcp } = this;
    return {
      facts: () => ({ servers: mcp.list(), problems: mcp.problems }),
      replacedBy: () => mcp.replacedBy,
      onDidChange: mcp.onDidChange,
    };
  }

  /** Asks for a server, writes it into the chosen `mcp.json` and connects it. */
  async add(): Promise<void> {
    const { agentDir, cwd, includeProject } = this.place;
    const wanted = await askForServer({ agentDir, cwd, includeProject: includeProject() });
    if (wanted === undefined) return;
    const { name, config, file } = wanted;
    refuseUnsaved(file);
    await addServer(file, name, config);
    await this.mcp.reload();
    await vscode.commands.executeCommand(`${VIEWS.mcp}.focus`);
  }

  /** Removes a server from its `mcp.json` after the user confirms. */
  async remove(argument: unknown): Promise<void> {
    const server = await this.pickServer(argument, ({ entry }) => entry.scope !== 'hook');
    if (server === undefined || server.entry.scope === 'hook') return;
    const { name, entry } = server;
    const remove = vscode.l10n.t('Remove');
    const message = vscode.l10n.t('Remove the MCP server {0}?', name);
    const detail = vscode.l10n.t('Its entry is removed from {0}.', entry.source);
    if ((await vscode.window.showWarningMessage(message, { modal: true, detail }, remove)) !== remove) return;
    for (const file of [entry.source, ...(entry.override === undefined ? [] : [entry.override])]) {
      refuseUnsaved(file);
      await removeServer(file, name);
    }
    await this.mcp.reload();
  }

  /** Stops a server and connects it again. */
  async restart(argument: unknown): Promise<void> {
    const server = await this.pickServer(argument, ({ state }) => state.type !== 'disabled');
    if (server !== undefined) await this.mcp.restart(server.name);
  }

  /** Logs in to a server in the browser. Rejects with an error that names the server when that fails, but not on cancel. */
  async logIn(argument: unknown): Promise<void> {
    const server = await this.pickServer(argument, ({ usesLogin, state }) => usesLogin && state.type !== 'disabled');
    if (server === undefined) return;
    const { name } = server;
    const title = vscode.l10n.t('Log in to {0}', name);
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    const isIn = await vscode.window.withProgress(options, async (progress, token) => {
      const cancelling = new AbortController();
      token.onCancellationRequested(() => cancelling.abort());
      const cancelled = AbortSignal.any([cancelling.signal, this.ending.signal]);
      return this.logInWithDialogs(name, progress, cancelled);
    });
    if (!isIn) return;
    const state = serverStateText(this.mcp.find(name) ?? server);
    void vscode.window.showInformationMessage(
      vscode.l10n.t('You are logged in to the MCP server {0}: {1}', name, state),
    );
  }

  /** Deletes the login to a server. */
  async logOut(argument: unknown): Promise<void> {
    const server = await this.pickServer(argument, ({ usesLogin }) => usesLogin);
    if (server === undefined) return;
    const { name } = server;
    const text = (await this.mcp.logOut(name))
      ? vscode.l10n.t('You are logged out of the MCP server {0}.', name)
      : vscode.l10n.t('There is no login to the MCP server {0}.', name);
    void vscode.window.showInformationMessage(text);
  }

  /** Turns a server on or off in its `mcp.json`; a server that a hook registered only in this window. */
  async turn(argument: unknown, to: 'on' | 'off'): Promise<void> {
    const server = await this.pickServer(argument, ({ state }) => (state.type === 'disabled') === (to === 'on'));
    if (server !== undefined) await this.change(server, { enabled: to === 'on' });
  }

  /** Lets the user choose how the model reaches the tools of a server. */
  async expose(argument: unknown): Promise<void> {
    const server = await this.pickServer(argument, () => true);
    if (server === undefined) return;
    const choices = [
      { exposure: 'deferred', detail: vscode.l10n.t('The model finds tools by search; the request stays small') },
      { exposure: 'direct', detail: vscode.l10n.t('The model gets all tools with each request') },
      { exposure: 'hidden', detail: vscode.l10n.t('The model does not get the tools') },
    ] as const;
    const items = choices.map(({ exposure, detail }) => ({
      label: exposure,
      detail,
      exposure,
      ...(server.reach === exposure ? { description: vscode.l10n.t('now') } : {}),
    }));
    const title = vscode.l10n.t('Tools of {0}', server.name);
    const chosen = await vscode.window.showQuickPick(items, { title });
    if (chosen !== undefined) await this.change(server, { exposure: chosen.exposure });
  }

  showOutput(argument: unknown): Promise<void> {
    return this.pickServer(argument, () => true).then(server => {
      if (server !== undefined) this.outputs.show(server);
    });
  }

  /** Opens the entry of a server. Without a server, opens the `mcp.json` that the user chooses, and creates it if needed. */
  async openConfiguration(argument: unknown): Promise<void> {
    const entry = this.named(argument)?.entry;
    if (entry !== undefined) {
      await openEntry(entry);
      return;
    }
    const { place } = this;
    const user = { label: vscode.l10n.t('For you'), file: mcpFile('user', place) };
    const project = { label: vscode.l10n.t('For this folder'), file: mcpFile('project', place) };
    const items = (place.includeProject() ? [user, project] : [user]).map(item => ({
      ...item,
      description: item.file,
    }));
    const title = vscode.l10n.t('Open the configuration of MCP servers');
    const chosen = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, { title });
    if (chosen === undefined) return;
    await mkdir(dirname(chosen.file), { recursive: true });
    await writeFile(chosen.file, EMPTY_FILE, { flag: 'wx' }).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    await showFile(chosen.file, {});
  }

  dispose(): void {
    this.ending.abort();
    this.store.dispose();
  }

  /** Resolves with false when the user cancels. Rejects when the login fails or takes too long. */
  private async logInWithDialogs(
    name: string,
    progress: vscode.Progress<{ readonly message: string }>,
    cancelled: AbortSignal,
  ): Promise<boolean> {
    const signal = AbortSignal.any([cancelled, AbortSignal.timeout(LOGIN_MS)]);
    const dialogs = new LoginDialogs({ name, progress, signal, openExternal: uri => vscode.env.openExternal(uri) });
    const { callbacks } = dialogs;
    // When the browser is on another machine, it may not reach the address to which the login returns. Then the user pastes it.
    const isElsewhere = vscode.env.remoteName !== undefined || vscode.env.uiKind === vscode.UIKind.Web;
    const pasted = async (): Promise<string | undefined> => callbacks.onManualCodeInput?.();
    try {
      const open = (url: URL): void => callbacks.onAuth({ url: url.href });
      await this.mcp.logIn(name, isElsewhere ? { open, pasted } : { open }, signal);
      return true;
    } catch (error) {
      if (error instanceof LoginCancelled || cancelled.aborted) return false;
      throw new Error(vscode.l10n.t('The login to {0} failed: {1}', name, messageOf(error)), { cause: error });
    } finally {
      dialogs.dispose();
    }
  }

  private async change({ name, entry }: McpServer, changes: ServerChange): Promise<void> {
    if (entry.scope !== 'hook') refuseUnsaved(entry.override ?? entry.source);
    await this.mcp.change(name, changes);
  }

  /** The current state of the server in a row of the view, because the row may be outdated. */
  private named(argument: unknown): McpServer | undefined {
    if (typeof argument !== 'object' || argument === null || !('server' in argument)) return undefined;
    const { server } = argument;
    if (typeof server !== 'object' || server === null || !('name' in server)) return undefined;
    return typeof server.name === 'string' ? this.mcp.find(server.name) : undefined;
  }

  /** The server of the row that the command was used on; without a row, asks the user. Undefined when none is chosen. */
  private async pickServer(argument: unknown, suits: (server: McpServer) => boolean): Promise<McpServer | undefined> {
    const given = this.named(argument);
    if (given !== undefined) return given;
    const items = this.mcp
      .list()
      .filter(suits)
      .map(server => ({ label: server.name, description: serverStateText(server), server }));
    if (items.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There is no such MCP server.'));
      return undefined;
    }
    return (await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Which MCP server?') }))?.server;
  }
}

async function openEntry({ source, scope, name }: McpServerEntry): Promise<void> {
  if (scope === 'hook') {
    await showFile(source, {});
    return;
  }
  const { line, column } = placeInJson(await readFile(source, 'utf8'), ['mcpServers', name]);
  await showFile(source, { line: line + 1, column: column + 1 });
}

/** Throws when an editor has unsaved changes of the file: writing the file would lose them, or they would overwrite it. */
function refuseUnsaved(file: string): void {
  const open = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && uri.fsPath === file);
  if (open?.isDirty === true) {
    throw new Error(vscode.l10n.t('Save {0} first: it has changes that are not on disk.', file));
  }
}
