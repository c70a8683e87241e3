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
  /** The hook that takes care of MCP servers in place of Hookline, by its path. */
  readonly replacedBy: () => string | undefined;
  readonly onDidChange: Event<void>;
}

/** Many servers that come at once are one redraw, ms. */
const REDRAW_MS = 100;

/** The tree of MCP servers below the packages. Registered at activation; it waits until servers are read. */
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

  /** Shows this from now on, until disposed. */
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

  /** The badge counts servers that wait for a user. */
  private redraw(): void {
    const { source } = this;
    if (source === undefined) return;
    const { servers, problems } = source.facts();
    const waiting = servers.filter(({ state }) => state.type === 'needsLogin' || state.type === 'failed').length;
    const value = waiting + problems.length;
    const tooltip = vscode.l10n.t('MCP servers that need your attention: {0}', value);
    this.view.badge = value === 0 ? undefined : { value, tooltip };
    const hook = source.replacedBy();
    this.view.message = hook === undefined ? undefined : vscode.l10n.t('The hook {0} takes care of MCP servers.', hook);
    this.changeEmitter.fire(undefined);
  }
}
