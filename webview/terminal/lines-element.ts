import { lineNodes } from './paint-line';
import type { FontMetrics } from './metrics';

let metrics: FontMetrics | undefined;

/** Tells all elements how the terminal font draws characters; once, before the first is drawn. */
export function useMetrics(shared: FontMetrics): void {
  metrics = shared;
}

/** `<hookline-lines>`: what a hook has drawn for an item, line by line. */
export class LinesElement extends HTMLElement {
  private shown: readonly string[] = [];

  set lines(lines: readonly string[]) {
    if (lines === this.shown && this.childElementCount > 0) return;
    this.classList.add('term', 'term-lines');
    lines.forEach((line, row) => {
      const known = this.children[row];
      if (known && this.shown[row] === line) return;
      const element = known ?? this.appendChild(rowElement());
      element.replaceChildren(...lineNodes(line, grapheme => metrics?.fits(grapheme) ?? false));
    });
    while (this.childElementCount > lines.length) this.lastElementChild?.remove();
    this.shown = lines;
  }
}

/** An empty line of terminal text. */
export function rowElement(): HTMLElement {
  const row = document.createElement('div');
  row.className = 'term-row';
  return row;
}
