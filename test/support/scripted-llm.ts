import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Api, Model } from '@mariozechner/pi-ai';
import { anthropicFrames } from './scripted-llm/anthropic-messages';
import { bedrockFrames } from './scripted-llm/bedrock-converse-stream';
import { googleFrames } from './scripted-llm/google-generative-ai';
import { mistralFrames } from './scripted-llm/mistral-conversations';
import { completionsFrames } from './scripted-llm/openai-completions';
import { responsesFrames } from './scripted-llm/openai-responses';
import { toWireReply, type Frame, type ScriptedReply, type WireReply } from './scripted-llm/reply';

export type { ScriptedReply, ScriptedToolCall, ScriptedUsage } from './scripted-llm/reply';

/** The wire formats the server speaks; the path of a request decides which one answers. */
export type ScriptedApi =
  | 'anthropic-messages'
  | 'openai-completions'
  | 'openai-responses'
  | 'azure-openai-responses'
  | 'google-generative-ai'
  | 'mistral-conversations'
  | 'bedrock-converse-stream';

/** One request of a client, as it came in. */
export interface ScriptedRequest {
  readonly api: ScriptedApi;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Settles when the connection is over; `true` when the client went away before the reply was complete. */
  readonly closed: Promise<boolean>;
}

/** A reply that waits in the middle: `reached` settles when it waits, `release` lets the rest through. */
export interface HeldReply {
  readonly reached: Promise<ScriptedRequest>;
  release(): void;
}

interface Hold {
  readonly arrived: (request: ScriptedRequest) => void;
  readonly released: Promise<void>;
}

type Step =
  | { readonly kind: 'reply'; readonly reply: ScriptedReply }
  | { readonly kind: 'held'; readonly reply: ScriptedReply; readonly after: number; readonly hold: Hold }
  | { readonly kind: 'cut'; readonly reply: ScriptedReply; readonly after: number; readonly how: 'reset' | 'end' }
  | {
      readonly kind: 'cutBytes';
      readonly reply: ScriptedReply;
      readonly bytes: number;
      readonly sent: (whole: Buffer) => void;
    }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly message: string;
      readonly headers: Readonly<Record<string, string>>;
    };

const FRAMES: Readonly<Record<ScriptedApi, (reply: WireReply) => Frame[]>> = {
  'anthropic-messages': anthropicFrames,
  'openai-completions': completionsFrames,
  'openai-responses': responsesFrames,
  'azure-openai-responses': responsesFrames,
  'google-generative-ai': googleFrames,
  'mistral-conversations': mistralFrames,
  'bedrock-converse-stream': bedrockFrames,
};

const PATHS: readonly (readonly [RegExp, ScriptedApi])[] = [
  [/^\/v1\/messages$/, 'anthropic-messages'],
  [/^\/v1\/chat\/completions$/, 'openai-completions'],
  [/^\/v1\/responses$/, 'openai-responses'],
  [/^\/azure\/responses$/, 'azure-openai-responses'],
  [/^\/google\/models\/[^/]+:streamGenerateContent$/, 'google-generative-ai'],
  [/^\/mistral\/v1\/chat\/completions$/, 'mistral-conversations'],
  [/^\/bedrock\/model\/[^/]+\/converse-stream$/, 'bedrock-converse-stream'],
];

/** What stands in front of the path that a client adds to its base address. */
const BASES: Readonly<Record<ScriptedApi, string>> = {
  'anthropic-messages': '',
  'openai-completions': '/v1',
  'openai-responses': '/v1',
  'azure-openai-responses': '/azure',
  'google-generative-ai': '/google',
  'mistral-conversations': '/mistral',
  'bedrock-converse-stream': '/bedrock',
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/**
 * A language model on 127.0.0.1 that says what a test queued, over the real wire formats, so that pi-ai's real clients
 * can be driven without a network. Replies are taken in order; a request with nothing queued gets what `otherwise`
 * returns, or status 500 with a text that says so. Always `stop()` it.
 */
export class ScriptedLlm {
  /** Any key is accepted; this is the one tests pass. */
  readonly apiKey = 'scripted-key';
  readonly requests: ScriptedRequest[] = [];
  private readonly steps: Step[] = [];
  private fallback: ((request: ScriptedRequest) => ScriptedReply) | undefined;
  private serial = 0;

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.answer(request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    });
  }

  static async start(): Promise<ScriptedLlm> {
    const server = createServer();
    return new ScriptedLlm(server, await listen(server));
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>(resolve => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  /** Queued replies that no request has taken yet. */
  get pending(): number {
    return this.steps.length;
  }

  reply(...replies: readonly ScriptedReply[]): void {
    for (const reply of replies) this.steps.push({ kind: 'reply', reply });
  }

  /** Answers every request for which nothing is queued. */
  otherwise(answer: (request: ScriptedRequest) => ScriptedReply): void {
    this.fallback = answer;
  }

  /** Refuses one request with an HTTP status, in the provider's error format. `retryAfter` is in seconds. */
  fail(status: number, options: { readonly message?: string; readonly retryAfter?: number } = {}): void {
    const message = options.message ?? `scripted failure ${status}`;
    this.steps.push({
      kind: 'status',
      status,
      message,
      headers: options.retryAfter === undefined ? {} : { 'retry-after': String(options.retryAfter) },
    });
  }

  /**
   * Sends the first `after` events of a reply, then breaks off: `reset` destroys the socket, `end` closes the body
   * properly although the reply is not finished.
   */
  cut(reply: ScriptedReply, after: number, how: 'reset' | 'end' = 'reset'): void {
    this.steps.push({ kind: 'cut', reply, after, how });
  }

  /**
   * Sends the first bytes of a reply and then closes the body properly, as a proxy does whose own connection broke. Resolves
   * with all the bytes that there would have been.
   */
  cutBytes(reply: ScriptedReply, bytes: number): Promise<Buffer> {
    return new Promise(sent => this.steps.push({ kind: 'cutBytes', reply, bytes, sent }));
  }

  /** Sends the first `after` events of a reply (none: only the headers), then waits for `release`, `stop` or the client. */
  hold(reply: ScriptedReply = {}, after = 0): HeldReply {
    let arrived: (request: ScriptedRequest) => void = () => undefined;
    let release: () => void = () => undefined;
    const reached = new Promise<ScriptedRequest>(resolve => (arrived = resolve));
    const released = new Promise<void>(resolve => (release = resolve));
    this.steps.push({ kind: 'held', reply, after, hold: { arrived, released } });
    return {
      reached,
      release: () => release(),
    };
  }

  /** A model whose client talks to this server. Its provider is `scripted`, for which no environment key exists. */
  model(api: ScriptedApi = 'anthropic-messages', overrides: Partial<Model<Api>> = {}): Model<Api> {
    return scriptedModel(api, this.port, overrides);
  }

  /** A model whose port nobody listens on. */
  static async unreachableModel(api: ScriptedApi = 'anthropic-messages'): Promise<Model<Api>> {
    const server = createServer();
    const port = await listen(server);
    await new Promise<void>(resolve => server.close(() => resolve()));
    return scriptedModel(api, port, {});
  }

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '').replace(/\?.*$/, '');
    const api = PATHS.find(([pattern]) => pattern.test(path))?.[1];
    const body = await readJson(incoming);
    if (api === undefined) {
      sendError(response, 404, `scripted-llm does not know ${path}`);
      return;
    }
    const closed = new Promise<boolean>(resolve => response.once('close', () => resolve(!response.writableFinished)));
    const request: ScriptedRequest = { api, path, headers: incoming.headers, body, closed };
    this.requests.push(request);
    const step = this.steps.shift() ?? this.fallbackStep(request);
    if (step === undefined) sendError(response, 500, 'scripted-llm: no reply was queued for this request');
    else await this.perform(step, request, response);
  }

  private fallbackStep(request: ScriptedRequest): Step | undefined {
    return this.fallback === undefined ? undefined : { kind: 'reply', reply: this.fallback(request) };
  }

  private async perform(step: Step, request: ScriptedRequest, response: ServerResponse): Promise<void> {
    if (step.kind === 'status') {
      const { body, headers } = refusalFor(request.api, step);
      response.writeHead(step.status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
      return;
    }
    this.serial += 1;
    const model = typeof request.body['model'] === 'string' ? request.body['model'] : 'scripted-model';
    const frames = FRAMES[request.api](toWireReply(step.reply, this.serial, model));
    const isBinary = request.api === 'bedrock-converse-stream';
    const contentType = isBinary ? 'application/vnd.amazon.eventstream' : 'text/event-stream';
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache' });
    response.flushHeaders();
    if (step.kind === 'reply') {
      response.end(join(frames));
      return;
    }
    if (step.kind === 'cutBytes') {
      const whole = join(frames);
      step.sent(whole);
      response.end(whole.subarray(0, step.bytes));
      return;
    }
    await write(response, join(frames.slice(0, step.after)));
    if (step.kind === 'cut') {
      if (step.how === 'end') response.end();
      else response.destroy();
      return;
    }
    step.hold.arrived(request);
    await Promise.race([step.hold.released, request.closed]);
    if (!response.destroyed) response.end(join(frames.slice(step.after)));
  }
}

/** The refusal in the words of the API that was asked. */
function refusalFor(
  api: ScriptedApi,
  { status, message, headers }: Extract<Step, { kind: 'status' }>,
): { readonly body: unknown; readonly headers: Readonly<Record<string, string>> } {
  if (api === 'google-generative-ai') return { body: { error: { code: status, message, status: 'REFUSED' } }, headers };
  if (api === 'bedrock-converse-stream') {
    return { body: { message }, headers: { ...headers, 'x-amzn-errortype': 'AccessDeniedException' } };
  }
  return { body: { type: 'error', error: { type: ERROR_TYPES[status] ?? 'api_error', message } }, headers };
}

function scriptedModel(api: ScriptedApi, port: number, overrides: Partial<Model<Api>>): Model<Api> {
  const baseUrl = `http://127.0.0.1:${port}${BASES[api]}`;
  return {
    id: 'scripted-model',
    name: 'Scripted model',
    api,
    provider: 'scripted',
    baseUrl,
    reasoning: true,
    input: ['text', 'image'],
    cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 },
    contextWindow: 200_000,
    maxTokens: 8_192,
    ...overrides,
  };
}

function join(frames: readonly Frame[]): Buffer {
  return Buffer.concat(
    frames.map(frame => (typeof frame === 'string' ? Buffer.from(`${frame}\n\n`) : Buffer.from(frame))),
  );
}

function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  if (bytes.length === 0) return Promise.resolve();
  return new Promise(resolve => response.write(bytes, () => resolve()));
}

function sendError(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'api_error', message } }));
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

async function readJson(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const value: unknown = text === '' ? {} : JSON.parse(text);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
