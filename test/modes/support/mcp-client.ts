import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { LineReader } from '../../../src/base/text/line-reader';

/** A message of the server, read without checks. */
export interface McpMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** The result of a call, or the error in its place. */
export interface McpOutcome {
  readonly text: string;
  readonly isError: boolean;
  readonly content: readonly Readonly<Record<string, unknown>>[];
}

/** Talks to an MCP server on the stdin and stdout of a process, message by message. */
export class McpClient {
  readonly notices: McpMessage[] = [];
  stderr = '';
  private count = 0;
  private readonly waiting = new Map<number, (message: McpMessage) => void>();
  private wake: () => void = () => undefined;

  constructor(readonly child: ChildProcessWithoutNullStreams) {
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    child.stdin.on('error', () => undefined);
    new LineReader(child.stdout).listen(
      line => this.take(JSON.parse(line) as McpMessage),
      () => {
        for (const settle of this.waiting.values()) settle({ error: { code: 0, message: 'the server has ended' } });
      },
    );
  }

  /** Begins the session; returns what the server says about itself. */
  async initialize(name = 'a client'): Promise<Readonly<Record<string, unknown>>> {
    const clientInfo = { name, version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const { result = {} } = await this.ask('initialize', params);
    this.send({ method: 'notifications/initialized' });
    return result;
  }

  async tools(): Promise<readonly McpTool[]> {
    const { result, error } = await this.ask('tools/list', {});
    if (error !== undefined) throw new Error(error.message);
    return result?.['tools'] as readonly McpTool[];
  }

  async names(): Promise<readonly string[]> {
    return (await this.tools()).map(({ name }) => name);
  }

  async call(name: string, args: object = {}, meta?: object): Promise<McpOutcome> {
    return outcomeOf(await this.startCall(name, args, meta).answer);
  }

  startCall(
    name: string,
    args: object = {},
    meta?: object,
  ): { readonly id: number; readonly answer: Promise<McpMessage> } {
    return this.start('tools/call', { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) });
  }

  ask(method: string, params: object): Promise<McpMessage> {
    return this.start(method, params).answer;
  }

  send(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Resolves with the next notification of this name that nobody has taken. */
  async notice(method: string): Promise<McpMessage> {
    for (;;) {
      const index = this.notices.findIndex(message => message.method === method);
      const [found] = index < 0 ? [] : this.notices.splice(index, 1);
      if (found !== undefined) return found;
      await new Promise<void>(resolve => (this.wake = resolve));
    }
  }

  private start(method: string, params: object): { readonly id: number; readonly answer: Promise<McpMessage> } {
    const id = (this.count += 1);
    const answer = new Promise<McpMessage>(resolve => this.waiting.set(id, resolve));
    this.send({ id, method, params });
    return { id, answer };
  }

  private take(message: McpMessage): void {
    if (message.id !== undefined && message.method === undefined) {
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
      return;
    }
    this.notices.push(message);
    this.wake();
  }
}

export function outcomeOf({ result, error }: McpMessage): McpOutcome {
  if (error !== undefined) return { text: error.message, isError: true, content: [] };
  const content = (result?.['content'] ?? []) as readonly Readonly<Record<string, string>>[];
  const text = content.map(part => part['text'] ?? `[${part['type']}]`).join('\n');
  return { text, isError: result?.['isError'] === true, content };
}
