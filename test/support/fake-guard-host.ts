import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { LineReader } from '../../src/base/text/line-reader';
import { writeEndpoint } from '../../src/guard/protocol/endpoint';
import { messageLine, readFrontMessage, type FrontMessage, type HostMessage } from '../../src/guard/protocol/messages';
import { makeGuardFolder, type GuardPlace } from '../../src/guard/protocol/place';

const SECRETS = { client: 'c'.repeat(64), host: 'a'.repeat(64) };

/** A host of the guard that a test plays. */
export class FakeGuardHost {
  private readonly server: Server;
  readonly sockets: Socket[] = [];
  readonly messages: FrontMessage[] = [];
  private wake: () => void = () => undefined;

  constructor(private readonly place: GuardPlace) {
    this.server = createServer(socket => {
      this.sockets.push(socket);
      socket.on('error', () => undefined);
      new LineReader(socket).listen(
        line => {
          const read = readFrontMessage(line);
          assert.ok(read.ok, line);
          this.messages.push(read.value);
          this.wake();
        },
        () => undefined,
      );
    });
  }

  /** Listens, and says in the guard folder how it is reached. */
  async listen(): Promise<void> {
    const { socket } = this.place;
    await makeGuardFolder(this.place);
    await new Promise<void>(resolve => this.server.listen(socket, resolve));
    await writeEndpoint(this.place, { ...SECRETS, port: 1, pid: process.pid, socket, version: '1' });
  }

  get isListening(): boolean {
    return this.server.listening;
  }

  send(message: HostMessage): void {
    this.sockets.at(-1)?.write(messageLine(message));
  }

  welcome(secret = SECRETS.host): void {
    this.send({ type: 'welcome', secret, version: '1', pid: process.pid });
  }

  /** The message with this number, counted from 0. */
  async message(index: number): Promise<FrontMessage> {
    for (;;) {
      const message = this.messages[index];
      if (message !== undefined) return message;
      await new Promise<void>(resolve => (this.wake = resolve));
    }
  }

  /** Ends as a process that is killed: its endpoint stays. */
  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise(resolve => this.server.close(resolve));
  }
}
