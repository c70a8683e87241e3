import { parseTree, printParseErrorCode, type ParseError } from 'jsonc-parser';

/**
 * What a JSON text holds. The runtime's own errors quote the text, and files that people write hold keys.
 * @throws Error that tells what is wrong and where, without a word of the text
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(faultIn(text));
  }
}

function faultIn(text: string): string {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return 'it is no JSON';
  const before = text.slice(0, first.offset).split('\n');
  // `CloseBraceExpected`: a name that reads as words.
  const fault = printParseErrorCode(first.error).replace(/(?<=[a-z])[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
  return `${fault} at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
