/** Marks that enclose a name or text in a request. Backticks may be doubled around a text that contains one. */
const PAIRS: readonly (readonly [open: string, close: string])[] = [
  ['“', '”'],
  ['«', '»'],
  ['"', '"'],
  ["'", "'"],
];

/** A quoted piece at the start of a text. */
interface Quoted {
  readonly inner: string;
  /** Length with its marks. */
  readonly length: number;
}

/**
 * Reads a quoted piece that starts at `at`: backticks (a run closes with a run of the same length), double or typographic
 * quotes, and single quotes where they are no apostrophe. Inside double quotes `\"` stands for a quote; nothing else is
 * an escape, so paths survive as they are.
 */
function quotedAt(text: string, at: number): Quoted | undefined {
  return backticksAt(text, at) ?? pairAt(text, at);
}

/** The quoted piece that makes up a whole text, else the text itself. */
function unquoted(text: string): string {
  const quoted = quotedAt(text, 0);
  return quoted !== undefined && quoted.length === text.length ? quoted.inner : text;
}

/** Positions in a text that are not inside quotes, as a function; positions of the marks count as inside. */
function outsideOfQuotes(text: string): (at: number) => boolean {
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

/** One thing that the demo model was asked to do. */
export type DemoRequest =
  | { readonly kind: 'tool'; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: 'edit'; readonly path: string; readonly oldText: string; readonly newText: string }
  | { readonly kind: 'think'; readonly about: string }
  | { readonly kind: 'words'; readonly count: number }
  | { readonly kind: 'help' }
  | { readonly kind: 'stop' };

/** More words than this are not streamed, whatever was asked. */
const MAX_WORDS = 20_000;

const VERBS =
  'run|execute|exec|read|show|open|cat|write|create|edit|change|replace|list|ls|find|search|grep|think|stream|call|help';
const POLITE = /^(?:please|now|also|and|then|first|next|finally|ok|okay|just|(?:can|could|would|will) you)\b[\s,:]*/i;

/**
 * What a message of the user asks for, step by step; empty when it is nothing the demo knows. Steps are joined by
 * "then" before a known verb; quoted text is never taken apart.
 */
export function parseRequests(text: string): readonly DemoRequest[] {
  const requests: DemoRequest[] = [];
  for (const part of splitSteps(text.trim())) {
    const request = parseRequest(part);
    if (request !== undefined) requests.push(request);
  }
  return requests;
}

function splitSteps(text: string): string[] {
  const outside = outsideOfQuotes(text);
  const joint = new RegExp(`[\\s,;.]+(?:and\\s+)?then,?\\s+(?=(?:please\\s+|also\\s+)*(?:${VERBS})\\b)`, 'gi');
  const parts: string[] = [];
  let start = 0;
  for (const match of text.matchAll(joint)) {
    if (!outside(match.index)) continue;
    parts.push(text.slice(start, match.index));
    start = match.index + match[0].length;
  }
  parts.push(text.slice(start));
  return parts.map(part => part.trim()).filter(part => part !== '');
}

function parseRequest(part: string): DemoRequest | undefined {
  let text = part;
  while (POLITE.test(text)) text = text.replace(POLITE, '');
  for (const [pattern, parse] of FORMS) {
    const match = pattern.exec(text);
    if (match !== null) return parse(text.slice(match[0].length).trim());
  }
  return undefined;
}

type Parse = (rest: string) => DemoRequest | undefined;

const FORMS: readonly (readonly [RegExp, Parse])[] = [
  [/^(?:run|execute|exec)\b(?:\s+the\s+command\b)?:?/i, parseRun],
  [/^(?:search|grep)\b(?:\s+for\b)?:?/i, rest => parsePattern('grep', rest)],
  [/^find\b(?:\s+files?\b(?:\s+(?:named|matching)\b)?)?:?/i, rest => parsePattern('find', rest)],
  [/^(?:list|ls)\b(?:\s+(?:the\s+)?(?:files|folder|directory|contents)\b)?:?/i, parseList],
  [/^(?:write|create)\b(?:\s+(?:the\s+)?(?:a\s+)?(?:new\s+)?file\b)?/i, parseWrite],
  [/^(?:edit|change)\b(?:\s+(?:the\s+)?file\b)?/i, parseEdit],
  [/^replace\b/i, parseReplaceIn],
  [/^(?:read|show|open|cat)\b(?:\s+me\b)?(?:\s+(?:the\s+)?file\b)?:?/i, parseRead],
  [/^think\b(?:\s+(?:hard\s+)?about\b)?:?/i, rest => ({ kind: 'think', about: withoutStop(rest) || 'this' })],
  [/^stream\b/i, parseWords],
  [/^call\b(?:\s+(?:the\s+)?tool\b)?/i, parseCall],
  [/^(?:stop|cancel|never\s*mind|abort)\b[\s.!]*$/i, () => ({ kind: 'stop' })],
  [/^(?:help|what can you do)\b/i, () => ({ kind: 'help' })],
];

function parseRun(rest: string): DemoRequest | undefined {
  // The text in backticks is the command; the text after it is prose. Quotes may be part of a command.
  const marked = rest.startsWith('`') ? quotedAt(rest, 0)?.inner : undefined;
  const command = marked ?? unquoted(withoutStopAfterQuote(rest));
  return command.trim() === '' ? undefined : tool('bash', { command });
}

function parseRead(rest: string): DemoRequest | undefined {
  const path = name(rest);
  return path === '' ? undefined : tool('read', { path });
}

function parseList(rest: string): DemoRequest {
  const path = name(rest.replace(/^(?:in|of)\b\s*/i, ''));
  return tool('ls', path === '' ? {} : { path });
}

function parsePattern(toolName: 'find' | 'grep', rest: string): DemoRequest | undefined {
  const { first, after } = takeName(rest, /\s+in\s+/i);
  if (first === '') return undefined;
  const path = name(after.replace(/^\s*in\s+/i, ''));
  return tool(toolName, {
    pattern: first,
    ...(path === '' ? {} : { path }),
    ...(toolName === 'grep' ? { literal: true } : {}),
  });
}

function parseWrite(rest: string): DemoRequest | undefined {
  const { first, after } = takeName(rest, /:(?=\s|$)|\s+with\s+/i);
  const joint = /^\s*(?::\s?|with\s+)/i.exec(after);
  if (first === '') return undefined;
  if (joint !== null) return tool('write', { path: first, content: unquoted(after.slice(joint[0].length)) });
  const target = /^\s+(?:to|into|in)\s+/i.exec(after);
  const path = target === null ? '' : name(after.slice(target[0].length));
  return path === '' ? undefined : tool('write', { path, content: first });
}

function parseEdit(rest: string): DemoRequest | undefined {
  const { first, after } = takeName(rest, /:\s+(?=replace\b)|\s+(?=replace\b)/i);
  const change = parseReplacement(after.replace(/^\s*:?\s*(?:and\s+)?replace\s+/i, ''));
  return first === '' || change === undefined ? undefined : { kind: 'edit', path: first, ...change };
}

function parseReplaceIn(rest: string): DemoRequest | undefined {
  const outside = outsideOfQuotes(rest);
  const joints = [...rest.matchAll(/\s+in\s+/gi)].filter(match => outside(match.index));
  const last = joints.at(-1);
  if (last === undefined) return undefined;
  const change = parseReplacement(rest.slice(0, last.index));
  const path = name(rest.slice(last.index + last[0].length));
  return path === '' || change === undefined ? undefined : { kind: 'edit', path, ...change };
}

function parseReplacement(text: string): { readonly oldText: string; readonly newText: string } | undefined {
  const { first, after } = takeName(text, /\s+(?:with|by)(?=\s|$)/i);
  const joint = /^\s*(?:with|by)(?:\s+|$)/i.exec(after);
  if (first === '' || joint === null) return undefined;
  return { oldText: first, newText: unquoted(withoutStopAfterQuote(after.slice(joint[0].length))) };
}

function parseWords(rest: string): DemoRequest | undefined {
  const count = /^(\d+)\s*words?\b/i.exec(rest)?.[1];
  return count === undefined ? undefined : { kind: 'words', count: Math.min(Number(count), MAX_WORDS) };
}

function parseCall(rest: string): DemoRequest | undefined {
  const match = /^`?([\w.:/-]+)`?(?:\s+with)?\s*(\{.*\})?\s*$/s.exec(rest);
  if (match?.[1] === undefined) return undefined;
  try {
    const args: unknown = JSON.parse(match[2] ?? '{}');
    return tool(match[1], args as Record<string, unknown>);
  } catch {
    // Arguments that are not JSON: no request that could be carried out.
    return undefined;
  }
}

function tool(toolName: string, args: Readonly<Record<string, unknown>>): DemoRequest {
  return { kind: 'tool', name: toolName, args };
}

/** A name at the start of a text, quoted or up to where `end` matches, and what follows it. */
function takeName(text: string, end: RegExp): { readonly first: string; readonly after: string } {
  const quoted = quotedAt(text, 0);
  if (quoted !== undefined) return { first: quoted.inner, after: text.slice(quoted.length) };
  const at = text.search(end);
  if (at < 0) return { first: name(text), after: '' };
  return { first: text.slice(0, at).trim(), after: text.slice(at) };
}

function name(text: string): string {
  const quoted = quotedAt(text, 0);
  return quoted === undefined ? withoutStop(text) : quoted.inner;
}

/** Drops the full stop of a sentence, but neither that of `.` and `..` nor one of a file extension. */
function withoutStop(text: string): string {
  return text.trim().replace(/(?<=[^\s./\\])[.!?]$/, '');
}

function withoutStopAfterQuote(text: string): string {
  return text.replace(/(?<=[`"”»'])[.!?]$/, '');
}
