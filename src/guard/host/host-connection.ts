import { createConnection, type Socket } from 'node:net';
import { deferred, withTimeout } from '../../base/async/wait';
import type { Disposable } from '../../base/disposable';
import { LineReader } from '../../base/text/line-reader';
import { readEndpoint, type Endpoint } from '../protocol/endpoint';
import { messageLine, readHostLine, type FrontMessage, type HostMessage } from '../protocol/messages';
import type { GuardPlace } from '../protocol/place';

/** How long the host may take to answer the first message, ms. */
const WELCOME_MS = 5_000;

type Hello = Extract<FrontMessage, { readonly type: 'hello' }>;

/** Who connects. */
export type GuardFrontFacts = Pick<Hello, 'role' | 'version' | 'folders' | 'offersTools'>;

/** A connection to the host, which has proven that it is the host. */
export class HostConnection implements Disposable {
  /** What came before there is a listener; the first message is the answer to ours. */
  private waiting: HostMessage[] = [];
  private onMessage: ((message: HostMessage) => void) | undefined;
  private onEnd: (() => void) | undefined;
  private hasEnded = false;
  private readonly came = deferred();

  private constructor(private readonly socket: Socket) {
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      this.hasEnded = true;
      this.came.resolve();
      this.onEnd?.();
    });
    new LineReader(socket).listen(
      line => this.take(line),
      () => socket.destroy(),
    );
  }

  /**
   * Connects to the host; undefined when none runs, or when something else answers in its place.
   * @throws Error with the host's reason when it sends this front away
   */
  static async open(place: GuardPlace, front: GuardFrontFacts): Promise<HostConnection | undefined> {
    const endpoint = readEndpoint(place);
    if (endpoint === undefined) return undefined;
    const connection = new HostConnection(createConnection(endpoint.socket));
    connection.send({ type: 'hello', secret: endpoint.client, ...front });
    await withTimeout(connection.came.promise, WELCOME_MS, () => undefined);
    if (connection.isProven(endpoint)) return connection;
    connection.dispose();
    return undefined;
  }

  /** Calls `onMessage` for each message after the first one, and `onEnd` once, when the host is gone. To be called once. */
  listen(onMessage: (message: HostMessage) => void, onEnd: () => void): void {
    this.onMessage = onMessage;
    this.onEnd = onEnd;
    for (const message of this.waiting.splice(0)) onMessage(message);
    if (this.hasEnded) onEnd();
  }

  /** Does nothing when the host is gone. */
  send(message: FrontMessage): void {
    this.socket.write(messageLine(message));
  }

  dispose(): void {
    this.socket.destroy();
  }

  /** Whether the first message is the host's welcome. @throws Error with the reason of its refusal */
  private isProven({ host }: Endpoint): boolean {
    const [first] = this.waiting.splice(0, 1);
    if (first?.type === 'refused') throw new Error(first.reason);
    return first?.type === 'welcome' && first.secret === host;
  }

  /** Messages that this version does not know are left out. */
  private take(line: string): void {
    const message = readHostLine(line);
    if (!message.ok) return;
    if (this.onMessage === undefined) this.waiting.push(message.value);
    else this.onMessage(message.value);
    this.came.resolve();
  }
}
