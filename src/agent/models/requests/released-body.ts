/** Code that replaced Node's `fetch` may read the body, and VS Code on a desktop may send with the one of Electron. */
const NODE_FETCH = 'electron' in process.versions ? undefined : globalThis.fetch;

/** What Node's `fetch` says when the answer is a redirect or (Node 25.9) 401, for which it wants to send the body again. */
const REPEATED: ReadonlySet<string> = new Set(['unexpected redirect', 'expected non-null body source']);

/**
 * The global `fetch`; a body that is a text is released once it was sent. Node's own keeps the text and its bytes of
 * every request until the next full garbage collection: V8 creates functions that are assigned to a property (undici has
 * some per request) in the old generation, with all that they refer to.
 */
export async function fetchReleasingBody(...request: Parameters<typeof fetch>): Promise<Response> {
  const [input, init] = request;
  if (typeof init?.body !== 'string' || globalThis.fetch !== NODE_FETCH) return globalThis.fetch(...request);
  const bytes = new TextEncoder().encode(init.body);
  const headers = new Headers(init.headers);
  headers.set('content-length', String(bytes.length));
  try {
    // If it may follow a redirect, Node keeps a copy.
    return await globalThis.fetch(input, {
      ...init,
      headers,
      body: streamOf(bytes),
      duplex: 'half',
      redirect: 'error',
    });
  } catch (error) {
    if (!isToBeRepeated(error)) throw error;
    return globalThis.fetch(...request);
  }
}

/** The bytes, once: a stream of this type takes them out of their array. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: 'bytes',
    start: controller => {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

function isToBeRepeated(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error && REPEATED.has(error.cause.message);
}
