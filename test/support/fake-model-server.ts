import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of models, or any other program, on a free port of 127.0.0.1. */
export class FakeModelServer {
  /** The requests so far: method and path, and the key. */
  readonly asked: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(answer: Answer): Promise<FakeModelServer> {
    const server = createServer((request, response) => {
      fake.asked.push([request.method, request.url, request.headers.authorization].join(' ').trim());
      answer(request, response);
    });
    await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
    const fake = new FakeModelServer(server, (server.address() as AddressInfo).port);
    return fake;
  }

  /** Answers with JSON by path, and with 404 elsewhere. */
  static json(byPath: Readonly<Record<string, unknown>>): Promise<FakeModelServer> {
    return FakeModelServer.start(({ url = '' }, response) => {
      const body = byPath[url];
      response.statusCode = body === undefined ? 404 : 200;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body ?? { error: 'not found' }));
    });
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise(resolve => void this.server.close(() => resolve()));
  }
}

/** What Ollama answers; each of its models sees images and thinks. */
export function ollama(...names: readonly string[]): Promise<FakeModelServer> {
  return FakeModelServer.json({
    '/api/tags': { models: names.map(name => ({ name, model: name, size: 1 })) },
    '/api/show': {
      capabilities: ['completion', 'tools', 'vision', 'thinking'],
      model_info: { 'gemma.context_length': 32_768 },
    },
  });
}
