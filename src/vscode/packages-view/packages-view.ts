import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Event } from '../../base/event';
import { deferred } from '../../base/async/wait';
import { VIEWS } from '../ids';
import { TreeRows } from '../tree-rows';
import { packageItem, packageNodeChildren, type PackageTreeData, type PackageNode } from './package-nodes';

/** What the view shows and calls. */
export interface PackagesSource {
  readonly facts: () => PackageTreeData;
  readonly onDidChange: Event<void>;
  /** Called when the view becomes visible. */
  readonly seen: () => void;
  /** Called when the user changes the checkbox of a row. */
  readonly turn: (node: PackageNode, to: 'on' | 'off') => void;
}

const NO_PACKAGES: PackageTreeData = { packages: [], parts: [], updateOf: () => undefined };

/** The view of packages. It is registered at activation and shows VS Code's progress bar until the packages are read. */
export class PackagesView implements vscode.TreeDataProvider<PackageNode>, Disposable {
  private readonly store = new DisposableStore();
  private readonly view: vscode.TreeView<PackageNode>;
  private readonly arrival = deferred<PackagesSource>();
  private source: PackagesSource | undefined;
  private readonly rows = new TreeRows<PackageNode>({
    children: node => packageNodeChildren(node, this.facts),
    item: node => packageItem(node, this.facts),
  });
  readonly onDidChangeTreeData = this.rows.onDidChange;

  constructor() {
    this.view = this.store.add(
      vscode.window.createTreeView(VIEWS.packages, {
        treeDataProvider: this,
        showCollapseAll: true,
        manageCheckboxStateManually: true,
      }),
    );
    this.store.add(
      this.view.onDidChangeCheckboxState(({ items }) => {
        for (const [node, state] of items) {
          this.rows.isShownOtherwise(node);
          this.source?.turn(node, state === vscode.TreeItemCheckboxState.Checked ? 'on' : 'off');
        }
      }),
    );
    this.store.add(
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) this.source?.seen();
      }),
    );
  }

  /** Shows the source; disposing the result ends its updates. */
  show(source: PackagesSource): Disposable {
    this.source = source;
    this.arrival.resolve(source);
    this.rows.redraw();
    if (this.view.visible) source.seen();
    return source.onDidChange(() => this.redraw());
  }

  private redraw(): void {
    const missing = this.facts.packages.filter(({ state }) => state === 'missing').length;
    const tooltip = vscode.l10n.t('Packages that are not installed: {0}', missing);
    this.view.badge = missing === 0 ? undefined : { value: missing, tooltip };
    this.rows.redraw();
  }

  async getChildren(node?: PackageNode): Promise<PackageNode[]> {
    await this.arrival.promise;
    return this.rows.read(node);
  }

  getTreeItem(node: PackageNode): vscode.TreeItem {
    return this.rows.item(node);
  }

  dispose(): void {
    this.store.dispose();
  }

  private get facts(): PackageTreeData {
    return this.source?.facts() ?? NO_PACKAGES;
  }
}
