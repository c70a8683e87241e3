import * as l10n from '@vscode/l10n';

/** One line of a comparison. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Lines compared exactly; of longer texts the middle is shown as removed and added as a whole. */
const MOST_LINES = 600;
/** Same lines kept around a change. */
const AROUND = 3;

/** What became of the lines of one text in another; stretches far from any change are left out. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const middle = compare(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return folded([...lines('same', a.slice(0, head)), ...middle, ...lines('same', a.slice(a.length - tail))]);
}

function compare(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  if (a.length > MOST_LINES || b.length > MOST_LINES) return [...lines('removed', a), ...lines('added', b)];
  const common = commonLengths(a, b);
  const result: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const text = a[i] ?? '';
    if (text === b[j]) {
      result.push({ kind: 'same', text });
      i += 1;
      j += 1;
    } else if ((common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) {
      result.push({ kind: 'removed', text });
      i += 1;
    } else {
      result.push({ kind: 'added', text: b[j] ?? '' });
      j += 1;
    }
  }
  return [...result, ...lines('removed', a.slice(i)), ...lines('added', b.slice(j))];
}

/** Per pair of places: how many lines both rests have in common, in order. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    const row = table[i] ?? [];
    const below = table[i + 1] ?? [];
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}

function lines(kind: DiffLine['kind'], texts: readonly string[]): readonly DiffLine[] {
  return texts.map(text => ({ kind, text }));
}

function folded(all: readonly DiffLine[]): readonly DiffLine[] {
  const changes = all.flatMap(({ kind }, place) => (kind === 'same' ? [] : [place]));
  const isNear = (place: number): boolean => changes.some(change => Math.abs(change - place) <= AROUND);
  const result: DiffLine[] = [];
  let left = 0;
  const tellLeft = (): void => {
    if (left > 0) {
      result.push({ kind: 'same', text: left === 1 ? l10n.t('⋯ 1 same line') : l10n.t('⋯ {0} same lines', left) });
    }
    left = 0;
  };
  all.forEach((line, place) => {
    if (!isNear(place)) {
      left += 1;
      return;
    }
    tellLeft();
    result.push(line);
  });
  tellLeft();
  return result;
}
