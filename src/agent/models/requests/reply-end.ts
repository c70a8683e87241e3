import type { Api, FetchFunction, Model } from '@mariozechner/pi-ai';
import { BodyEnd, type ReportedError } from './provider-words';
import { readThrough, type BodyWatch } from './read-through';

/** APIs whose clients do not tell whether a reply is complete, or report an error of its last event if that was cut off. */
const WATCHED: ReadonlySet<string> = new Set(['anthropic-messages', 'openai-completions']);
/** In bytes; longer than the marks that are searched. */
const TAIL_BYTES = 32;
const LAST_MARK = /\ndata: ?\[DONE\]/;

/** How the body of one reply ended, as far as it was sent. */
export class ReplyEnd {
  /** The body closed within a line. */
  isTorn = false;
  /** See {@link retryAfterOf}. Only for a response that refused the request. */
  retryAfterMs: number | undefined;
  private hasMark = false;
  private body = new BodyEnd();

  constructor(private readonly model: Model<Api>) {}

  /** The error that the provider reported in the body. */
  get reported(): ReportedError | undefined {
    return this.body.error;
  }

  /** A `fetch` that watches the end of its response. */
  watching(send: FetchFunction | undefined): FetchFunction {
    const ask = send ?? globalThis.fetch;
    return async (...request) => {
      const response = await ask(...request);
      const { body, status, statusText, headers } = response;
      const watch = this.watchOf(response);
      if (body === null || watch === undefined) return response;
      return new Response(readThrough(body, 0, watch), { status, statusText, headers });
    };
  }

  /** Watches the body of this response. Undefined if that is not needed. */
  watchOf({ ok, headers }: Response): BodyWatch | undefined {
    this.retryAfterMs = ok ? undefined : retryAfterOf(headers);
    if (!ok) return undefined;
    const body = (this.body = new BodyEnd());
    if (!this.isWatched || headers.get('content-type')?.includes('json') === true) {
      return { seen: chunk => body.add(chunk), ended: () => undefined };
    }
    let tail = '\n';
    return {
      seen: chunk => {
        body.add(chunk);
        const text = tail + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
        this.hasMark ||= LAST_MARK.test(text);
        tail = text.slice(-TAIL_BYTES);
      },
      ended: () => {
        this.isTorn = !tail.endsWith('\n');
      },
    };
  }

  private get isWatched(): boolean {
    return WATCHED.has(this.model.api);
  }

  /**
   * The client considers the reply complete although nothing says so: this server of the OpenAI API is known to give no finish
   * reason, and it did not send its last mark either.
   */
  get lacksMark(): boolean {
    if (this.model.api !== 'openai-completions') return false;
    const { compat } = this.model as Model<'openai-completions'>;
    return compat?.supportsFinishReason === false && !this.hasMark;
  }
}

/** How long the headers of a response ask to wait before the next request, in ms. Undefined if they do not say. */
export function retryAfterOf(headers: Pick<Headers, 'get'>): number | undefined {
  const exact = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const given = headers.get('retry-after') ?? '';
  const seconds = Number.parseFloat(given);
  const ms = Number.isNaN(seconds) ? Date.parse(given) - Date.now() : seconds * 1000;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
