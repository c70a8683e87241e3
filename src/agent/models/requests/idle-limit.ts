import { readThrough } from './read-through';
import { fetchReleasingBody } from './released-body';
import type { ReplyEnd } from './reply-end';

type Fetch = typeof globalThis.fetch;

/** Clients of these APIs accept a `fetch`; Bedrock's does not. */
const TAKES_FETCH: ReadonlySet<string> = new Set([
  'anthropic-messages',
  'azure-openai-responses',
  'google-generative-ai',
  'google-vertex',
  'mistral-conversations',
  'openai-codex-responses',
  'openai-completions',
  'openai-responses',
  'pi-messages',
]);
/** After this time without bytes from a server, Node itself gives up. */
const NODE_LIMIT_MS = 300_000;

/**
 * A `fetch` for requests of an API whose server may be silent for `ms` before and within an answer; 0: without limit. `end`
 * watches the body. Undefined for clients that accept no `fetch`: Node's limit of five minutes holds for them.
 */
export function fetchWithin(api: string, ms: number, end?: ReplyEnd): Fetch | undefined {
  if (!TAKES_FETCH.has(api)) return undefined;
  return async (input, init) => {
    const isLonger = ms === 0 || ms > NODE_LIMIT_MS;
    const response = await fetchReleasingBody(input, isLonger ? { ...init, ...withIdleTimeout(ms) } : init);
    const { body, status, statusText, headers } = response;
    const watch = end?.watchOf(response);
    if (body === null || (ms === 0 && watch === undefined)) return response;
    return new Response(readThrough(body, ms, watch), { status, statusText, headers });
  };
}

/** The part of Node's dispatcher for `fetch` that is used here. */
interface Dispatcher {
  dispatch(options: object, handler: object): boolean;
}

/** Replaces Node's own limits on silence for one request, in ms (0: none). Proxies and connections stay as they are. */
export function withIdleTimeout(ms: number): Pick<RequestInit, 'dispatcher'> {
  const { [Symbol.for('undici.globalDispatcher.1')]: own } = globalThis as { [name: symbol]: Dispatcher | undefined };
  if (own === undefined) return {};
  const dispatcher: Dispatcher = {
    dispatch: (options, handler) => own.dispatch({ ...options, headersTimeout: ms, bodyTimeout: ms }, handler),
  };
  // `fetch` uses only this member of all that the type requires.
  return { dispatcher } as unknown as Pick<RequestInit, 'dispatcher'>;
}
