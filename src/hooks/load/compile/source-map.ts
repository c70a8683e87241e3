import type { SourceMapPayload } from 'node:module';

/** A place in a source text. */
export interface SourcePosition {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

const INLINE_MAP = /\n\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,([A-Za-z0-9+/=]+)\s*$/;

/**
 * Turns positions in compiled code, as stacks show them, into positions in the source. The map is decoded on first use.
 */
export class PositionMap {
  private segments: Int32Array | undefined;

  /** `code`: compiled code with its inline map, or that map alone; requested at most once. */
  constructor(private readonly code: () => string) {}

  /** The position in the source; `at` itself when the map has no entry for it. */
  original(at: SourcePosition): SourcePosition {
    const segments = (this.segments ??= segmentsOf(payloadOf(this.code()).mappings));
    let [first, end] = [0, segments.length / NUMBERS];
    while (first < end) {
      const middle = (first + end) >> 1;
      const line = segments[middle * NUMBERS] ?? 0;
      const column = segments[middle * NUMBERS + 1] ?? 0;
      if (line < at.line || (line === at.line && column <= at.column)) first = middle + 1;
      else end = middle;
    }
    const [, , line = NO_SOURCE, column = 0] = first === 0 ? [] : segments.subarray((first - 1) * NUMBERS);
    return line === NO_SOURCE ? at : { line, column };
  }
}

/** Splits compiled code into the code, which ends with a newline, and its inline map, which is empty if there is none. */
export function splitMap(code: string): { readonly bare: string; readonly map: string } {
  const at = code.lastIndexOf('\n//# sourceMappingURL=data:');
  return at === -1 ? { bare: code, map: '' } : { bare: code.slice(0, at + 1), map: code.slice(at) };
}

function payloadOf(code: string): SourceMapPayload {
  const encoded = INLINE_MAP.exec(code)?.[1];
  const payload: unknown = encoded === undefined ? EMPTY : JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  return isPayload(payload) ? payload : EMPTY;
}

/** Numbers of a segment: 1-based line and column in the compiled code, then those in the source. */
const NUMBERS = 4;
/** The line in the source of code that was not in the source. */
const NO_SOURCE = 0;

/** Decodes the mappings of a map of one source, in order; several times as fast as Node's `SourceMap`. */
function segmentsOf(mappings: string): Int32Array {
  // A segment has at least one letter and a separator.
  const segments = new Int32Array((mappings.length + 1) * (NUMBERS / 2));
  let end = 0;
  let line = 1;
  // The column, the number of the source, the line and column in it, and the number of a name; each as a change.
  const now = new Int32Array([1, 0, 1, 1, 0]);
  let field = 0;
  let bits = 0;
  let shift = 0;
  for (let index = 0; index <= mappings.length; index++) {
    const letter = index === mappings.length ? COMMA : mappings.charCodeAt(index);
    if (letter === COMMA || letter === SEMICOLON) {
      if (field > 0) end = put(segments, end, { line, now, hasSource: field > 1 });
      field = 0;
      if (letter === SEMICOLON) {
        line++;
        now[0] = 1;
      }
      continue;
    }
    const digit = DIGIT_OF[letter] ?? 0;
    bits |= (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    now[field] = (now[field] ?? 0) + (bits & 1 ? -(bits >> 1) : bits >> 1);
    field++;
    bits = 0;
    shift = 0;
  }
  return segments.slice(0, end);
}

interface Segment {
  readonly line: number;
  readonly now: Int32Array;
  readonly hasSource: boolean;
}

/** Returns the place of the next segment. */
function put(segments: Int32Array, at: number, { line, now, hasSource }: Segment): number {
  segments[at] = line;
  segments[at + 1] = now[0] ?? 0;
  segments[at + 2] = hasSource ? (now[2] ?? 0) : NO_SOURCE;
  segments[at + 3] = now[3] ?? 0;
  return at + NUMBERS;
}

const COMMA = 44;
const SEMICOLON = 59;

const EMPTY: SourceMapPayload = {
  file: '',
  version: 3,
  sources: [],
  sourcesContent: [],
  names: [],
  mappings: '',
  sourceRoot: '',
};

function isPayload(value: unknown): value is SourceMapPayload {
  return typeof value === 'object' && value !== null && 'mappings' in value && typeof value.mappings === 'string';
}

/**
 * Adds `by` to the generated columns of line 1 in the inline map of `code`; code without a map is returned unchanged.
 */
export function shiftFirstLine(code: string, by: number): string {
  const payload = payloadOf(code);
  if (payload === EMPTY) return code;
  const end = payload.mappings.indexOf(';');
  const first = end === -1 ? payload.mappings : payload.mappings.slice(0, end);
  if (first === '') return code;
  const { value, length } = decodeVlq(first);
  const mappings = encodeVlq(value + by) + first.slice(length) + (end === -1 ? '' : payload.mappings.slice(end));
  const encoded = Buffer.from(JSON.stringify({ ...payload, mappings })).toString('base64');
  return code.replace(INLINE_MAP, () => `\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,${encoded}`);
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const DIGIT_OF = new Uint8Array(128);
for (let digit = 0; digit < DIGITS.length; digit++) DIGIT_OF[DIGITS.charCodeAt(digit)] = digit;

function decodeVlq(text: string): { readonly value: number; readonly length: number } {
  let bits = 0;
  let shift = 0;
  let length = 0;
  let digit: number;
  do {
    digit = DIGITS.indexOf(text.charAt(length));
    bits |= (digit & 31) << shift;
    shift += 5;
    length += 1;
  } while (digit & 32);
  return { value: bits & 1 ? -(bits >> 1) : bits >> 1, length };
}

function encodeVlq(value: number): string {
  let bits = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = '';
  do {
    const digit = bits & 31;
    bits >>= 5;
    text += DIGITS.charAt(bits > 0 ? digit | 32 : digit);
  } while (bits > 0);
  return text;
}
