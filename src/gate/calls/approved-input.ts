import { isDeepStrictEqual } from 'node:util';
import { copyData } from '../../hook-contract/copy';
import type { AskedCall } from '../../hook-contract/approvals/asked-call';
import { callTargets } from './call-targets';
import { isNamedInDialog } from './named-in-dialog';

/** The input with which the user approved a call in a dialog of a hook, if the user did. */
export class ApprovedInput {
  private approved: { readonly input: unknown; readonly isEdited: boolean } | undefined;

  constructor(private readonly call: Pick<AskedCall, 'kind' | 'cwd'>) {}

  /**
   * A hook that can block the call opens a dialog with these texts. Returns what to call with the answer; undefined when
   * the dialog does not name what the call acts on, so that its answer is not about the call. The answer is about the input
   * of this moment, and the last one counts.
   */
  dialog(input: Readonly<Record<string, unknown>>, texts: readonly string[]): ((isYes: boolean) => void) | undefined {
    const shown = copyData(input);
    if (!isNamedInDialog(callTargets({ ...this.call, input: shown }), texts)) return undefined;
    return isYes => {
      this.approved = isYes ? { input: shown, isEdited: false } : undefined;
    };
  }

  /** The user approved the call in a question of Hookline that showed this complete input. */
  note(input: unknown): void {
    this.approved = { input, isEdited: false };
  }

  /** The user changed the call to this input and allowed it so, in the question of the built-in gate. */
  noteEdited(input: unknown): void {
    this.approved = { input, isEdited: true };
  }

  /** Whether the user approved the call with exactly this input. */
  covers(input: unknown): boolean {
    return this.approved !== undefined && isDeepStrictEqual(this.approved.input, input);
  }

  /** Whether the built-in gate has its answer about exactly this input, because the user wrote it there. */
  isEdited(input: unknown): boolean {
    return this.approved?.isEdited === true && this.covers(input);
  }
}
