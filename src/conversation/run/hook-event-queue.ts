import type { Log } from '../../base/log';
import { messageOf } from '../../base/errors';
import { unlessAborted, withTimeout } from '../../base/wait';

/** How long the agent waits for handlers of events that only inform, in ms; time spent in dialogs does not count. */
const WAIT_LIMIT_MS = 5000;

/**
 * Tells hooks what happens in a run, in order and one event at a time. The agent may wait until they handled the events so far
 * but is never held up by a handler that hangs: neither
 * for longer than a limit at once, nor for the same event again until that handler has ended.
 */
export class HookEventQueue {
  /** Ends with the last event told; undefined while none waits, so that a run without listeners waits for nothing. */
  private tail: Promise<void> | undefined;
  /** Up to where a wait took too long; until that is delivered nobody waits again. */
  private givenUp: Promise<void> | undefined;
  /** Dispatches that went on by themselves and are not over, by event. */
  private readonly busy = new Map<string, number>();

  constructor(
    private readonly log: Log,
    /** True while a user is being asked something by a hook of this conversation. */
    private readonly isAsking: () => boolean,
    private readonly waitLimitMs = WAIT_LIMIT_MS,
  ) {}

  /** Queues one dispatch; nothing is thrown to the caller. */
  tell(event: string, dispatch: () => Promise<unknown>): void {
    const before = this.tail ?? Promise.resolve();
    const delivered = before
      .then(() => this.bounded(event, dispatch))
      .then(() => {
        if (this.tail === delivered) this.tail = undefined;
      });
    this.tail = delivered;
  }

  /** Resolves when everything told so far was delivered, when that takes too long, or at once on an abort. */
  async settled(signal?: AbortSignal): Promise<void> {
    const { tail } = this;
    if (tail === undefined || signal?.aborted === true || this.givenUp !== undefined) return;
    const end = await this.unlessLate(unlessAborted(tail, signal, () => undefined));
    if (end !== 'late') return;
    this.givenUp = tail;
    void tail.then(() => {
      if (this.givenUp === tail) this.givenUp = undefined;
    });
  }

  /** A dispatch that takes too long goes on by itself; the next event does not wait for it. */
  private async bounded(event: string, dispatch: () => Promise<unknown>): Promise<void> {
    const work = dispatch().then(
      () => undefined,
      (error: unknown) => this.log.error(`Telling hooks of ${event} failed: ${messageOf(error)}`, error),
    );
    const isBusy = this.busy.has(event);
    const end = isBusy ? await Promise.race([work, aMoment()]) : await this.unlessLate(work);
    if (end !== 'late') return;
    if (!isBusy) {
      this.log.warn(`A handler of ${event} is still busy after ${this.waitLimitMs} ms; the agent goes on without it.`);
    }
    this.busy.set(event, (this.busy.get(event) ?? 0) + 1);
    void work.then(() => {
      const left = (this.busy.get(event) ?? 1) - 1;
      if (left > 0) this.busy.set(event, left);
      else this.busy.delete(event);
    });
  }

  /** Time that a user takes to answer a hook does not count. */
  private unlessLate(work: Promise<void>): Promise<unknown> {
    return withTimeout(work, this.waitLimitMs, () => 'late' as const, this.isAsking);
  }
}

/** Enough for handlers that only take note. */
function aMoment(): Promise<'late'> {
  return new Promise(resolve => setImmediate(resolve, 'late'));
}
