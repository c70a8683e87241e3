import { isDeepStrictEqual } from 'node:util';
import { copyData } from '../dispatch/copy';

/** The input of a call when the user last approved the call, if the user did. */
export class ApprovedInput {
  private approved: { readonly input: unknown } | undefined;

  /** Stores that the user approved the call with this input. `input` is copied, since hooks may change it later. */
  note(input: unknown): void {
    this.approved = { input: copyData(input) };
  }

  /** Whether the user approved the call with exactly this input. */
  covers(input: unknown): boolean {
    return this.approved !== undefined && isDeepStrictEqual(this.approved.input, input);
  }
}
