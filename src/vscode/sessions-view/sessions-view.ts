import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Event } from '../../base/event';
import { DelayedCall } from '../../base/async/repeated-calls';
import { deferred } from '../../base/async/wait';
import { VIEWS } from '../ids';
import { TreeRows } from '../tree-rows';
import type { SessionNode } from './session-nodes';

/** What the view shows. It makes its rows itself, because the code for them is not loaded at activation. */
export interface SessionsSource {
  readonly children: (node: SessionNode | undefined) => readonly SessionNode[];
  readonly item: (node: SessionNode) => vscode.TreeItem;
  /** Text beside the view's name. */
  readonly description: string | undefined;
  /** Text above the rows, such as why the sessions cannot be read. */
  readonly message: () => string | undefined;
  readonly badge: () => vscode.ViewBadge | undefined;
  /** Reads the sessions when it is called for the first time; never rejects. */
  readonly read: () => Promise<void>;
  /** Called when the view is shown or hidden; the sessions are followed while it is visible. */
  readonly setVisible: (isVisible: boolean) => void;
  readonly onDidChange: Event<void>;
}

/** How long changes are collected before one redraw, ms. */
const REDRAW_MS = 50;

/**
 * The view of the folder's sessions. It is registered at activation and shows VS Code's progress bar until the sessions are
 * read, which happens when it is shown for the first time.
 */
export class SessionsView implements vscode.TreeDataProvider<SessionNode>, Disposable {
  private readonly store = new DisposableStore();
  private readonly view: vscode.TreeView<SessionNode>;
  private readonly arrival = deferred<SessionsSource>();
  private source: SessionsSource | undefined;
  private readonly rows = new TreeRows<SessionNode>({
    children: node => this.source?.children(node) ?? [],
    item: node => this.source?.item(node) ?? new vscode.TreeItem(''),
  });
  readonly onDidChangeTreeData = this.rows.onDidChange;
  private readonly laterRedraw = this.store.add(new DelayedCall(() => this.redraw()));

  constructor() {
    this.view = this.store.add(
      vscode.window.createTreeView(VIEWS.sessions, { treeDataProvider: this, showCollapseAll: true }),
    );
    this.store.add(this.view.onDidChangeVisibility(({ visible }) => this.source?.setVisible(visible)));
  }

  /** Shows the source; disposing the result ends its updates. */
  show(source: SessionsSource): Disposable {
    this.source = source;
    this.view.description = source.description;
    source.setVisible(this.view.visible);
    this.arrival.resolve(source);
    this.redraw();
    return source.onDidChange(() => this.laterRedraw.schedule(REDRAW_MS));
  }

  async getChildren(node?: SessionNode): Promise<SessionNode[]> {
    const source = await this.arrival.promise;
    await source.read();
    return this.rows.read(node);
  }

  getTreeItem(node: SessionNode): vscode.TreeItem {
    return this.rows.item(node);
  }

  getParent(node: SessionNode): SessionNode | undefined {
    return node.kind === 'group' ? undefined : { kind: 'group', group: node.group };
  }

  /** Moves the focus to a row; does nothing if it is not there any more. */
  async focusRow(node: SessionNode): Promise<void> {
    this.redraw();
    await Promise.resolve(this.view.reveal(node, { focus: true, select: false })).catch(() => undefined);
  }

  dispose(): void {
    this.store.dispose();
  }

  private redraw(): void {
    const { source } = this;
    if (source === undefined) return;
    this.laterRedraw.cancel();
    this.view.badge = source.badge();
    this.view.message = source.message();
    this.rows.redraw();
  }
}
