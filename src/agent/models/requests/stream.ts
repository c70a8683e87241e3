import type {
  Api,
  AssistantMessageEvent,
  Context,
  Message,
  Model,
  SimpleStreamOptions,
  TranscriptContext,
} from '@mariozechner/pi-ai';
import { defined } from '../../../base/defined';
import { anySignal, unlessAborted } from '../../../base/async/wait';
import { MessageStream, type AssistantMessageStream } from './message-stream';
import { EDITOR_ADVICE, keyVariables, MissingKeyError, type KeyAdvice } from '../keys/missing-key';
import { loadPiAi, type PiAi } from '../pi-ai';
import { abortReply, failReply, forwardReply, type LastResponse, type OpenReply } from './forward-reply';
import { fetchWithin } from './idle-limit';
import { withoutStrayResults } from './replayable';
import { sendable } from './sendable';
import { withShortErrors } from './reply-bounds';
import { ReplyEnd } from './reply-end';
import { CallPieces } from './call-pieces';
import { isVirtual, type Route, type RouteQuestion } from '../virtual-models';

export type { AssistantMessageStream } from './message-stream';

/** Headers of a request in addition to those of its client. Null removes one that the client would send. */
export type RequestHeaders = Readonly<Record<string, string | null>>;

/** What a model is asked. */
export interface AskedContext extends Context {
  /** The same as messages only, with prompt and tools at the places where they changed. */
  readonly inPlace?: readonly Message[];
}

/** Options of one request. */
export interface RequestOptions extends SimpleStreamOptions {
  /** How long the server may be silent, see {@link fetchWithin}. */
  idleTimeoutMs?: number;
  /** Called before each request with its headers; resolves with the headers to send. */
  transformHeaders?: (headers: RequestHeaders) => Promise<RequestHeaders>;
  /** Called with each event of the reply as the provider sent it; the reply waits for it. */
  onProviderStreamEvent?: (data: unknown, model: Model<Api>) => void | Promise<void>;
}

/**
 * Asks a model for one reply. Never throws: a missing key, an unknown API, a refused or cut connection and an abort all
 * arrive as the final `error` event, whose message carries `stopReason` "error" or "aborted" and an `errorMessage`.
 */
export type ModelStreamFn = (
  model: Model<Api>,
  context: AskedContext,
  options?: RequestOptions,
) => AssistantMessageStream;

/** Streams replies as providers do, of a transcript with the prompt and the tools in it. */
export type ServeModel = (
  model: Model<Api>,
  context: TranscriptContext,
  options: SimpleStreamOptions,
) => AsyncIterable<AssistantMessageEvent>;

/** What a request needs beyond the model: its key, and headers that are computed per request. */
export interface RequestAuth {
  readonly apiKey: string | undefined;
  /** The provider needs no key, and is given none. */
  readonly isKeyless?: true;
  readonly headers?: RequestHeaders;
  /** Where the login sends its requests. The model's own address if absent. */
  readonly baseUrl?: string;
  /** Settings of the provider (regions, addresses) that count before the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Gives the credentials of a model. Rejects with a text for people if they are not available. */
export interface AuthLookup {
  /** How people set keys here, for texts about keys; VS Code's way when absent. */
  readonly keyAdvice?: KeyAdvice;
  requestAuth(model: Model<Api>): Promise<RequestAuth>;
  /** How a model is asked that pi-ai's own providers do not serve; undefined for all others. */
  serve?(model: Model<Api>): ServeModel | undefined;
  /** See `ModelRegistry.route`; without it virtual models cannot be asked. */
  route?(model: Model<Api>, messages: readonly Message[], question: RouteQuestion): Promise<Route>;
}

/** How long a client may take to end its stream after an abort before it is ended for it, in ms. */
const ABORT_GRACE_MS = 1_000;

/**
 * The stream function of agent, compaction and hooks, over pi-ai's `streamSimple`. `auth` decides about the order of keys;
 * `options.apiKey` has priority. The clients' own silent retries are off (`maxRetries` 0): retries are the agent's, where they
 * are visible and can be cancelled.
 */
export function createStreamFn(auth: AuthLookup, load: () => Promise<PiAi> = loadPiAi): ModelStreamFn {
  return (model, context, options = {}) => {
    const stream = new MessageStream();
    const { signal } = options;
    const request: Request = { model, context, options, signal, stream, secrets: [], partial: undefined };
    run(request, auth, load).catch((error: unknown) => failReply(request, error));
    return stream;
  };
}

interface Request extends OpenReply {
  readonly context: AskedContext;
  options: RequestOptions;
}

/** Ends the stream after an abort, even if the client (for example of a hook) ignores the signal. */
async function run(request: Request, auth: AuthLookup, load: () => Promise<PiAi>): Promise<void> {
  await unlessAborted(ask(request, auth, load), request.signal, () => abortReply(request), ABORT_GRACE_MS);
}

async function ask(request: Request, auth: AuthLookup, load: () => Promise<PiAi>): Promise<void> {
  await leadOn(request, auth);
  const { model, context } = request;
  const { transformHeaders, ...options } = request.options;
  const piAi = await load();
  const { apiKey, headers: known, baseUrl, env } = await credentials(request, auth);
  request.secrets = [apiKey];
  const given = known === undefined && options.headers === undefined ? undefined : mergeHeaders(known, options.headers);
  const headers = transformHeaders === undefined ? given : await headersToSend(given ?? {}, transformHeaders);
  const samplingParams = samplingFor(model, options);
  if (options.signal?.aborted === true) {
    abortReply(request);
    return;
  }
  const response: LastResponse = { status: undefined };
  const over = new AbortController();
  const end = new ReplyEnd(model);
  const serve: ServeModel = auth.serve?.(model) ?? piAi.streamSimple;
  const place = withInstructionRole(baseUrl === undefined ? model : { ...model, baseUrl });
  const sent = sendable(takenBy(model, context));
  const messages = withoutStrayResults(sent.messages);
  const source = serve(place, piAi.normalizeContext({ ...sent, messages }), {
    maxRetries: 0,
    ...options,
    signal: anySignal(over.signal, options.signal),
    apiKey,
    onResponse: (received, ...rest) => {
      response.status = received.status;
      return options.onResponse?.(received, ...rest);
    },
    ...defined({ headers }),
    ...readingOf(request),
    ...sendingOf(request, end),
    ...(env === undefined ? {} : { env: { ...env, ...options.env } }),
    ...defined({ samplingParams }),
  });
  await forwardReply(request, source, { piAi, advice: auth.keyAdvice, response, end, over });
}

/** A model that takes system messages in the middle gets them there, so that what the provider has cached stays valid. */
function takenBy({ compat }: Model<Api>, { inPlace, ...context }: AskedContext): Context {
  const { supportsMidConvoSystemMessages: takes } = (compat ?? {}) as {
    readonly supportsMidConvoSystemMessages?: unknown;
  };
  return takes === true && inPlace !== undefined ? { messages: [...inPlace] } : context;
}

/** A request for a virtual model that does not come from a run goes to the model that it chooses. */
async function leadOn(request: Request, auth: AuthLookup): Promise<void> {
  const { model, context, options } = request;
  if (!isVirtual(model)) return;
  const { apiKey, headers, env, reasoning = 'off', signal, ...others } = options;
  const question = { reason: 'direct', thinkingLevel: reasoning, signal } as const;
  const route = await auth.route?.(model, context.messages, question);
  if (route === undefined) throw new Error(`Virtual model ${model.provider}/${model.id} cannot be routed here.`);
  const most = route.model.maxTokens;
  // Headers for one provider are not sent to another one.
  const own = defined(route.model.provider === model.provider ? { apiKey, headers, env } : {});
  request.model = route.model;
  request.options = {
    ...others,
    ...own,
    ...defined({
      signal,
      maxTokens: others.maxTokens && most > 0 ? Math.min(others.maxTokens, most) : others.maxTokens,
      reasoning: route.thinkingLevel === 'off' ? undefined : route.thinkingLevel,
    }),
  };
}

/** Only OpenAI's own servers get instructions in the role `developer`, as in today's pi; others may refuse it. */
function withInstructionRole(model: Model<Api>): Model<Api> {
  if (model.api !== 'openai-completions') return model;
  const { compat, provider, baseUrl } = model as Model<'openai-completions'>;
  if (compat?.supportsDeveloperRole !== undefined) return model;
  const supportsDeveloperRole = provider === 'openai' || baseUrl.includes('api.openai.com');
  return { ...model, compat: { ...compat, supportsDeveloperRole } };
}

/** Upper and lower case in names of headers do not matter. */
function mergeHeaders(base: RequestHeaders = {}, over: RequestHeaders = {}): Record<string, string | null> {
  const named = new Set(Object.keys(over).map(name => name.toLowerCase()));
  return { ...Object.fromEntries(Object.entries(base).filter(([name]) => !named.has(name.toLowerCase()))), ...over };
}

/** Removed headers are sent as null, because the model itself may have them, too. */
async function headersToSend(
  given: RequestHeaders,
  transform: NonNullable<RequestOptions['transformHeaders']>,
): Promise<Record<string, string | null>> {
  const gone = Object.keys(given).map(name => [name, null] as const);
  return mergeHeaders(Object.fromEntries(gone), await transform({ ...given }));
}

/** What happens to each event of the server before the client gets it. */
function readingOf({ model, options }: Request): Pick<RequestOptions, 'onProviderStreamEvent'> {
  const pieces = new CallPieces(model.api);
  const { onProviderStreamEvent: listener } = options;
  return {
    onProviderStreamEvent: (data, ...rest) => {
      const listening = listener?.(data, ...rest);
      if (listening === undefined) pieces.correct(data);
      return listening?.then(() => pieces.correct(data));
    },
  };
}

/** How the request is sent. */
function sendingOf({ model, options }: Request, end: ReplyEnd): Pick<SimpleStreamOptions, 'fetch'> {
  const { idleTimeoutMs } = options;
  const isOwn = options.fetch === undefined && idleTimeoutMs !== undefined;
  const within = isOwn ? fetchWithin(model.api, idleTimeoutMs, end) : undefined;
  return { fetch: withShortErrors(within ?? end.watching(options.fetch)) };
}

/**
 * The parameters of models.json for the model at this thinking level. Those of the request have priority; pi-ai adds the model's.
 */
function samplingFor(model: Model<Api>, options: RequestOptions): SimpleStreamOptions['samplingParams'] {
  const { samplingParamsByThinkingLevel: byLevel } = model as LeveledModel;
  const own = {
    ...byLevel?.[options.reasoning ?? 'off'],
    ...options.samplingParams,
    ...promptCacheKey(model, options),
  };
  return Object.keys(own).length === 0 ? options.samplingParams : own;
}

const APIS_WITH_CACHE_KEY: readonly string[] = ['openai-completions', 'openai-responses'];
const MOST_CACHE_KEY_CHARS = 64;

/** What `promptCacheKeyMode` of models.json makes of the request; pi-ai itself does not know the member. */
function promptCacheKey(
  { api, compat }: Model<Api>,
  { sessionId, cacheRetention }: RequestOptions,
): { readonly prompt_cache_key: string | undefined } | undefined {
  if (!APIS_WITH_CACHE_KEY.includes(api)) return undefined;
  const { promptCacheKeyMode: mode } = (compat ?? {}) as { readonly promptCacheKeyMode?: unknown };
  if (mode === 'disabled') return { prompt_cache_key: undefined };
  if (mode !== 'enabled' || cacheRetention === 'none' || sessionId === undefined) return undefined;
  return { prompt_cache_key: sessionId.slice(0, MOST_CACHE_KEY_CHARS) };
}

/** A model of models.json; pi-ai itself does not know the member. */
interface LeveledModel extends Model<Api> {
  readonly samplingParamsByThinkingLevel?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

async function credentials({ model, options }: Request, auth: AuthLookup): Promise<RequestAuth> {
  const found = await auth.requestAuth(model);
  const apiKey = options.apiKey ?? found.apiKey;
  if (found.isKeyless === true && options.apiKey === undefined) return found;
  if (apiKey === undefined || apiKey === '') {
    throw new MissingKeyError(model.provider, keyVariables(model.provider), auth.keyAdvice ?? EDITOR_ADVICE);
  }
  return { ...found, apiKey };
}
