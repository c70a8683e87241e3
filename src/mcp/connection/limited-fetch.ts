import { MESSAGE_LIMIT } from './message-lines';

/** The library's type for `fetch`. */
export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

const NEWLINE = 0x0a;

/**
 * A `fetch` whose responses fail when they are larger than the limit (bytes): for a stream of events, when one line is;
 * for any other response, when the whole body is.
 */
export function limitedFetch(base: FetchLike = fetch, limit = MESSAGE_LIMIT): FetchLike {
  return async (url, init) => {
    const response = await base(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counter(limit, isStream)), { status, statusText, headers });
  };
}

function counter(limit: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lineEnd = isStream ? chunk.lastIndexOf(NEWLINE) : -1;
      bytes = lineEnd < 0 ? bytes + chunk.length : chunk.length - lineEnd - 1;
      if (bytes > limit) controller.error(new Error(`It sent a message of more than ${limit / (1024 * 1024)} MB.`));
      else controller.enqueue(chunk);
    },
  });
}
