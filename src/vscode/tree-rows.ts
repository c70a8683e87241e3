import type * as vscode from 'vscode';
import { Emitter } from '../base/event';
import { visibleLine, visibleText } from '../base/text/visible-text';

/** How the rows of a tree are made. */
export interface RowSource<N> {
  /** The rows below a row; for undefined, the top rows. */
  readonly children: (row: N | undefined) => readonly N[];
  /** The row as VS Code shows it. Its id must stay the same when the row changes. */
  readonly item: (row: N) => vscode.TreeItem;
}

/** A row that VS Code has read, and how it was last shown. */
interface KnownRow<N> {
  readonly row: N;
  shown: string | undefined;
}

/** Stands for the id of the row above the top rows. */
const TOP = '';

/**
 * The rows of a tree that VS Code has read. It finds those that changed, because VS Code forgets every row of a tree that
 * changed as a whole until it has read the tree again: a button that is clicked meanwhile runs its command without its row.
 */
export class TreeRows<N extends object> {
  private readonly known = new Map<string, KnownRow<N>>();
  /** Id of a row -> ids of the rows below it. */
  private readonly below = new Map<string, readonly string[]>();
  private readonly changeEmitter = new Emitter<N[] | undefined>();
  /** Fires with the rows that VS Code has to draw again; with undefined if it has to read all rows again. */
  readonly onDidChange = this.changeEmitter.event;

  private readonly source: RowSource<N>;

  constructor(source: RowSource<N>) {
    this.source = { ...source, item: row => shownItem(source.item(row)) };
  }

  /** Reads the rows below a row. A row that was read before is the same object again, with its new content. */
  read(parent: N | undefined): N[] {
    const rows = this.source.children(parent).map(row => ({ row, id: this.idOf(row) }));
    this.below.set(
      this.idOf(parent),
      rows.map(({ id }) => id),
    );
    return rows.map(({ row, id }) => {
      const known = this.known.get(id);
      if (known !== undefined) return Object.assign(known.row, row);
      this.known.set(id, { row, shown: undefined });
      return row;
    });
  }

  item(row: N): vscode.TreeItem {
    const item = this.source.item(row);
    const known = this.known.get(item.id ?? TOP);
    if (known?.row === row) known.shown = JSON.stringify(item);
    return item;
  }

  /** To be called when VS Code shows a row in another way than `item` said, for example with another checkbox. */
  isShownOtherwise(row: N): void {
    const known = this.known.get(this.idOf(row));
    if (known !== undefined) known.shown = '';
  }

  /** Lets VS Code draw the changed rows again. */
  redraw(): void {
    const changed = this.update();
    if (changed === 'all') this.changeEmitter.fire(undefined);
    else if (changed.length > 0) this.changeEmitter.fire([...changed]);
  }

  /** Updates the known rows. Returns those that VS Code has to draw again; `all` if there are other top rows now. */
  update(): readonly N[] | 'all' {
    const changed: N[] = [];
    if (this.hasSameBelow(undefined, changed)) return changed;
    this.known.clear();
    this.below.clear();
    return 'all';
  }

  /** Whether the same rows are below a row as before. If so, adds those to `changed` that look different, or have other rows below. */
  private hasSameBelow(parent: N | undefined, changed: N[]): boolean {
    const before = this.below.get(this.idOf(parent));
    if (before === undefined) return true;
    const rows = this.source.children(parent);
    if (rows.length !== before.length) return false;
    const ids = rows.map(row => this.idOf(row));
    if (ids.some((id, index) => id !== before[index])) return false;
    for (const [index, id] of ids.entries()) {
      const known = this.known.get(id);
      if (known === undefined) continue;
      const { row, shown } = known;
      Object.assign(row, rows[index]);
      const isShownSo = shown === undefined || shown === JSON.stringify(this.source.item(row));
      if (!this.hasSameBelow(row, changed) || !isShownSo) changed.push(row);
    }
    return true;
  }

  private idOf(row: N | undefined): string {
    return row === undefined ? TOP : (this.source.item(row).id ?? TOP);
  }
}

/** The item with its hidden characters marked: names of files and texts of hooks can contain them. */
function shownItem(item: vscode.TreeItem): vscode.TreeItem {
  const { label, description, tooltip } = item;
  if (typeof label === 'string') item.label = visibleLine(label);
  if (typeof description === 'string') item.description = visibleLine(description);
  if (typeof tooltip === 'string') item.tooltip = visibleText(tooltip);
  return item;
}
