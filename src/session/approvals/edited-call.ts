import * as l10n from '@vscode/l10n';
import { callDiff, type CallDiff } from '../../agent/tools/files/editing/call-diff';
import { editorText, inputForText } from '../../agent/tools/files/editing/call-for-text';
import { diffTexts } from '../../agent/tools/files/editing/diff';
import { withTarget } from '../../agent/tools/files/file-target';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';
import type { EditedCall } from '../../hook-contract/conversation-approvals';
import type { EditedText } from '../../hook-contract/ui/ui';

/** Larger files are not compared in an editor, in bytes. */
const MOST_BYTES = 20 * 1024 * 1024;
/** A longer difference is not sent to the model, in characters. */
const LONGEST_CHANGE = 20_000;

/**
 * What a call would make of its file as it is now, for an editor; undefined for a call that writes no file, or one whose place is
 * unclear. Writes nothing and never rejects.
 */
export async function changeForEditor(
  { kind, toolName, input, cwd, file }: CallDetails,
  signal?: AbortSignal,
): Promise<CallDiff | undefined> {
  if (kind !== 'writes' || file?.place === 'unclear') return undefined;
  return withTarget(file?.target, () => callDiff(toolName, input, cwd, { signal, mostBytes: MOST_BYTES }));
}

/** What a text that the user allowed comes to; `edited` is absent where it is the text of the call. `refused`: the call cannot make it, and the user must be told why. */
export type EditedAnswer =
  { readonly type: 'allowed'; readonly edited?: EditedCall } | { readonly type: 'refused'; readonly why: string };

/** The call that makes the text that the user allowed. It must be of the file with which the user compared the text. */
export async function editedCall(
  call: CallDetails,
  { edited: text, over }: EditedText,
  signal: AbortSignal | undefined,
): Promise<EditedAnswer> {
  const change = await changeForEditor(call, signal);
  if (change?.type !== 'change' || change.before !== over) {
    return {
      type: 'refused',
      why: l10n.t('The file was changed while you allowed your text, so nothing was written.'),
    };
  }
  const proposed = editorText(change.after);
  if (text === proposed) return { type: 'allowed' };
  const input = inputForText(call.toolName, call.input, change, text);
  if (input === undefined) {
    return { type: 'refused', why: l10n.t('Your text is the file as it is, so there is nothing to write.') };
  }
  const { diff } = diffTexts(proposed, text, 2);
  const isLong = diff.length > LONGEST_CHANGE;
  return {
    type: 'allowed',
    edited: {
      input,
      change: isLong ? 'The change is too long to be shown here. Read the file before you go on.' : diff,
    },
  };
}
