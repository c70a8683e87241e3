import type { AssistantMessage, AssistantMessageEvent } from '@mariozechner/pi-ai';
import type { StreamFn } from '../../../agent/loop';
import { emptyMessage } from '../../../agent/models/requests/empty-message';
import { noteFailure, requestFailure } from '../../../agent/models/requests/request-failure';
import type { Disposable } from '../../../base/disposable';
import { DelayedCall } from '../../../base/repeated-calls';
import { anySignal } from '../../../base/wait';

/** After this time without output of the model the user is notified, in ms. */
export const SILENT_MS = 30_000;

/**
 * Notices when the model of a conversation says nothing any more, be it before its first word or in the middle of an answer.
 * Nothing ends by itself: the user may have the request broken off, which then fails for a passing reason.
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
    // What is broken off ends for whoever reads it, also where the provider goes on. One listener serves all events of
    // the stream: thousands come in a second.
    let breakOff = (): void => undefined;
    given.addEventListener('abort', () => breakOff(), { once: true });
    const waitFor = async <T>(work: Promise<T>): Promise<T | undefined> => {
      silence.wait();
      try {
        return await new Promise<T | undefined>((resolve, reject) => {
          breakOff = () => resolve(undefined);
          work.then(resolve, reject);
        });
      } finally {
        silence.end();
      }
    };
    let message = empty;
    let events: AsyncIterator<AssistantMessageEvent> | undefined;
    try {
      events = (await waitFor(Promise.resolve(begin())))?.[Symbol.asyncIterator]();
      for (;;) {
        const next = events && (await waitFor(events.next()));
        if (next === undefined || given.aborted) {
          yield brokenOff(message);
          return;
        }
        if (next.done === true) return;
        if ('partial' in next.value) message = next.value.partial;
        yield next.value;
      }
    } finally {
      silence.dispose();
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

/** Tells when something that is waited for takes long, and when it came. One timer serves all waits of a stream. */
class Silence implements Disposable {
  /** When the wait began, ms since 1970; undefined while there is none. */
  private began: number | undefined;
  private isTold = false;
  private readonly timer = new DelayedCall(() => this.look());

  constructor(private readonly tell: (since: number | undefined) => void) {
    this.timer.schedule(SILENT_MS);
  }

  wait(): void {
    this.began = Date.now();
  }

  /** What was waited for is there. */
  end(): void {
    this.began = undefined;
    if (!this.isTold) return;
    this.isTold = false;
    this.tell(undefined);
    this.timer.schedule(SILENT_MS);
  }

  dispose(): void {
    this.timer.dispose();
  }

  private look(): void {
    const silentMs = this.began === undefined ? 0 : Date.now() - this.began;
    if (silentMs < SILENT_MS) {
      this.timer.schedule(SILENT_MS - silentMs);
      return;
    }
    this.isTold = true;
    this.tell(this.began);
  }
}
