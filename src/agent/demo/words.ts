/** Marks that enclose a name or text in a request. Backticks may be doubled around a text that contains one. */
const PAIRS: readonly (readonly [open: string, close: string])[] = [
  ['“', '”'],
  ['«', '»'],
  ['"', '"'],
  ["'", "'"],
];

/** A quoted piece at the start of a text. */
export interface Quoted {
  readonly inner: string;
  /** Length with its marks. */
  readonly length: number;
}

/**
 * Reads a quoted piece that starts at `at`: backticks (a run closes with a run of the same length), double or typographic
 * quotes, and single quotes where they are no apostrophe. Inside double quotes `\"` stands for a quote; nothing else is
 * an escape, so paths survive as they are.
 */
export function quotedAt(text: string, at: number): Quoted | undefined {
  return backticksAt(text, at) ?? pairAt(text, at);
}

/** The quoted piece that makes up a whole text, else the text itself. */
export function unquoted(text: string): string {
  const quoted = quotedAt(text, 0);
  return quoted !== undefined && quoted.length === text.length ? quoted.inner : text;
}

/** Positions in a text that are not inside quotes, as a function; positions of the marks count as inside. */
export function outsideOfQuotes(text: string): (at: number) => boolean {
  const spans: [number, number][] = [];
  for (let at = 0; at < text.length; at += 1) {
    const quoted = startsWord(text, at) ? quotedAt(text, at) : undefined;
    if (quoted === undefined) continue;
    spans.push([at, at + quoted.length]);
    at += quoted.length - 1;
  }
  return at => !spans.some(([start, end]) => at >= start && at < end);
}

function backticksAt(text: string, at: number): Quoted | undefined {
  const fence = /^`+/.exec(text.slice(at))?.[0];
  if (fence === undefined) return undefined;
  for (const match of text.slice(at + fence.length).matchAll(/`+/g)) {
    if (match[0] !== fence) continue;
    const inner = text.slice(at + fence.length, at + fence.length + match.index);
    return { inner: fence.length > 1 ? withoutPadding(inner) : inner, length: inner.length + 2 * fence.length };
  }
  return undefined;
}

/** As in Markdown, a blank keeps a backtick at the edge apart from the fence; on one side or on both. */
function withoutPadding(inner: string): string {
  if (/^ .*`.* $/s.test(inner)) return inner.slice(1, -1);
  return inner.replace(/^ (?=`)|(?<=`) $/, '');
}

function pairAt(text: string, at: number): Quoted | undefined {
  const pair = PAIRS.find(([open]) => text.startsWith(open, at));
  if (pair === undefined) return undefined;
  const [open, close] = pair;
  for (let end = at + 1; end < text.length; end += 1) {
    if (open === '"' && text.startsWith('\\"', end)) end += 1;
    else if (text.startsWith(close, end) && (open !== "'" || endsWord(text, end))) {
      const inner = text.slice(at + 1, end);
      return { inner: open === '"' ? inner.replaceAll('\\"', '"') : inner, length: end + 1 - at };
    }
  }
  return undefined;
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || /[\s([:=,]/.test(text.charAt(at - 1));
}

function endsWord(text: string, at: number): boolean {
  return at === text.length - 1 || /[\s)\]:,.;!?]/.test(text.charAt(at + 1));
}
