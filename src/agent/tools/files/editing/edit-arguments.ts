import { Type } from '@sinclair/typebox';
import { isRecord } from '../../../../base/json/is-record';
import type { ToolArguments } from '../../facts';

/** One replacement: a text that is in the file exactly once, and what takes its place. */
export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
}

/** The arguments of `edit`, as today's pi has them. */
export const editParameters = Type.Object({
  path: Type.String({ description: 'File to change, relative to the working directory or absolute' }),
  edits: Type.Array(
    Type.Object({
      oldText: Type.String({ description: 'Text to replace; it must occur in the file exactly once' }),
      newText: Type.String({ description: 'Text to put in its place' }),
    }),
    {
      description:
        'The replacements. Each oldText is searched for in the current file, not in the result of the other edits; ' +
        'they must not overlap. Join changes of neighboring lines into one edit.',
    },
  ),
});

/**
 * Converts what models also send instead of a list of edits to such a list: one edit as an object, the list or the edit as JSON
 * text, and `{ path, oldText, newText }`, the form before there were lists. Anything else stays as it is and fails the check of
 * the arguments.
 */
export function prepareEditArguments(args: unknown): unknown {
  if (!isRecord(args)) return args;
  const edits = editList(args['edits']);
  if (!isEdit(args)) return edits === args['edits'] ? args : { ...args, edits };
  const { oldText, newText, ...rest } = args;
  return { ...rest, edits: [...(Array.isArray(edits) ? (edits as unknown[]) : []), { oldText, newText }] };
}

function editList(edits: unknown): unknown {
  if (isEdit(edits)) return [edits];
  if (typeof edits !== 'string') return edits;
  const parsed = parsedJson(edits);
  if (isEdit(parsed)) return [parsed];
  return Array.isArray(parsed) ? parsed : edits;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the check of the arguments says what was expected.
    return undefined;
  }
}

/**
 * The two texts of a list of edits, for hooks that know only one edit. The texts of several edits are joined by line
 * ends, so that a hook that searches them finds everything.
 */
export function editPair(edits: readonly TextEdit[]): TextEdit {
  return {
    oldText: edits.map(({ oldText }) => oldText).join('\n'),
    newText: edits.map(({ newText }) => newText).join('\n'),
  };
}

/** The edits among arguments; undefined when they have another form. */
export function editsIn(args: ToolArguments): readonly TextEdit[] | undefined {
  const edits: unknown = args['edits'];
  return Array.isArray(edits) && edits.length > 0 && edits.every(isEdit) ? edits : undefined;
}

/** Whether a value has the two texts of an edit. */
function isEdit(value: unknown): value is TextEdit {
  return isRecord(value) && typeof value['oldText'] === 'string' && typeof value['newText'] === 'string';
}
