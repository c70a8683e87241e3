import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { messageLine, readHostLine, type FrontMessage, type HostMessage } from '../../../src/guard/protocol/messages';
import type { Endpoint } from '../../../src/guard/protocol/endpoint';

type Hello = Extract<FrontMessage, { readonly type: 'hello' }>;

/** A window or a `guard watch` as the host sees it, whose person answers each question in the same way. */
export class ScriptedFront {
  readonly received: HostMessage[] = [];
  private rest = '';

  private constructor(
    private readonly socket: Socket,
    private readonly answer: (message: HostMessage) => FrontMessage | undefined,
  ) {
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.rest + text).split('\n');
      this.rest = lines.pop() ?? '';
      for (const line of lines) this.take(line);
    });
  }

  /** Resolves when the host has taken the front in. */
  static async connect(
    { socket: path, client: secret, host }: Endpoint,
    hello: Pick<Hello, 'role' | 'folders'>,
    answer: (message: HostMessage) => FrontMessage | undefined,
  ): Promise<ScriptedFront> {
    const socket = connect(path);
    await once(socket, 'connect');
    const front = new ScriptedFront(socket, answer);
    front.send({ type: 'hello', secret, version: '0.0.0', ...hello });
    while (front.received.length === 0) await once(socket, 'data');
    const [welcome] = front.received;
    if (welcome?.type !== 'welcome' || welcome.secret !== host) throw new Error(JSON.stringify(welcome));
    return front;
  }

  end(): void {
    this.socket.destroy();
  }

  private take(line: string): void {
    const read = readHostLine(line);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    this.received.push(read.value);
    const answer = this.answer(read.value);
    if (answer !== undefined) this.send(answer);
  }

  private send(message: FrontMessage): void {
    this.socket.write(messageLine(message));
  }
}
