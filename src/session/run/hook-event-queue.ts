import type { Log } from '../../base/log';
import { messageOf } from '../../base/errors';
import { unlessAborted, withTimeout } from '../../base/async/wait';

/** How long the agent waits for handlers of events that only inform, in ms; time spent in dialogs does not count. */
const WAIT_LIMIT_MS = 5000;

/**
 * Sends the events of a run to hooks, in order and one at a time. The agent may wait until hooks handled the events so
 * far. A handler that hangs delays it only up to a limit, and not again for the same event until that handler ends.
 */
export class HookEventQueue {
  /** Ends with the last queued event; undefined while none waits, so that a run without listeners does not wait. */
  private tail: Promise<void> | undefined;
  /** The end of the queue when a wait took too long. Until that event is delivered, there is no other wait. */
  private givenUp: Promise<void> | undefined;
  /** Dispatches that continue in the background, by event. */
  private readonly busy = new Map<string, number>();

  constructor(
    private readonly log: Log,
    /** True while a user is being asked something by a hook of this conversation. */
    private readonly isAsking: () => boolean,
    private readonly waitLimitMs = WAIT_LIMIT_MS,
  ) {}

  /** Queues one dispatch; never throws. */
  enqueue(event: string, dispatch: () => Promise<unknown>): void {
    const before = this.tail ?? Promise.resolve();
    const delivered = before
      .then(() => this.bounded(event, dispatch))
      .then(() => {
        if (this.tail === delivered) this.tail = undefined;
      });
    this.tail = delivered;
  }

  /** Resolves when all queued events were delivered, when that takes too long, or at once on an abort. */
  async whenDelivered(signal?: AbortSignal): Promise<void> {
    const { tail } = this;
    if (tail === undefined || signal?.aborted === true || this.givenUp !== undefined) return;
    const end = await this.unlessLate(unlessAborted(tail, signal, () => undefined));
    if (end !== 'late') return;
    this.givenUp = tail;
    void tail.then(() => {
      if (this.givenUp === tail) this.givenUp = undefined;
    });
  }

  /** A dispatch that takes too long continues in the background; the next event does not wait for it. */
  private async bounded(event: string, dispatch: () => Promise<unknown>): Promise<void> {
    const work = dispatch().then(
      () => undefined,
      (error: unknown) => this.log.error(`Sending ${event} to hooks failed: ${messageOf(error)}`, error),
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

/** Long enough for handlers that only record the event. */
function aMoment(): Promise<'late'> {
  return new Promise(resolve => setImmediate(resolve, 'late'));
}
