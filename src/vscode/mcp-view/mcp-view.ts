import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Event } from '../../base/event';
import { DelayedCall } from '../../base/repeated-calls';
import { deferred } from '../../base/wait';
import { VIEWS } from '../ids';
import { mcpItem, mcpNodeChildren, type McpTreeData, type McpNode } from './mcp-nodes';

/** What the view shows. */
export interface McpSource {
  readonly facts: () => McpTreeData;
  /** Path of the hook that manages MCP servers instead of Hookline; undefined when there is none. */
  readonly replacedBy: () => string | undefined;
  readonly onDidChange: Event<void>;
}

/** How long changes are collected before one redraw, ms. */
const REDRAW_MS = 100;

/** The view of MCP servers. It is registered at activation and shows VS Code's progress bar until the servers are read. */
export class McpView implements vscode.TreeDataProvider<McpNode>, Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new vscode.EventEmitter<undefined>());
  readonly onDidChangeTreeData = this.changeEmitter.event;
  private readonly view: vscode.TreeView<McpNode>;
  private readonly arrival = deferred<McpSource>();
  private source: McpSource | undefined;
  private readonly laterRedraw = this.store.add(new DelayedCall(() => this.redraw()));

  constructor() {
    this.view = this.store.add(
      vscode.window.createTreeView(VIEWS.mcp, { treeDataProvider: this, showCollapseAll: true }),
    );
  }

  /** Shows the source; disposing the result ends its updates. */
  show(source: McpSource): Disposable {
    this.source = source;
    this.arrival.resolve(source);
    this.redraw();
    return source.onDidChange(() => this.laterRedraw.schedule(REDRAW_MS));
  }

  async getChildren(node?: McpNode): Promise<McpNode[]> {
    const source = this.source ?? (await this.arrival.promise);
    return [...mcpNodeChildren(node, source.facts())];
  }

  getTreeItem(node: McpNode): vscode.TreeItem {
    return mcpItem(node);
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Updates the rows and the badge, which counts problems and servers that failed or need a login. */
  private redraw(): void {
    const { source } = this;
    if (source === undefined) return;
    const { servers, problems } = source.facts();
    const waiting = servers.filter(({ state }) => state.type === 'needsLogin' || state.type === 'failed').length;
    const value = waiting + problems.length;
    const tooltip = vscode.l10n.t('MCP servers that need your attention: {0}', value);
    this.view.badge = value === 0 ? undefined : { value, tooltip };
    const hook = source.replacedBy();
    this.view.message = hook === undefined ? undefined : vscode.l10n.t('The hook {0} manages MCP servers.', hook);
    this.changeEmitter.fire(undefined);
  }
}
