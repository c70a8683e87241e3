import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Event } from '../../base/event';
import { DelayedCall } from '../../base/async/repeated-calls';
import { deferred } from '../../base/async/wait';
import { VIEWS } from '../ids';
import { TreeRows } from '../tree-rows';
import { mcpItem, mcpNodeChildren, type McpTreeData, type McpNode } from './mcp-nodes';

/** What the view shows. */
export interface McpSource {
  readonly facts: () => McpTreeData;
  /** Path of the hook that manages MCP servers instead of Hookline; undefined when there is none. */
  readonly replacedBy: () => string | undefined;
  readonly onDidChange: Event<void>;
}

const NO_SERVERS: McpTreeData = { servers: [], problems: [] };

/** How long changes are collected before one redraw, ms. */
const REDRAW_MS = 100;

/** The view of MCP servers. It is registered at activation and shows VS Code's progress bar until the servers are read. */
export class McpView implements vscode.TreeDataProvider<McpNode>, Disposable {
  private readonly store = new DisposableStore();
  private readonly view: vscode.TreeView<McpNode>;
  private readonly arrival = deferred<McpSource>();
  private source: McpSource | undefined;
  private readonly rows = new TreeRows<McpNode>({
    children: node => mcpNodeChildren(node, this.source?.facts() ?? NO_SERVERS),
    item: mcpItem,
  });
  readonly onDidChangeTreeData = this.rows.onDidChange;
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
    await this.arrival.promise;
    return this.rows.read(node);
  }

  getTreeItem(node: McpNode): vscode.TreeItem {
    return this.rows.item(node);
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
    this.rows.redraw();
  }
}
