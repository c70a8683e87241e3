import type { Api, FetchFunction, Model } from '@mariozechner/pi-ai';

/** APIs whose clients leave open whether a reply came to its end, or complain of its last event where that was cut. */
const WATCHED: ReadonlySet<string> = new Set(['anthropic-messages', 'openai-completions']);
/** More than the marks that are looked for, in bytes. */
const TAIL_BYTES = 32;
const LAST_MARK = /\ndata: ?\[DONE\]/;

/** How the body of one reply ended, as far as it was sent. */
export class ReplyEnd {
  /** The body closed within a line. */
  isTorn = false;
  private hasMark = false;

  constructor(private readonly model: Model<Api>) {}

  /** A `fetch` that looks at the end of what it brings; `send` itself for APIs where that is not needed. */
  watching(send: FetchFunction | undefined): FetchFunction | undefined {
    if (!WATCHED.has(this.model.api)) return send;
    const ask = send ?? globalThis.fetch;
    return async (...request) => {
      const response = await ask(...request);
      const { body, ok, status, statusText, headers } = response;
      if (body === null || !ok || headers.get('content-type')?.includes('json') === true) return response;
      return new Response(body.pipeThrough(this.reading()), { status, statusText, headers });
    };
  }

  /**
   * The client took the reply for complete although nothing said that it is: a server of the OpenAI API that is known to give
   * no finish reason, and did not send its last mark either.
   */
  get lacksMark(): boolean {
    if (this.model.api !== 'openai-completions') return false;
    const { compat } = this.model as Model<'openai-completions'>;
    return compat?.supportsFinishReason === false && !this.hasMark;
  }

  private reading(): TransformStream<Uint8Array, Uint8Array> {
    let tail = '\n';
    return new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        const text = tail + Buffer.from(chunk).toString('latin1');
        this.hasMark ||= LAST_MARK.test(text);
        tail = text.slice(-TAIL_BYTES);
        controller.enqueue(chunk);
      },
      flush: () => {
        this.isTorn = !tail.endsWith('\n');
      },
    });
  }
}
