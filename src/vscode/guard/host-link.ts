import { createConnection, type Socket } from 'node:net';
import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { sleep } from '../../base/async/wait';
import { LineReader } from '../../base/text/line-reader';
import type { Endpoint } from '../../guard/protocol/endpoint';
import { messageLine, readHostMessage, type FrontMessage, type HostMessage } from '../../guard/protocol/messages';

/** Waits before the next try to reach the host, in ms: the first one after a connection, and the longest. */
const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 30_000;

/** What the host sends after its welcome. */
export type HostRequest = Exclude<HostMessage, { readonly type: 'welcome' | 'refused' }>;

export interface HostLinkParts {
  readonly version: string;
  /** Absolute paths of the folders whose calls this window answers. */
  readonly folders: () => readonly string[];
  /** How the running host is reached; undefined when none runs. */
  readonly endpoint: () => Endpoint | undefined;
  /** Starts a host; resolves with how it is reached, or undefined when it did not start. */
  readonly start: () => Promise<Endpoint | undefined>;
  readonly take: (message: HostRequest) => void;
  /** Is called when the connection has ended: nothing that the host asked waits for an answer any more. */
  readonly lost: () => void;
  readonly log: Log;
}

/** The connection of a window to the host of the guard. It starts the host, and connects again when the host has ended. */
export class HostLink implements Disposable {
  private readonly end = new AbortController();
  private socket: Socket | undefined;
  private isWelcome = false;

  constructor(private readonly parts: HostLinkParts) {
    void this.keepConnected();
  }

  /** Whether the host has proved that it is the host. */
  get isConnected(): boolean {
    return this.isWelcome;
  }

  /** Does nothing without a connection. */
  send(message: FrontMessage): void {
    if (this.isWelcome && this.socket?.writable === true) this.socket.write(messageLine(message));
  }

  dispose(): void {
    this.end.abort();
    this.socket?.destroy();
  }

  private async keepConnected(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    while (!this.end.signal.aborted) {
      const wasWelcome = await this.connectOnce();
      wait = wasWelcome ? FIRST_WAIT_MS : Math.min(wait * 2, MOST_WAIT_MS);
      if (!(await sleep(wait, this.end.signal))) return;
    }
  }

  /** Resolves when the connection is over, with whether there was one. */
  private async connectOnce(): Promise<boolean> {
    const { parts } = this;
    try {
      const running = parts.endpoint();
      if (running !== undefined && (await this.talk(running))) return true;
      if (this.end.signal.aborted) return false;
      const started = await parts.start();
      return started !== undefined && (await this.talk(started));
    } catch (error) {
      parts.log.error(`The host of the guard could not be started: ${messageOf(error)}`, error);
      return false;
    }
  }

  /** Resolves when the connection is over, with whether the host was the right one. */
  private talk(endpoint: Endpoint): Promise<boolean> {
    if (this.end.signal.aborted) return Promise.resolve(false);
    const { version, folders, lost, log } = this.parts;
    const socket = createConnection(endpoint.socket);
    this.socket = socket;
    socket.on('error', error => log.info(`The connection to the host of the guard ended: ${messageOf(error)}`));
    const hello: FrontMessage = {
      type: 'hello',
      secret: endpoint.client,
      role: 'window',
      version,
      folders: [...folders()],
    };
    socket.once('connect', () => socket.write(messageLine(hello)));
    return new Promise(resolve => {
      let isOver = false;
      const over = (): void => {
        if (isOver) return;
        isOver = true;
        const wasWelcome = this.isWelcome;
        this.isWelcome = false;
        socket.destroy();
        if (wasWelcome) lost();
        resolve(wasWelcome);
      };
      socket.once('close', over);
      new LineReader(socket).listen(line => {
        if (!isOver && !this.takeLine(line, endpoint)) over();
      }, over);
    });
  }

  /** Whether the connection goes on. */
  private takeLine(line: string, { host }: Endpoint): boolean {
    const { take, log } = this.parts;
    const read = readHostMessage(line);
    if (!read.ok) {
      // A host of a newer version may say more than this window knows.
      log.warn(`A message of the host of the guard cannot be read: ${read.problems[0]?.message ?? ''}`);
      return this.isWelcome;
    }
    const message = read.value;
    if (message.type === 'refused') {
      log.warn(`The host of the guard does not take this window: ${message.reason}`);
      return false;
    }
    if (message.type === 'welcome') {
      this.isWelcome = message.secret === host;
      if (!this.isWelcome) log.error('Another program answers in place of the host of the guard.');
      return this.isWelcome;
    }
    if (this.isWelcome) take(message);
    return this.isWelcome;
  }
}
