import type { EditedCall } from '../../hook-contract/conversation-approvals';

/** What the model reads below the result of a call that the user changed before they allowed it. */
export function editedResultText({ change }: EditedCall): string {
  return `The user changed the text of this call before they allowed it, so the file is not as you wrote it (- your text, + what was written):\n\n${change}`;
}

/** The reason of a refusal for the model, with what the user changed in the call before, if anything. */
export function withEdit(reason: string, edited: EditedCall | undefined): string {
  return edited === undefined
    ? reason
    : `${reason}\n\nThis is about a text that the user had changed before they allowed it (- your text, + theirs):\n\n${edited.change}`;
}
