import type { CallDiff } from '../../agent/tools/files/editing/call-diff';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';

/** What a call makes of the text of its file. */
export type TextChange = Extract<CallDiff, { readonly type: 'change' }>;

/** The text that an editor has, compared with the change that it began with. Both are in the form of `editorText`. */
export interface ReviewedText {
  readonly text: string;
  /** The text of the file and the text of the call as the diff shows them. */
  readonly shown: TextChange;
}

/** What an approval of a text comes to. */
export type TextApproval =
  /** The call is allowed as it is. */
  | { readonly type: 'asItIs' }
  /** The call is allowed with this text. */
  | { readonly type: 'edited'; readonly text: string }
  /** Nothing is allowed. The file is another one than the diff showed; the diff must show `now`. */
  | { readonly type: 'moved'; readonly now: TextChange }
  /** Nothing is allowed: the call does not fit the file any more. */
  | { readonly type: 'misfit' }
  /** Nothing is allowed: the text is the file as it is, which the call cannot make. */
  | { readonly type: 'unchanged' };

/**
 * Decides what the approval of a text means. `now`: what the call makes of the file at this moment; `plain` gives a text in the
 * form of `editorText`. Nothing is allowed unless the user saw exactly the file that is written over.
 */
export function approvalOf(
  { toolName }: Pick<CallDetails, 'toolName'>,
  { text, shown }: ReviewedText,
  now: CallDiff | undefined,
  plain: (text: string) => string,
): TextApproval {
  if (now?.type !== 'change') return { type: 'misfit' };
  const isEdited = text !== plain(shown.after);
  if (now.before !== shown.before || (!isEdited && now.after !== shown.after)) return { type: 'moved', now };
  if (!isEdited) return { type: 'asItIs' };
  if (toolName === 'edit' && now.before !== null && text === plain(now.before)) return { type: 'unchanged' };
  return { type: 'edited', text };
}
