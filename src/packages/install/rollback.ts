import { messageOf } from '../../base/errors';

type Step = () => Promise<unknown>;

/** Steps that are undone, the last one first, unless everything succeeds. */
export class Rollback {
  private readonly undoing: Step[] = [];
  private readonly clearing: Step[] = [];

  private constructor() {}

  /**
   * Runs `work`. When it rejects, its steps are undone; then this rejects with the same error, or says what is left.
   */
  static async run<T>(work: (steps: Rollback) => Promise<T>): Promise<T> {
    const steps = new Rollback();
    let value: T;
    try {
      value = await work(steps);
    } catch (error) {
      await steps.takeBack(error);
      throw error;
    }
    // If clearing fails, the next installation removes what is left.
    for (const clear of steps.clearing) await clear().catch(() => undefined);
    return value;
  }

  /** Registers how to undo a step if a later one fails. Call this right after the step. */
  ifItFails(undo: Step): void {
    this.undoing.push(undo);
  }

  /** Registers how to remove what was kept only for undoing; runs after everything succeeded. */
  whenDone(clear: Step): void {
    this.clearing.push(clear);
  }

  private async takeBack(cause: unknown): Promise<void> {
    const failures: string[] = [];
    for (const undo of this.undoing.reverse()) {
      await undo().catch((error: unknown) => failures.push(messageOf(error)));
    }
    if (failures.length === 0) return;
    throw new Error(`${messageOf(cause)} Not everything could be put back: ${failures.join('; ')}`, { cause });
  }
}
