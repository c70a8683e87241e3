import { isDeepStrictEqual } from 'node:util';
import { copyData } from '../dispatch/copy';

/** The input of a call as it was when the user last said yes to it, if they did. */
export class ApprovedInput {
  private approved: { readonly input: unknown } | undefined;

  /** The user said yes; `input` may be changed later. */
  note(input: unknown): void {
    this.approved = { input: copyData(input) };
  }

  /** Whether the user said yes to exactly this. */
  covers(input: unknown): boolean {
    return this.approved !== undefined && isDeepStrictEqual(this.approved.input, input);
  }
}
