import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Event } from '../../base/event';
import { DelayedCall } from '../../base/async/repeated-calls';
import { deferred } from '../../base/async/wait';
import type { HookInfo } from '../../hook-contract/hook-info';
import { VIEWS } from '../ids';
import { TreeRows } from '../tree-rows';
import { hasOwnHooks, hookNodeChildren, treeItemFor, type HookNode, type HookTreeData } from './hook-nodes';
import { hookName, hookStateText } from './hook-words';

/** How long dispatches are collected before one redraw, ms. */
const REDRAW_MS = 250;

/** What the view shows. */
export interface HooksSource extends Omit<HookTreeData, 'infos'> {
  readonly infos: () => readonly HookInfo[];
  readonly onDidChange: Event<void>;
}

/**
 * The Hooks view. It is registered at activation and shows VS Code's progress bar until the hooks are loaded.
 */
export class HooksView implements vscode.TreeDataProvider<HookNode>, Disposable {
  private readonly store = new DisposableStore();
  private readonly view: vscode.TreeView<HookNode>;
  private readonly arrival = deferred<HooksSource>();
  private source: HooksSource | undefined;
  private readonly rows = new TreeRows<HookNode>({
    children: node => hookNodeChildren(node, this.facts),
    item: node => treeItemFor(node, this.facts),
  });
  readonly onDidChangeTreeData = this.rows.onDidChange;
  private readonly laterRedraw = this.store.add(new DelayedCall(() => this.redraw()));

  constructor() {
    this.view = this.store.add(
      vscode.window.createTreeView(VIEWS.hooks, { treeDataProvider: this, showCollapseAll: true }),
    );
  }

  /** Shows the source; disposing the result ends its updates. */
  show(source: HooksSource): Disposable {
    this.source = source;
    this.view.description = vscode.l10n.t('counted since the window opened');
    this.arrival.resolve(source);
    this.redraw();
    return source.onDidChange(() => {
      this.laterRedraw.schedule(REDRAW_MS);
    });
  }

  async getChildren(node?: HookNode): Promise<HookNode[]> {
    await this.arrival.promise;
    return this.rows.read(node);
  }

  getTreeItem(node: HookNode): vscode.TreeItem {
    return this.rows.item(node);
  }

  /** The text above the rows; undefined when there is none. */
  get message(): string | undefined {
    return this.view.message;
  }

  /** The badge of the view; undefined when there is none. */
  get badge(): vscode.ViewBadge | undefined {
    return this.view.badge;
  }

  dispose(): void {
    this.store.dispose();
  }

  private redraw(): void {
    const infos = this.source?.infos() ?? [];
    this.view.badge = badgeFor(infos);
    this.view.message =
      this.source === undefined || hasOwnHooks(infos)
        ? undefined
        : vscode.l10n.t('There are no hooks yet. Put a TypeScript file into .pi/hooks of this folder to add one.');
    this.rows.redraw();
  }

  private get facts(): HookTreeData {
    return this.source === undefined ? NO_FACTS : { ...this.source, infos: this.source.infos() };
  }
}

const NO_FACTS: HookTreeData = {
  infos: [],
  stats: () => undefined,
  coverage: () => [],
  isEvent: () => true,
  agents: () => undefined,
};

/** Counts hooks that guard tools and are not live: stale, failed, stopped, turned off, held back or waiting for approval. */
function badgeFor(infos: readonly HookInfo[]): vscode.ViewBadge | undefined {
  const missing = infos.filter(isInactiveGate);
  if (missing.length === 0) return undefined;
  const lines = missing.map(info => `${hookName(info.path)}: ${hookStateText(info)}`);
  return { value: missing.length, tooltip: [vscode.l10n.t('Not running, and guards tools:'), ...lines].join('\n') };
}

function isInactiveGate({ state, handlers }: HookInfo): boolean {
  if (state.type === 'live') return false;
  return ('gatesTools' in state && state.gatesTools === true) || handlers.some(({ event }) => event === 'tool_call');
}
