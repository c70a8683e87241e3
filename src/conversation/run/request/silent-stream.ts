import type { AssistantMessage, AssistantMessageEvent } from '@mariozechner/pi-ai';
import type { StreamFn } from '../../../agent/loop';
import { emptyMessage } from '../../../agent/models/requests/empty-message';
import { noteFailure, requestFailure } from '../../../agent/models/requests/request-failure';
import { DelayedCall } from '../../../base/repeated-calls';
import { anySignal, unlessAborted } from '../../../base/wait';

/** A model that says nothing for so long is told to the person, ms. */
export const SILENT_MS = 30_000;

/**
 * Notices when the model of a conversation says nothing any more, be it before its first word or in the middle of an answer.
 * Nothing ends by itself: the person may have the request broken off, which then fails for a passing reason.
 */
export class SilentStream {
  private since: number | undefined;
  private asked = new AbortController();

  constructor(
    private readonly ask: StreamFn,
    /** {@link silentSince} is another. */
    private readonly changed: () => void,
  ) {}

  /** When the last was heard of a model that is silent for long, ms since 1970; undefined while it is not. */
  get silentSince(): number | undefined {
    return this.since;
  }

  /** Breaks off a request that is silent for long, so that it is made once more; does nothing where none is. */
  breakOff(): void {
    if (this.since !== undefined) this.asked.abort();
  }

  /** Asks as the stream that is watched does. */
  readonly stream: StreamFn = (model, context, options) => {
    this.asked = new AbortController();
    const given = this.asked.signal;
    const begin = (): ReturnType<StreamFn> =>
      this.ask(model, context, { ...options, signal: anySignal(given, options.signal) });
    return this.watched(begin, given, emptyMessage(model));
  };

  private async *watched(
    begin: () => ReturnType<StreamFn>,
    given: AbortSignal,
    empty: AssistantMessage,
  ): AsyncGenerator<AssistantMessageEvent> {
    const silence = new Silence(since => {
      this.since = since;
      this.changed();
    });
    // What is broken off ends for whoever reads it, also where the provider goes on.
    const heard = <T>(work: Promise<T>): Promise<T | undefined> =>
      silence.during(unlessAborted(work, given, () => undefined));
    const events = (await heard(Promise.resolve(begin())))?.[Symbol.asyncIterator]();
    let message = empty;
    try {
      for (;;) {
        const next = events && (await heard(events.next()));
        if (next === undefined || given.aborted) {
          yield brokenOff(message);
          return;
        }
        if (next.done === true) return;
        if ('partial' in next.value) message = next.value.partial;
        yield next.value;
      }
    } finally {
      // It may never end by itself, and nobody waits for that.
      if (!given.aborted) await events?.return?.();
    }
  }
}

function brokenOff(partial: AssistantMessage): AssistantMessageEvent {
  const error: AssistantMessage = { ...partial, stopReason: 'error', errorMessage: BROKEN_OFF };
  noteFailure(error, requestFailure('silent'));
  return { type: 'error', reason: 'error', error };
}

const BROKEN_OFF = 'The model said nothing for a long time, and the person asked it again.';

/** Tells when something that is waited for takes long, and when it came. */
class Silence {
  private began = 0;
  private isTold = false;
  private readonly timer = new DelayedCall(() => {
    this.isTold = true;
    this.tell(this.began);
  });

  constructor(private readonly tell: (since: number | undefined) => void) {}

  /** Waits for a sign of life. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.began = Date.now();
    this.timer.schedule(SILENT_MS);
    try {
      return await work;
    } finally {
      this.timer.cancel();
      if (this.isTold) this.tell(undefined);
      this.isTold = false;
    }
  }
}
