import { createTwoFilesPatch, diffWords, FILE_HEADERS_ONLY } from 'diff';
import { diffTexts } from '../../../../agent/tools/files/editing/diff';
import type { ShippedTheme } from '../../themes';

export { diffTexts as generateDiffString };

/** A unified patch of one file, with `context` unchanged lines around each change. */
export function generateUnifiedPatch(path: string, before: string, after: string, context = 4): string {
  return createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context,
    headerOptions: FILE_HEADERS_ONLY,
  });
}

/** Characters of a line whose words are compared; the comparison of much longer lines would take minutes. */
const LONGEST_BY_WORDS = 10_000;

type Line = { readonly sign: '+' | '-' | ' '; readonly number: string; readonly text: string };

/**
 * A diff in the format of the tool `edit`, with colors; where one line replaced one line, changed words are inverted.
 */
export function renderDiffWith(theme: () => ShippedTheme, diff: string): string {
  const drawn: string[] = [];
  const lines = diff.split('\n');
  const parsed = lines.map(lineOf);
  for (let at = 0; at < lines.length;) {
    const removed = run(parsed, at, '-');
    const added = run(parsed, at + removed.length, '+');
    if (removed.length === 0) {
      const line = parsed[at];
      drawn.push(line === undefined ? theme().fg('toolDiffContext', lines[at] ?? '') : drawLine(theme(), line));
      at += 1;
      continue;
    }
    drawn.push(...drawChange(theme(), removed, added));
    at += removed.length + added.length;
  }
  return drawn.join('\n');
}

function lineOf(line: string): Line | undefined {
  const match = /^([+\- ])(\s*\d*)\s(.*)$/.exec(line);
  if (match === null) return undefined;
  return { sign: match[1] as Line['sign'], number: match[2] ?? '', text: (match[3] ?? '').replaceAll('\t', '   ') };
}

function run(lines: readonly (Line | undefined)[], from: number, sign: Line['sign']): Line[] {
  const found: Line[] = [];
  for (let at = from; lines[at]?.sign === sign; at++) found.push(lines[at] as Line);
  return found;
}

const COLORS = { '+': 'toolDiffAdded', '-': 'toolDiffRemoved', ' ': 'toolDiffContext' } as const;

function drawLine(theme: ShippedTheme, { sign, number, text }: Line): string {
  return theme.fg(COLORS[sign], `${sign}${number} ${text}`);
}

function drawChange(theme: ShippedTheme, removed: readonly Line[], added: readonly Line[]): string[] {
  const [before, after] = [removed[0], added[0]];
  const isPair = removed.length === 1 && added.length === 1 && before !== undefined && after !== undefined;
  if (!isPair) return [...removed, ...added].map(line => drawLine(theme, line));
  const indent = commonIndent(before.text, after.text);
  const isLong = Math.max(before.text.length, after.text.length) > LONGEST_BY_WORDS;
  const words = isLong ? undefined : diffWords(before.text.slice(indent.length), after.text.slice(indent.length));
  if (words === undefined) return [drawLine(theme, before), drawLine(theme, after)];
  const side = (own: 'removed' | 'added'): string => {
    const kept = words.filter(part => part[own] || (!part.removed && !part.added));
    const first = kept.findIndex(part => part[own]);
    const marked = kept.map((part, index) => {
      if (!part[own]) return part.value;
      const blank = index === first ? (/^\s*/.exec(part.value)?.[0] ?? '') : '';
      const word = part.value.slice(blank.length);
      return blank + (word === '' ? '' : `\x1b[7m${word}\x1b[27m`);
    });
    return indent + marked.join('');
  };
  return [drawLine(theme, { ...before, text: side('removed') }), drawLine(theme, { ...after, text: side('added') })];
}

function commonIndent(first: string, second: string): string {
  let at = 0;
  while (at < first.length && first[at] === second[at] && /\s/.test(first[at] ?? '')) at += 1;
  return first.slice(0, at);
}
