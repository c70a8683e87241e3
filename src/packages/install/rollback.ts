import { messageOf } from '../../base/errors';

type Step = () => Promise<unknown>;

/** Steps that are taken back, the last one first, unless everything succeeds. */
export class Rollback {
  private readonly undoing: Step[] = [];
  private readonly clearing: Step[] = [];

  private constructor() {}

  /** Runs `work`; when it rejects, what it did is taken back before this rejects with the same error. */
  static async run<T>(work: (steps: Rollback) => Promise<T>): Promise<T> {
    const steps = new Rollback();
    let value: T;
    try {
      value = await work(steps);
    } catch (error) {
      await steps.takeBack(error);
      throw error;
    }
    // What is left over of the state before is found by the next installation.
    for (const clear of steps.clearing) await clear().catch(() => undefined);
    return value;
  }

  /** To be called at once after a step: takes it back when a later one fails. */
  ifItFails(undo: Step): void {
    this.undoing.push(undo);
  }

  /** Clears away, once all is done, what was only kept in order to go back. */
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
