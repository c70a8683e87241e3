import type { Log } from '../../base/log';
import { messageOf } from '../../base/errors';

/** How long the agent waits for handlers of events that only inform, in ms; time spent in dialogs does not count. */
const PATIENCE_MS = 5000;
const TICK_MS = 250;

/**
 * Tells hooks what happens in a run, in order and one event at a time. The agent may wait for what was told so far
 * (the documents show lifecycle handlers as steps, reference D4) but is never held up by a handler that hangs: neither
 * for longer than the patience at once, nor for the same event again until that handler has ended.
 */
export class LifecycleQueue {
  /** Ends with the last event told; undefined while none waits, so that a run without listeners waits for nothing. */
  private tail: Promise<void> | undefined;
  /** Up to where a wait ran out of patience; until that is delivered nobody waits anew. */
  private givenUp: Promise<void> | undefined;
  /** Dispatches that went on by themselves and are not over, by event. */
  private readonly busy = new Map<string, number>();

  constructor(
    private readonly log: Log,
    /** True while a person is being asked something by a hook of this conversation. */
    private readonly isAsking: () => boolean,
    private readonly patienceMs = PATIENCE_MS,
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

  /** Resolves when everything told so far was delivered, when the patience is at its end, or at once on an abort. */
  async settled(signal?: AbortSignal): Promise<void> {
    const { tail } = this;
    if (tail === undefined || signal?.aborted === true || this.givenUp !== undefined) return;
    let onAbort = (): void => undefined;
    const aborted = new Promise<'aborted'>(resolve => {
      onAbort = () => resolve('aborted');
      signal?.addEventListener('abort', onAbort, { once: true });
    });
    const patience = this.patience();
    const end = await Promise.race([tail, aborted, patience.over]);
    patience.cancel();
    signal?.removeEventListener('abort', onAbort);
    if (end !== 'impatient') return;
    this.givenUp = tail;
    void tail.then(() => {
      if (this.givenUp === tail) this.givenUp = undefined;
    });
  }

  /** A dispatch that takes longer than the patience goes on by itself; the next event does not wait for it. */
  private async bounded(event: string, dispatch: () => Promise<unknown>): Promise<void> {
    const work = dispatch().catch((error: unknown) =>
      this.log.error(`Telling hooks of ${event} failed: ${messageOf(error)}`, error),
    );
    const isBusy = this.busy.has(event);
    const patience = isBusy ? aMoment() : this.patience();
    const end = await Promise.race([work, patience.over]);
    patience.cancel();
    if (end !== 'impatient') return;
    if (!isBusy) {
      this.log.warn(`A handler of ${event} is still busy after ${this.patienceMs} ms; the agent goes on without it.`);
    }
    this.busy.set(event, (this.busy.get(event) ?? 0) + 1);
    void work.then(() => {
      const left = (this.busy.get(event) ?? 1) - 1;
      if (left > 0) this.busy.set(event, left);
      else this.busy.delete(event);
    });
  }

  private patience(): Patience {
    const tick = Math.min(TICK_MS, this.patienceMs);
    let spent = 0;
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<'impatient'>(resolve => {
      timer = setInterval(() => {
        if (!this.isAsking()) spent += tick;
        if (spent >= this.patienceMs) resolve('impatient');
      }, tick);
    });
    return {
      over,
      cancel: () => clearInterval(timer),
    };
  }
}

interface Patience {
  readonly over: Promise<'impatient'>;
  readonly cancel: () => void;
}

/** Enough for handlers that only take note. */
function aMoment(): Patience {
  let timer: NodeJS.Immediate | undefined;
  const over = new Promise<'impatient'>(resolve => {
    timer = setImmediate(resolve, 'impatient');
  });
  return {
    over,
    cancel: () => clearImmediate(timer),
  };
}
