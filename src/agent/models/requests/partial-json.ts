import { parse as parsePartial } from 'partial-json';
import { isTooDeepText } from './reply-bounds';

/**
 * Takes the place of pi-ai's `utils/json-parse` in the bundle, with the same three exports.
 * pi-ai parses the whole argument text again at each delta, which is quadratic: 200 kB of arguments stop the extension
 * host for seconds. Here a long text is parsed again only after it grew by a fraction or some time passed; until then
 * the last result stands, which is what a slightly earlier call would have returned. A text that was seen before (the
 * providers' last call) or that nothing is known about is always parsed in full, so final arguments are exactly equal.
 */

/** Texts below this length are always parsed. */
const SHORT = 4_096;
/** From this length on a text is remembered, so that two that grow past {@link SHORT} at the same time are distinguished. */
const REMEMBERED = SHORT / 2;
/** Growth after which a long text is parsed again. */
const GROWTH = 1.5;
/** Growth after which it is checked that the text still continues the one it is taken for. */
const CHECK_GROWTH = 1.05;
/** A parse that takes t ms is repeated at the earliest after 30 t, and after this many ms, however little came. */
const MIN_PAUSE_MS = 100;
const PAUSE_PER_COST = 30;
/** A continuation this much longer than the last text is believed without a look at its characters. */
const USUAL_DELTA = 512;
/** A longer delta, as a part of the whole, is parsed at once: it may be a call of its own that only begins alike. */
const LEAP = 1 / 16;
/** How many calls are remembered, including finished ones. A forgotten call is parsed again from the beginning. */
const MAX_STREAMS = 16;

interface ArgumentStream {
  /** The last text that was passed in. Never read its characters without need: that would flatten a rope. */
  text: string;
  checkedLength: number;
  parsedLength: number;
  nextParseAt: number;
  value: unknown;
  /** The text is whole JSON, which nothing can continue. */
  isComplete: boolean;
}

/**
 * Most recently used last. Entries stay after the last call for their text: an equal text must not be taken for more.
 */
let streams: ArgumentStream[] = [];

/**
 * The value of JSON that may be cut anywhere; `{}` when there is none, or when it is nested too deep. The result of a partial text may be that of a
 * shorter prefix of it and may be shared with the call before; treat it as read-only.
 */
export function parseStreamingJson(partialJson: string | undefined): unknown {
  return partialJson === undefined || partialJson === '' ? {} : parseNow(partialJson);
}

function parseNow(text: string): unknown {
  if (text.length < REMEMBERED) return parseWhatIsThere(text).value;
  const known = streams.find(stream => stream.text.length === text.length && stream.text === text);
  if (known !== undefined) return parseWhatIsThere(text).value;
  const stream = continued(text);
  if (stream === undefined) return begin(text);
  const delta = text.length - stream.text.length;
  stream.text = text;
  streams = [...streams.filter(other => other !== stream), stream];
  const isLeap = delta > Math.max(USUAL_DELTA, text.length * LEAP);
  const isDue = text.length >= stream.parsedLength * GROWTH || performance.now() >= stream.nextParseAt;
  return isDue || isLeap || text.length < SHORT ? refresh(stream) : stream.value;
}

/** The stream that a text continues. Characters are compared only when length alone does not tell, and now and then. */
function continued(text: string): ArgumentStream | undefined {
  const shorter = streams.filter(stream => !stream.isComplete && stream.text.length < text.length);
  const likely = shorter.filter(stream => text.length - stream.text.length <= USUAL_DELTA);
  const [only] = text.length < SHORT ? [] : likely;
  if (only !== undefined && likely.length === 1 && text.length < only.checkedLength * CHECK_GROWTH) return only;
  const found = [...likely, ...shorter].find(stream => text.startsWith(stream.text));
  if (found !== undefined) found.checkedLength = text.length;
  return found;
}

function begin(text: string): unknown {
  const stream: ArgumentStream = {
    text,
    checkedLength: text.length,
    parsedLength: 0,
    nextParseAt: 0,
    value: undefined,
    isComplete: false,
  };
  streams = [...streams.slice(1 - MAX_STREAMS), stream];
  return refresh(stream);
}

function refresh(stream: ArgumentStream): unknown {
  const startedAt = performance.now();
  const { value, isComplete } = parseWhatIsThere(stream.text);
  const now = performance.now();
  stream.value = value;
  stream.isComplete = isComplete;
  stream.parsedLength = stream.text.length;
  stream.nextParseAt = now + Math.max(MIN_PAUSE_MS, (now - startedAt) * PAUSE_PER_COST);
  return value;
}

function parseWhatIsThere(text: string): { readonly value: unknown; readonly isComplete: boolean } {
  if (text.trim() === '' || isTooDeepText(text)) return { value: {}, isComplete: false };
  try {
    return { value: parseJsonWithRepair(text), isComplete: true };
  } catch {
    // Not complete: the usual case while arguments stream in.
  }
  for (const candidate of [() => text, () => repairJson(text)]) {
    try {
      return { value: parsePartial(candidate()) ?? {}, isComplete: false };
    } catch {
      // Not even the beginning of JSON; the repaired text may be.
    }
  }
  return { value: {}, isComplete: false };
}

/**
 * Parses JSON, if need be after {@link repairJson}.
 * @throws SyntaxError when neither text is JSON
 */
export function parseJsonWithRepair(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const repaired = repairJson(json);
    if (repaired !== json) return JSON.parse(repaired);
    throw error;
  }
}

const NEEDS_REPAIR = /["\\]|[\u0000-\u001f]/g; // eslint-disable-line no-control-regex -- control characters are the point

/** Escapes raw control characters inside strings, and doubles backslashes that begin no valid escape. */
export function repairJson(json: string): string {
  const parts: string[] = [];
  let copied = 0;
  let inString = false;
  NEEDS_REPAIR.lastIndex = 0;
  for (let match = NEEDS_REPAIR.exec(json); match !== null; match = NEEDS_REPAIR.exec(json)) {
    const [char] = match;
    const at = match.index;
    if (char === '"') inString = !inString;
    else if (inString && char === '\\') {
      const length = escapeLength(json, at);
      if (length === 0) {
        parts.push(json.slice(copied, at), '\\\\');
        copied = at + 1;
      } else NEEDS_REPAIR.lastIndex = at + length;
    } else if (inString) {
      parts.push(json.slice(copied, at), escapeControl(char));
      copied = at + 1;
    }
  }
  return copied === 0 ? json : parts.join('') + json.slice(copied);
}

/** Characters of the valid escape at a backslash, 0 when there is none. pi-ai takes `\u` without digits for valid. */
function escapeLength(json: string, at: number): number {
  const next = json.charAt(at + 1);
  if (next === 'u' && /^[0-9a-fA-F]{4}$/.test(json.slice(at + 2, at + 6))) return 6;
  return next !== '' && '"\\/bfnrtu'.includes(next) ? 2 : 0;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function escapeControl(char: string): string {
  return SHORT_ESCAPES[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
