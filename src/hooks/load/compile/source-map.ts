import { SourceMap, type SourceMapPayload } from 'node:module';

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
  private map: SourceMap | undefined;

  /** `code`: compiled code with its inline map, or that map alone; requested at most once. */
  constructor(private readonly code: () => string) {}

  /** The position in the source; `at` itself when the map has no entry for it. */
  original(at: SourcePosition): SourcePosition {
    this.map ??= new SourceMap(payloadOf(this.code()));
    const found = this.map.findEntry(at.line - 1, at.column - 1);
    if (!('originalLine' in found)) return at;
    return { line: found.originalLine + 1, column: found.originalColumn + 1 };
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
