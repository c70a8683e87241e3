import type { AssistantMessage, AssistantMessageEvent } from '@mariozechner/pi-ai';
import type { StreamFn } from '../../../agent/run/loop';
import { emptyMessage } from '../../../agent/models/requests/empty-message';
import { noteFailure, requestFailure } from '../../../agent/models/requests/request-failure';
import type { Disposable } from '../../../base/disposable';
import { Emitter } from '../../../base/event';
import { DelayedCall } from '../../../base/async/repeated-calls';
import { anySignal } from '../../../base/async/wait';

/** After this time without output of the model the user is notified, in ms. */
export const SILENT_MS = 30_000;

/**
 * Notices when the model is silent for long, before its first word or in the middle of an answer. It does not end the
 * request: the user may abort it, and it then fails for a temporary reason.
 */
export class SilentStream {
  private since: number | undefined;
  private asked = new AbortController();
  private readonly changeEmitter = new Emitter<void>();
  /** {@link silentSince} is another. */
  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly ask: StreamFn) {}

  /**
   * When a model that is silent for long last sent something, in ms since the epoch; undefined while it is not silent.
   */
  get silentSince(): number | undefined {
    return this.since;
  }

  /** Aborts a request that is silent for long, so that it is retried; does nothing if there is none. */
  breakOff(): void {
    if (this.since !== undefined) this.asked.abort();
  }

  /** The stream function that watches another one. */
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
      this.changeEmitter.fire();
    });
    // An aborted stream ends for its reader even if the provider continues. One listener serves all events of the
    // stream, because thousands arrive per second.
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
      // It may never end, so it is not awaited.
      if (!given.aborted) await events?.return?.();
    }
  }
}

function brokenOff(partial: AssistantMessage): AssistantMessageEvent {
  const error: AssistantMessage = { ...partial, stopReason: 'error', errorMessage: BROKEN_OFF };
  noteFailure(error, requestFailure('silent'));
  return { type: 'error', reason: 'error', error };
}

const BROKEN_OFF = 'The model said nothing for a long time, so the user asked it again.';

/** Reports when a wait takes long and when it is over. One timer serves all waits of a stream. */
class Silence implements Disposable {
  /** When the wait began, ms since 1970; undefined while there is none. */
  private began: number | undefined;
  private isTold = false;
  private readonly timer = new DelayedCall(() => this.look());

  constructor(private readonly onChange: (since: number | undefined) => void) {
    this.timer.schedule(SILENT_MS);
  }

  wait(): void {
    this.began = Date.now();
  }

  /** The wait is over. */
  end(): void {
    this.began = undefined;
    if (!this.isTold) return;
    this.isTold = false;
    this.onChange(undefined);
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
    this.onChange(this.began);
  }
}
