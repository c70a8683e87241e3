import type { Log } from '../base/log';
import { messageOf } from '../base/errors';

/** How long the agent waits for handlers of events that only inform, in ms; time spent in dialogs does not count. */
const PATIENCE_MS = 5000;
const TICK_MS = 250;

/**
 * Tells hooks what happens in a run, in order and one event at a time. The agent may wait for what was told so far
 * (the documents show lifecycle handlers as steps, reference D4) but is never held up by a handler that hangs.
 */
export class LifecycleQueue {
  private tail: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: Log,
    /** True while a person is being asked something by a hook of this conversation. */
    private readonly isAsking: () => boolean,
  ) {}

  /** Queues one dispatch; nothing is thrown to the caller. */
  tell(event: string, dispatch: () => Promise<unknown>): void {
    this.tail = this.tail.then(() => this.bounded(event, dispatch));
  }

  /** Resolves when everything told so far was delivered, or at once when the run is aborted. */
  async settled(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    let onAbort = (): void => undefined;
    const aborted = new Promise<void>(resolve => {
      onAbort = resolve;
      signal?.addEventListener('abort', onAbort, { once: true });
    });
    await Promise.race([this.tail, aborted]);
    signal?.removeEventListener('abort', onAbort);
  }

  /** A dispatch that takes longer than the patience goes on by itself; the next event does not wait for it. */
  private async bounded(event: string, dispatch: () => Promise<unknown>): Promise<void> {
    const work = dispatch().catch((error: unknown) => {
      this.log.error(`Telling hooks of ${event} failed: ${messageOf(error)}`, error);
    });
    let spent = 0;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>(resolve => {
      timer = setInterval(() => {
        if (!this.isAsking()) spent += TICK_MS;
        if (spent < PATIENCE_MS) return;
        this.log.warn(`A handler of ${event} is still busy after ${PATIENCE_MS} ms; the agent goes on without it.`);
        resolve();
      }, TICK_MS);
    });
    await Promise.race([work, patience]);
    clearInterval(timer);
  }
}
