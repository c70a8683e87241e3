import type { AssistantMessageEvent, FetchFunction } from '@mariozechner/pi-ai';

/** More than ten times what models can say in one reply; in characters. */
const MOST_CHARACTERS = 8_000_000;
/** Counted for each event in addition to its text: an event without text takes memory, too. */
const EVENT_CHARACTERS = 16;
/** In bytes. The body of an error is a sentence. */
const MOST_ERROR_BYTES = 64 * 1024;
/** No tool has parameters with such deep nesting, and code that walks them needs stack. */
const MOST_DEPTH = 500;

/** The error of a reply that {@link ReplySize} refuses. */
export const TOO_LONG = `The reply was longer than ${MOST_CHARACTERS / 1e6} million characters, so it was ended.`;

/** Adds up how long a reply is. */
export class ReplySize {
  private characters = 0;

  /** Adds an event. Returns whether the reply is too long now. */
  isTooLongWith(event: AssistantMessageEvent): boolean {
    this.characters += EVENT_CHARACTERS + ('delta' in event ? event.delta.length : 0);
    return this.characters > MOST_CHARACTERS;
  }
}

/** The same `fetch`, but of the body of an error only the beginning is read. */
export function withShortErrors(send: FetchFunction): FetchFunction {
  return async (...request) => {
    const response = await send(...request);
    const { body, ok, status, statusText, headers } = response;
    if (ok || body === null) return response;
    return new Response(beginningOf(body), { status, statusText, headers });
  };
}

function beginningOf(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = MOST_ERROR_BYTES;
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        const { done, value } = await reader.read();
        if (!done) {
          controller.enqueue(value.subarray(0, left));
          left -= value.length;
          if (left > 0) return;
        }
        controller.close();
        // The server may continue without end.
        if (!done) reader.cancel().catch(() => undefined);
      },
      cancel: reason => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Whether a value, such as the arguments of a call, is nested too deep. */
export function isTooDeep(value: unknown): boolean {
  const pending: (readonly [value: unknown, depth: number])[] = [[value, 0]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [at, depth] = next;
    if (typeof at !== 'object' || at === null) continue;
    if (depth >= MOST_DEPTH) return true;
    for (const member of Object.values(at)) pending.push([member, depth + 1]);
  }
  return false;
}

/** The same for the text of a value that comes in pieces. */
export class JsonDepth {
  private depth = 0;
  private isInString = false;
  private isEscaped = false;

  /** Adds a piece. Returns whether the value is nested too deep now. */
  isTooDeepWith(piece: string): boolean {
    for (const sign of piece) {
      if (this.isEscaped) this.isEscaped = false;
      else if (sign === '"') this.isInString = !this.isInString;
      else if (this.isInString) this.isEscaped = sign === '\\';
      else if (sign === '[' || sign === '{') this.depth++;
      else if (sign === ']' || sign === '}') this.depth--;
      if (this.depth > MOST_DEPTH) return true;
    }
    return false;
  }
}
