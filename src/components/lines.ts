import type { ComponentFrame } from '../protocol/items/hook-component';

/** Lines of one picture that are kept; a component that draws more has gone wrong. */
const MOST_LINES = 1_000;
/** Characters of one line that are looked at, escape sequences included. */
const LONGEST_LINE = 8_000;
/** What pi-tui puts around the text that its fields draw as the cursor. A component without a terminal gives it as it is. */
const FAKE_CURSORS = [
  ['\x1b_pi:fc\x07', '\x1b[7m'],
  ['\x1b_pi:/fc\x07', '\x1b[27m'],
] as const;

/**
 * What a component's `render` gave, made safe to show: at most {@link MOST_LINES} strings without line breaks, cursors drawn.
 * @throws TypeError when it is no list
 */
export function checkedLines(rendered: unknown): string[] {
  if (!Array.isArray(rendered)) throw new TypeError('render(width) must return an array of lines');
  const lines: string[] = [];
  for (const line of rendered as readonly unknown[]) {
    if (lines.length >= MOST_LINES) break;
    for (const row of String(line).slice(0, LONGEST_LINE).split(/\r?\n/)) lines.push(withCursor(row));
  }
  return lines.slice(0, MOST_LINES);
}

function withCursor(line: string): string {
  return FAKE_CURSORS.reduce((drawn, [mark, style]) => drawn.replaceAll(mark, style), line);
}

/** The rows of `next` that differ from what is `shown`. */
export function changedRows(shown: readonly string[], next: readonly string[]): ComponentFrame['changes'] {
  const changes: (readonly [number, string])[] = [];
  next.forEach((line, row) => {
    if (line !== shown[row]) changes.push([row, line]);
  });
  return changes;
}
