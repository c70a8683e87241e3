import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import type { Event } from '../../base/event';
import { offersOf } from '../../guard/calls/offered-tools';
import type { HookHost } from '../../hook-run/host/host';
import { ownProgram, type ExtensionFiles } from './own-client';

/** The id in package.json. */
const PROVIDER_ID = 'hookline.tools';

export interface ToolsForEditorParts {
  /** Absolute; undefined when no folder is open. */
  readonly folder: string | undefined;
  readonly hooks: Pick<HookHost, 'runner' | 'onDidChange'>;
  readonly isTrusted: () => boolean;
  /** Whether the user wants it. */
  readonly isOn: () => boolean;
  readonly onDidChangeSettings: Event<void>;
  readonly extension: ExtensionFiles;
  /** Has this window answer the calls of the server. Never rejects. */
  readonly answerCalls: () => Promise<void>;
}

/**
 * Offers our MCP server to VS Code's own agent, as long as hooks of the trusted folder register tools. Does nothing in an editor
 * that does not know such servers.
 */
export class ToolsForEditor implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = new vscode.EventEmitter<void>();
  private names: readonly string[] = [];

  constructor(private readonly parts: ToolsForEditorParts) {
    const { hooks, onDidChangeSettings } = parts;
    // Editors that are built on VS Code may lack it.
    if (!('registerMcpServerDefinitionProvider' in vscode.lm)) return;
    this.names = this.namesNow();
    this.store.add(toDisposable(() => this.changeEmitter.dispose()));
    this.store.add(
      vscode.lm.registerMcpServerDefinitionProvider(PROVIDER_ID, {
        onDidChangeMcpServerDefinitions: this.changeEmitter.event,
        provideMcpServerDefinitions: () => this.definitions(),
      }),
    );
    this.store.add(hooks.onDidChange(() => this.look()));
    this.store.add(onDidChangeSettings(() => this.look()));
  }

  dispose(): void {
    this.store.dispose();
  }

  private look(): void {
    const names = this.namesNow();
    if (isDeepStrictEqual(names, this.names)) return;
    this.names = names;
    this.changeEmitter.fire();
  }

  /** The tools that the server would have; empty when there is to be none. */
  private namesNow(): readonly string[] {
    const { hooks, folder, isTrusted, isOn } = this.parts;
    if (folder === undefined || !isOn() || !isTrusted()) return [];
    return offersOf(hooks.runner.loaded).map(({ offered }) => offered.name);
  }

  private async definitions(): Promise<vscode.McpStdioServerDefinition[]> {
    const { folder, extension, answerCalls } = this.parts;
    if (folder === undefined || this.namesNow().length === 0) return [];
    await answerCalls();
    const { node, cli } = ownProgram(extension);
    const env = { ELECTRON_RUN_AS_NODE: '1' };
    const server = new vscode.McpStdioServerDefinition('Hookline', node, [cli, 'mcp', 'serve'], env, extension.version);
    server.cwd = vscode.Uri.file(folder);
    return [server];
  }
}
