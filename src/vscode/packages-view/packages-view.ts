import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Event } from '../../base/event';
import { deferred } from '../../base/wait';
import { VIEWS } from '../ids';
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
  private readonly changeEmitter = this.store.add(new vscode.EventEmitter<undefined>());
  readonly onDidChangeTreeData = this.changeEmitter.event;
  private readonly view: vscode.TreeView<PackageNode>;
  private readonly arrival = deferred<PackagesSource>();
  private source: PackagesSource | undefined;

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
    this.changeEmitter.fire(undefined);
    if (this.view.visible) source.seen();
    return source.onDidChange(() => this.redraw());
  }

  /** Redraws all rows, even unchanged ones, so that the checkbox of a part that could not be changed is restored. */
  redraw(): void {
    const missing = this.source?.facts().packages.filter(({ state }) => state === 'missing').length ?? 0;
    const tooltip = vscode.l10n.t('Packages that are not installed: {0}', missing);
    this.view.badge = missing === 0 ? undefined : { value: missing, tooltip };
    this.changeEmitter.fire(undefined);
  }

  async getChildren(node?: PackageNode): Promise<PackageNode[]> {
    const source = this.source ?? (await this.arrival.promise);
    return [...packageNodeChildren(node, source.facts())];
  }

  getTreeItem(node: PackageNode): vscode.TreeItem {
    return packageItem(node, this.source?.facts() ?? NO_PACKAGES);
  }

  dispose(): void {
    this.store.dispose();
  }
}
