import type {
  Api,
  AssistantMessage,
  AssistantMessageEvent,
  Context,
  Model,
  SimpleStreamOptions,
  ToolCall,
} from '@mariozechner/pi-ai';
import { messageOf } from '../../../base/errors';
import { unlessAborted } from '../../../base/wait';
import { explainError } from './explain-error';
import { MessageStream, type AssistantMessageStream } from './message-stream';
import {
  EDITOR_ADVICE,
  keyVariables,
  MISSING_KEY_DIAGNOSTIC,
  MissingKeyError,
  type KeyAdvice,
} from '../keys/missing-key';
import { loadPiAi, type PiAi } from '../pi-ai';
import { emptyMessage } from './empty-message';
import { noteFailure, notedFailure, readFailure, requestFailure } from './request-failure';
import { ToolArgumentsWatch } from './tool-arguments-watch';

export type { AssistantMessageStream } from './message-stream';

/**
 * Asks a model for one reply. Never throws: a missing key, an unknown API, a refused or cut connection and an abort all
 * arrive as the final `error` event, whose message carries `stopReason` "error" or "aborted" and an `errorMessage`.
 */
export type ModelStreamFn = (
  model: Model<Api>,
  context: Context,
  options?: SimpleStreamOptions,
) => AssistantMessageStream;

/** What a request needs beyond the model: its key, and headers that are worked out per request. */
export interface RequestAuth {
  readonly apiKey: string | undefined;
  /** null takes a header away that the client would send. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Where the login sends its requests; the model's own address when absent. */
  readonly baseUrl?: string;
  /** Settings of the provider (regions, addresses) that count before the environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Answers with the credentials of a model. Rejects with a text for people when they cannot be had. */
export interface AuthLookup {
  /** How people set keys here, for texts about keys; VS Code's way when absent. */
  readonly keyAdvice?: KeyAdvice;
  requestAuth(model: Model<Api>): Promise<RequestAuth>;
}

/** How long a client may take to end its stream after an abort before it is ended for it, in ms. */
const ABORT_GRACE_MS = 1_000;

/**
 * The stream function of agent, compaction and hooks, over pi-ai's `streamSimple`. Key order is `auth`'s business;
 * `options.apiKey` wins over it. The clients' own silent retries are off (`maxRetries` 0): retries are the agent's, where
 * they are visible and can be cancelled.
 */
export function createStreamFn(auth: AuthLookup, load: () => Promise<PiAi> = loadPiAi): ModelStreamFn {
  return (model, context, options = {}) => {
    const stream = new MessageStream();
    const request: Request = { model, context, options, stream, partial: undefined };
    run(request, auth, load).catch((error: unknown) => fail(request, error));
    return stream;
  };
}

interface Request {
  readonly model: Model<Api>;
  readonly context: Context;
  readonly options: SimpleStreamOptions;
  readonly stream: MessageStream;
  /** The reply so far; what an ended-on-abort message contains. */
  partial: AssistantMessage | undefined;
}

/** Ends the stream after an abort even when the client (a hook's, say) ignores the signal. */
async function run(request: Request, auth: AuthLookup, load: () => Promise<PiAi>): Promise<void> {
  const { signal } = request.options;
  await unlessAborted(ask(request, auth, load), signal, () => endAborted(request), ABORT_GRACE_MS);
}

async function ask(request: Request, auth: AuthLookup, load: () => Promise<PiAi>): Promise<void> {
  const { model, context, options } = request;
  const piAi = await load();
  const { apiKey, headers, baseUrl, env } = await credentials(request, auth);
  const samplingParams = samplingFor(model, options);
  if (options.signal?.aborted === true) {
    endAborted(request);
    return;
  }
  const response: LastResponse = { status: undefined };
  const source = piAi.streamSimple(baseUrl === undefined ? model : { ...model, baseUrl }, context, {
    maxRetries: 0,
    ...options,
    apiKey,
    onResponse: (received, ...rest) => {
      response.status = received.status;
      return options.onResponse?.(received, ...rest);
    },
    ...(headers === undefined ? {} : { headers: { ...headers, ...options.headers } }),
    ...(env === undefined ? {} : { env: { ...env, ...options.env } }),
    ...(samplingParams === undefined ? {} : { samplingParams }),
  });
  await forward(request, source, { piAi, advice: auth.keyAdvice, response });
}

/** What models.json says of the model at this thinking level, below what the request itself says; pi-ai adds the model's. */
function samplingFor(model: Model<Api>, options: SimpleStreamOptions): SimpleStreamOptions['samplingParams'] {
  const { samplingParamsByThinkingLevel: byLevel } = model as LeveledModel;
  const ofLevel = byLevel?.[options.reasoning ?? 'off'];
  return ofLevel === undefined ? options.samplingParams : { ...ofLevel, ...options.samplingParams };
}

/** A model of models.json; pi-ai itself does not know the member. */
interface LeveledModel extends Model<Api> {
  readonly samplingParamsByThinkingLevel?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

function endAborted({ model, partial, stream }: Request): void {
  stream.push({ type: 'error', reason: 'aborted', error: settled(partial ?? emptyMessage(model)) });
}

async function credentials({ model, options }: Request, auth: AuthLookup): Promise<RequestAuth> {
  const found = await auth.requestAuth(model);
  const apiKey = options.apiKey ?? found.apiKey;
  if (apiKey === undefined || apiKey === '') {
    throw new MissingKeyError(model.provider, keyVariables(model.provider), auth.keyAdvice ?? EDITOR_ADVICE);
  }
  return { ...found, apiKey };
}

/** The HTTP response as far as the client shows it; some throw before they show one that failed. */
interface LastResponse {
  status: number | undefined;
}

interface Surroundings {
  readonly piAi: PiAi;
  readonly advice: KeyAdvice | undefined;
  readonly response: LastResponse;
}

async function forward(
  request: Request,
  source: AsyncIterable<AssistantMessageEvent>,
  { piAi, advice, response }: Surroundings,
): Promise<void> {
  const { model, options, stream } = request;
  const watch = new ToolArgumentsWatch(model.api);
  let started = false;
  for await (const event of source) {
    if (event.type === 'done') {
      stream.push(watch.check(event.message));
      return;
    }
    if (event.type === 'error') {
      stream.push(explained(event.error, { model, started, response, piAi, advice, signal: options.signal }));
      return;
    }
    started = true;
    request.partial = event.partial;
    watch.see(event);
    stream.push(event);
  }
  stream.push(errorEvent(model, `Provider "${model.provider}" ended its stream without a result.`));
}

interface ErrorPlace {
  readonly model: Model<Api>;
  readonly started: boolean;
  readonly response: LastResponse;
  readonly piAi: PiAi;
  readonly advice: KeyAdvice | undefined;
  readonly signal: AbortSignal | undefined;
}

function explained(
  message: AssistantMessage,
  { model, started, response, piAi, advice, signal }: ErrorPlace,
): AssistantMessageEvent {
  // Some clients report the abort of a fetch as a failed connection.
  if (message.stopReason === 'aborted' || signal?.aborted === true) {
    message.stopReason = 'aborted';
    return { type: 'error', reason: 'aborted', error: message };
  }
  const isOverflow = (errorMessage: string): boolean =>
    piAi.isContextOverflow({ ...message, stopReason: 'error', errorMessage });
  const text = message.errorMessage ?? 'Unknown error';
  const status = response.status !== undefined && response.status >= 400 ? response.status : undefined;
  const failure = notedFailure(message) ?? readFailure({ text, status, started, isOverflow });
  noteFailure(message, failure);
  message.errorMessage = explainError({ model, failure, text, isOverflow, advice });
  return { type: 'error', reason: 'error', error: message };
}

function fail({ model, stream }: Request, error: unknown): void {
  const event = errorEvent(model, messageOf(error));
  if (event.type === 'error' && error instanceof MissingKeyError) {
    noteFailure(event.error, requestFailure('missing-key'));
    event.error.diagnostics = [
      {
        type: MISSING_KEY_DIAGNOSTIC,
        timestamp: event.error.timestamp,
        error: { name: error.name, message: error.message },
        details: { provider: error.provider, variables: [...error.variables] },
      },
    ];
  }
  stream.push(event);
}

function errorEvent(model: Model<Api>, text: string): AssistantMessageEvent {
  const error = emptyMessage(model);
  error.stopReason = 'error';
  error.errorMessage = text;
  return { type: 'error', reason: 'error', error };
}

/** A copy that a client which is still running cannot change any more. */
function settled(partial: AssistantMessage): AssistantMessage {
  const content = partial.content.map(block => (block.type === 'toolCall' ? withoutScratch(block) : { ...block }));
  return { ...partial, content, stopReason: 'aborted', errorMessage: 'Request was aborted' };
}

function withoutScratch({ type, id, name, arguments: args, thoughtSignature }: ToolCall): ToolCall {
  return { type, id, name, arguments: args, ...(thoughtSignature === undefined ? {} : { thoughtSignature }) };
}
