import { textArgument, type ToolArguments } from '../../facts';
import type { CallDiff } from './call-diff';
import { backByLines, lineReplacements, onByLines, replaced, type Replacement } from './diff';
import type { TextEdit } from './edit-arguments';
import { lineEndAt, toLf } from './edit-match';
import { planEdits } from './edit-plan';

const BOM = '\ufeff';

/** The text of a file as an editor has it: without the mark at its start, each line ending with a line feed. */
export function editorText(text: string): string {
  return toLf(text.startsWith(BOM) ? text.slice(BOM.length) : text);
}

/**
 * The input with which a call of `write` or `edit` makes another text of its file. `text` is the wanted text in the form of
 * {@link editorText}. Lines that stay keep their line ends, new lines get those of their neighbors, and the mark at the start
 * stays. Undefined if no input of the tool makes this text: an `edit` cannot leave a file as it is.
 */
export function inputForText(
  toolName: string,
  input: ToolArguments,
  { before, after }: Extract<CallDiff, { readonly type: 'change' }>,
  text: string,
): Record<string, unknown> | undefined {
  switch (toolName) {
    case 'write':
      return { ...input, content: withText(textArgument(input, 'content'), text) };
    case 'edit': {
      if (editorText(after) === text) return { ...input };
      const edits = before === null ? undefined : editsFor(before, text);
      return edits && { path: input['path'], edits };
    }
    default:
      return undefined;
  }
}

/** The given text with other lines. */
function withText(given: string, text: string): string {
  const bom = given.startsWith(BOM) ? BOM : '';
  const own = given.slice(bom.length);
  const offset = offsetsIn(own);
  const parts = lineReplacements(toLf(own), text).map(({ start, end, inserted }) => {
    const from = offset(start);
    return { start: from, end: offset(end), inserted: inserted.replaceAll('\n', lineEndAt(own, from)) };
  });
  return bom + replaced(own, { from: 0, to: own.length, parts });
}

/** Carries offsets in the text with line feeds alone over to the text itself; to be asked for in order. */
function offsetsIn(text: string): (plainOffset: number) => number {
  const lineEnds = /\r\n/g;
  let passed = 0;
  let next = lineEnds.exec(text);
  return plainOffset => {
    while (next !== null && next.index - passed < plainOffset) {
      passed += 1;
      next = lineEnds.exec(text);
    }
    return plainOffset + passed;
  };
}

/** Edits that make the wanted text of the text of a file; undefined if there are none. */
function editsFor(before: string, text: string): readonly TextEdit[] | undefined {
  const file = before.startsWith(BOM) ? before.slice(BOM.length) : before;
  const plain = toLf(file);
  const replacements = lineReplacements(plain, text);
  const edits = uniqueParts(plain, replacements).map(({ from, to }) => ({
    oldText: plain.slice(from, to),
    newText: replaced(plain, { from, to, parts: replacements.filter(({ start, end }) => start >= from && end <= to) }),
  }));
  return makes(edits, file) === text ? edits : undefined;
}

/** What the matcher of the tool makes of a file; undefined if the edits do not fit. */
function makes(edits: readonly TextEdit[], file: string): string | undefined {
  try {
    return toLf(replaced(file, { from: 0, to: file.length, parts: planEdits(file, edits, '') }));
  } catch {
    return undefined; // The caller says in other words that there is no such edit.
  }
}

/** A part of a text. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** The surroundings of replacements, each as small as it can be and in the text only once; those that meet are one. */
function uniqueParts(text: string, replacements: readonly Replacement[]): readonly Part[] {
  const parts: Part[] = [];
  for (const replacement of replacements) {
    const part = uniquePart(text, replacement);
    const last = parts.at(-1);
    if (last === undefined || last.to < part.from) parts.push(part);
    else parts[parts.length - 1] = { from: last.from, to: Math.max(last.to, part.to) };
  }
  return parts;
}

function uniquePart(text: string, { start, end }: Replacement): Part {
  for (let lines = 0; ; lines = Math.max(1, 2 * lines)) {
    const from = backByLines(text, start, lines + 1);
    const to = onByLines(text, end, lines);
    const isWhole = from === 0 && to === text.length;
    if (isWhole || (to > from && isOnce(text, text.slice(from, to)))) return { from, to };
  }
}

function isOnce(text: string, part: string): boolean {
  return text.indexOf(part, text.indexOf(part) + 1) === -1;
}
