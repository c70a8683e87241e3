/** A text in lines, and where the caret is in it, both from 0, as pi-tui has it. */
export interface TextPlace {
  readonly lines: string[];
  readonly line: number;
  readonly column: number;
}

/** The place of a caret that is given as an offset. */
export function caretPlace(text: string, caret: number): TextPlace {
  const before = text.slice(0, caret).split('\n');
  return { lines: text.split('\n'), line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}

/** The offset of a place. */
export function caretOf({ lines, line, column }: TextPlace): number {
  return lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + column;
}
