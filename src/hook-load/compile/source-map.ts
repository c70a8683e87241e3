import type { SourceMapPayload } from 'node:module';
import { decode, encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec';
import type { SourcePosition } from '../../hook-contract/source-place';

const INLINE_MAP = /\n\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,([A-Za-z0-9+/=]+)\s*$/;

/**
 * Turns positions in compiled code, as stacks show them, into positions in the source. The map is decoded on first use.
 */
export class PositionMap {
  /** By line, in order of their columns; all numbers are 0-based. */
  private lines: SourceMapMappings | undefined;

  /** `code`: compiled code with its inline map, or that map alone; requested at most once. */
  constructor(private readonly code: () => string) {}

  /** The position in the source; `at` itself when the map has no entry for it. */
  original(at: SourcePosition): SourcePosition {
    this.lines ??= decode(payloadOf(this.code()).mappings);
    const onLine = this.lines[at.line - 1]?.findLast(([column]) => column < at.column);
    // Code without a segment belongs to the segment before it, on whichever line.
    const segment =
      onLine ??
      this.lines
        .slice(0, at.line - 1)
        .findLast(each => each.length > 0)
        ?.at(-1);
    const [, , line, column] = segment ?? [];
    return line === undefined || column === undefined ? at : { line: line + 1, column: column + 1 };
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
  const lines = decode(payload.mappings);
  for (const segment of lines[0] ?? []) segment[0] += by;
  const mappings = encode(lines);
  const encoded = Buffer.from(JSON.stringify({ ...payload, mappings })).toString('base64');
  return code.replace(INLINE_MAP, () => `\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,${encoded}`);
}
