import type { AssistantMessage, AssistantMessageEvent } from '@mariozechner/pi-ai';
import { deferred } from '../../../base/async/wait';

/**
 * The events of one reply. It starts by itself, ends with exactly one `done` or `error` event and never throws.
 * `result()` resolves with the final message, also without an iteration. Iterate it once.
 */
export interface AssistantMessageStream extends AsyncIterable<AssistantMessageEvent> {
  result(): Promise<AssistantMessage>;
}

/** The writing side of an {@link AssistantMessageStream}; events after the final one are dropped. */
export class MessageStream implements AssistantMessageStream {
  private queue: AssistantMessageEvent[] = [];
  private head = 0;
  private finished = false;
  private wake: (() => void) | undefined;
  private readonly final = deferred<AssistantMessage>();

  push(event: AssistantMessageEvent): void {
    if (this.finished) return;
    if (event.type === 'done' || event.type === 'error') {
      this.finished = true;
      this.final.resolve(event.type === 'done' ? event.message : event.error);
    }
    this.queue.push(event);
    this.wake?.();
  }

  result(): Promise<AssistantMessage> {
    return this.final.promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AssistantMessageEvent, void> {
    for (;;) {
      const event = this.take();
      if (event !== undefined) yield event;
      else if (this.finished) return;
      else await new Promise<void>(resolve => (this.wake = resolve));
    }
  }

  private take(): AssistantMessageEvent | undefined {
    const event = this.queue[this.head];
    if (event === undefined) {
      this.queue = [];
      this.head = 0;
      return undefined;
    }
    this.head += 1;
    return event;
  }
}
