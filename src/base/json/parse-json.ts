import { parseTree, printParseErrorCode, type ParseError } from 'jsonc-parser';

/**
 * Parses a JSON text. The errors of the runtime quote the text, and files that people write contain keys.
 * @throws Error that says what is wrong and where, without quoting the text
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const fault = jsonFault(text);
    throw new Error(
      fault === undefined ? 'it is not JSON' : `${fault.what} at line ${fault.line}, column ${fault.column}`,
    );
  }
}

/** The first syntax error of a JSON text, in words that do not quote the text. */
export interface JsonFault {
  readonly what: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

/** The first syntax error of a JSON text; undefined when there is none. */
export function jsonFault(text: string): JsonFault | undefined {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return undefined;
  const before = text.slice(0, first.offset).split('\n');
  // `CloseBraceExpected`: a name that reads as words.
  const what = printParseErrorCode(first.error).replace(/(?<=[a-z])[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
  return { what, line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
