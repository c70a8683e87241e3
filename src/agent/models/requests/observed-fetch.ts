import type { Api, FetchFunction } from '@mariozechner/pi-ai';
import { TAKES_FETCH } from './idle-limit';

/** Gets each event of a reply as its provider sent it. The reply continues when the returned promise has settled. */
export type StreamEventListener = (data: unknown) => void | Promise<void>;

/** Events that a client takes notice of itself, and does not count as part of a reply. */
const ASIDE: ReadonlySet<string> = new Set(['ping', 'error']);

/**
 * A `fetch` that tells of every event of the replies it brings, in their order, before the client sees it; undefined for
 * an API whose client takes none. pi-ai's clients have no callback for that.
 */
export function observedFetch(
  api: Api,
  listener: StreamEventListener,
  send: FetchFunction = globalThis.fetch,
): FetchFunction | undefined {
  if (!TAKES_FETCH.has(api)) return undefined;
  return async (...request) => {
    const response = await send(...request);
    const { body, ok, status, statusText, headers } = response;
    if (body === null || !ok || headers.get('content-type')?.includes('json') === true) return response;
    return new Response(body.pipeThrough(observingStream(api, listener)), { status, statusText, headers });
  };
}

function observingStream(api: Api, listener: StreamEventListener): TransformStream<Uint8Array> {
  const decoder = new TextDecoder();
  const events = new EventReader(api);
  return new TransformStream<Uint8Array>({
    async transform(chunk, controller) {
      for (const data of events.read(decoder.decode(chunk, { stream: true }))) await listener(data);
      controller.enqueue(chunk);
    },
    async flush() {
      for (const data of events.read(`${decoder.decode()}\n\n`)) await listener(data);
    },
  });
}

/** Reads server-sent events from pieces of text. Data that is not JSON is not an event of the provider. */
class EventReader {
  private line = '';
  private name = '';
  private data: string[] = [];

  constructor(private readonly api: Api) {}

  /** The events that end within this piece. */
  *read(text: string): Generator {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = this.line + text.slice(start, end);
      this.line = '';
      start = end + 1;
      yield* this.take(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    this.line += text.slice(start);
  }

  private *take(line: string): Generator {
    if (line.startsWith('data:')) this.data.push(line.slice(line[5] === ' ' ? 6 : 5));
    else if (line.startsWith('event:')) this.name = line.slice(6).trim();
    if (line !== '') return;
    const { name, data } = this;
    this.name = '';
    this.data = [];
    if (data.length === 0 || (this.api === 'anthropic-messages' && ASIDE.has(name))) return;
    try {
      yield JSON.parse(data.join('\n'));
    } catch {
      // A mark like `[DONE]`, or a text that the client complains of.
    }
  }
}
