import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MODEL_APIS } from './model-apis';
import type { ModelApi, ModelTurn } from './model-turn';

/** What an agent sent to the built-in model. */
export interface RecordedRequest {
  readonly api: ModelApi;
  /** Names of the tools that the model may call. */
  readonly tools: readonly string[];
  /** The results of earlier calls in this conversation, as the model gets them, oldest first. */
  readonly results: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * A language model on 127.0.0.1 that says what `answer` returns, by Anthropic's Messages, OpenAI's Responses and Chat Completions,
 * and Google's Generative AI. It takes any key, and keeps what agents send it. Stop it when it is no longer needed.
 */
export class ModelServer {
  readonly requests: RecordedRequest[] = [];
  private serial = 0;

  private constructor(
    private readonly server: Server,
    private readonly answer: (request: RecordedRequest) => ModelTurn,
  ) {
    server.on('request', (incoming, response) => {
      this.serve(incoming, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    });
  }

  /** `answer` is called for each request, those that an agent makes beside its conversation, too. */
  static async start(answer: (request: RecordedRequest) => ModelTurn): Promise<ModelServer> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new ModelServer(server, answer);
  }

  /** The base address; clients of OpenAI's APIs want `/v1` behind it. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Whether a text was in a request: in a prompt, a result or another message. */
  hasSeen(text: string): boolean {
    return this.requests.some(({ body }) => hasText(body, text));
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>(resolve => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '').replace(/\?.*$/, '');
    const body = await readObject(incoming);
    const api = PATHS.find(([pattern]) => pattern.test(path))?.[1];
    const asked = path.endsWith(':streamGenerateContent') ? { ...body, stream: true } : body;
    if (api !== undefined) this.say(api, asked, response);
    else if (path.endsWith('/messages/count_tokens')) sendJson(response, { input_tokens: 10 });
    else if (path.endsWith(':countTokens')) sendJson(response, { totalTokens: 10 });
    // Codex reads `models`, others `data`: nobody finds a model here, and all then use what they know of the model.
    else if (path.endsWith('/models')) sendJson(response, { object: 'list', data: [], models: [] });
    else sendJson(response, { error: { type: 'not_found_error', message: `this model has no ${path}` } }, 404);
  }

  private say(api: ModelApi, body: RecordedRequest['body'], response: ServerResponse): void {
    const request = { api, tools: toolsOf(body), results: resultsOf(body), body };
    this.requests.push(request);
    const model = typeof body['model'] === 'string' ? body['model'] : 'built-in';
    const { events, whole } = MODEL_APIS[api](this.answer(request), { id: `turn_${(this.serial += 1)}`, model });
    if (body['stream'] !== true) {
      sendJson(response, whole);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.end(events.join(''));
  }
}

const PATHS: readonly (readonly [RegExp, ModelApi])[] = [
  [/\/messages$/, 'anthropic-messages'],
  [/\/responses$/, 'openai-responses'],
  [/\/chat\/completions$/, 'openai-completions'],
  [/\/models\/[^/]+:(?:generateContent|streamGenerateContent)$/, 'google-generative-ai'],
];

type Json = Readonly<Record<string, unknown>>;

function toolsOf(body: Json): string[] {
  return objectsIn(body['tools'])
    .flatMap(tool => (tool['functionDeclarations'] === undefined ? [tool] : objectsIn(tool['functionDeclarations'])))
    .map(tool => String(tool['name'] ?? asObject(tool['function'])['name'] ?? tool['type']));
}

function resultsOf(body: Json): string[] {
  const messages = [...objectsIn(body['messages']), ...objectsIn(body['input']), ...objectsIn(body['contents'])];
  const blocks = messages.flatMap(message => [
    message,
    ...objectsIn(message['content']),
    ...objectsIn(message['parts']),
  ]);
  return blocks.flatMap(block => {
    if (block['functionResponse'] !== undefined) return [googleResult(asObject(block['functionResponse'])['response'])];
    if (block['type'] === 'tool_result' || block['role'] === 'tool') return [textOf(block['content'])];
    if (block['type'] === 'tool_search_output') return [JSON.stringify(block['tools'])];
    return String(block['type']).endsWith('_call_output') ? [textOf(block['output'])] : [];
  });
}

/** Google's API takes any object; agents give the text in `output` or `error`. */
function googleResult(response: unknown): string {
  const { output, error } = asObject(response);
  const text = output ?? error;
  return typeof text === 'string' ? text : JSON.stringify(response);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return objectsIn(value)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

function hasText(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.includes(text);
  return typeof value === 'object' && value !== null && Object.values(value).some(part => hasText(part, text));
}

function objectsIn(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** The body of a request; an empty object where it is none. @throws {SyntaxError} when it is no JSON */
async function readObject(incoming: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : asObject(JSON.parse(text));
}
