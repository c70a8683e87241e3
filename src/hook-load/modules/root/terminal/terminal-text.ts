import type * as piTui from '@mariozechner/pi-tui';

/** The last (or first) lines of a text as drawn at this width in columns, and how many lines were left out. */
export function truncateToVisualLinesWith(
  tui: typeof piTui,
  text: string,
  maxVisualLines: number,
  width: number,
  paddingX = 0,
  keep: 'start' | 'end' = 'end',
): { visualLines: readonly string[]; skippedCount: number } {
  const lines = text === '' ? [] : new tui.Text(text, paddingX, 0).render(width);
  const skippedCount = Math.max(0, lines.length - maxVisualLines);
  if (skippedCount === 0) return { visualLines: lines, skippedCount };
  return { visualLines: keep === 'start' ? lines.slice(0, maxVisualLines) : lines.slice(skippedCount), skippedCount };
}
