/**
 * How well a typed text fits a path, the higher the better; undefined when its letters do not stand in it in order.
 * Letters at the start of a word or of the name, in a row, and in the name rather than in its folders count more; small
 * letters fit capitals. Blanks in the typed text are passed over.
 */
export function fuzzyScore(typed: string, path: string): number | undefined {
  const wanted = typed.toLowerCase().replaceAll(/\s+/g, '');
  if (wanted === '') return 0;
  const name = path.replace(/\/$/, '').lastIndexOf('/') + 1;
  const inName = wanted.includes('/') ? undefined : scoreFrom(wanted, path, name);
  const score = inName === undefined ? scoreFrom(wanted, path, 0) : inName + IN_NAME;
  return score === undefined ? undefined : score - path.length / 100;
}

const IN_NAME = 40;
const WORD_START = 8;
const IN_A_ROW = 6;
const NAME_START = 12;
const SEPARATOR = /[-_./\\ ]/;

/** Takes a word's start before the next such letter, where there is one, so that initials find their words. */
function scoreFrom(wanted: string, path: string, from: number): number | undefined {
  const lower = path.toLowerCase();
  const whole = lower.indexOf(wanted, from);
  if (whole >= 0) {
    const begins = whole === from ? NAME_START : 0;
    return begins + wanted.length * IN_A_ROW + (startsWord(path, whole) ? WORD_START * 2 : 0);
  }
  let score = 0;
  let at = from - 1;
  for (const letter of wanted) {
    const next = lower.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    if (next === at + 1) score += IN_A_ROW;
    if (startsWord(path, next)) score += WORD_START;
    at = next;
  }
  return score;
}

function startsWord(path: string, index: number): boolean {
  const before = path[index - 1];
  const here = path[index] ?? '';
  if (before === undefined || SEPARATOR.test(before)) return true;
  return here !== here.toLowerCase() && before === before.toLowerCase();
}
