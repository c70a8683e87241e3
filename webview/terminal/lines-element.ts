import { lineNodes } from './paint-line';
import type { FontMetrics } from './metrics';

let metrics: FontMetrics | undefined;

/** Sets the font metrics for all elements. To be called once, before the first element is drawn. */
export function useMetrics(shared: FontMetrics): void {
  metrics = shared;
}

/** `<hookline-lines>`: the lines that a hook has drawn for a card. */
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

/** Makes an element for one line of terminal text. */
export function rowElement(): HTMLElement {
  const row = document.createElement('div');
  row.className = 'term-row';
  return row;
}
