import type { FormattingOptions } from 'jsonc-parser';

/** How a JSON text is indented and ends its lines, so that a member that is added looks as the others; two blanks if unknown. */
export function formattingOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const insertSpaces = !indent.startsWith('\t');
  return {
    insertSpaces,
    tabSize: insertSpaces ? indent.length : 2,
    eol: /\r\n/.exec(text)?.[0] ?? '\n',
  };
}
