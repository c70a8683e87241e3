import { createServer, type Server, type Socket } from 'node:net';
import { chmod } from 'node:fs/promises';
import type { Disposable } from '../../base/disposable';
import { Emitter } from '../../base/event';
import { realPathIfThere } from '../../base/files/on-disk';
import type { Log } from '../../base/log';
import { LineReader } from '../../base/text/line-reader';
import { messageLine, readFrontMessage, type FrontMessage, type HostMessage } from '../protocol/messages';
import { isSameSecret } from './secret';

/** How long a front may take to say hello, ms. */
const HELLO_MS = 10_000;
/** Longer lines are no messages, in characters. */
const LONGEST_LINE = 64 * 1024 * 1024;
/** A front that leaves more than this unread is sent away, in bytes: a stopped `guard watch` would fill the memory of the host. */
const MOST_UNREAD = 64 * 1024 * 1024;

type Hello = Extract<FrontMessage, { readonly type: 'hello' }>;

/** A window, a `guard watch` or a command that is connected to the host. */
export class Front {
  private readonly gone = new AbortController();
  /** Real paths of the open folders -> the paths that the window sent. */
  private open: ReadonlyMap<string, string>;

  constructor(
    private readonly socket: Socket,
    readonly hello: Hello,
  ) {
    this.open = byRealPath(hello.folders);
    // Before others hear that the front has gone.
    socket.prependOnceListener('close', () => this.gone.abort());
  }

  get role(): Hello['role'] {
    return this.hello.role;
  }

  /** Fires when the connection has ended. */
  get ended(): AbortSignal {
    return this.gone.signal;
  }

  /** Real paths of the folders that the window has open, with the paths that it sent. */
  get folders(): ReadonlyMap<string, string> {
    return this.open;
  }

  setFolders(folders: readonly string[]): void {
    this.open = byRealPath(folders);
  }

  send(message: HostMessage): void {
    if (this.socket.writable) this.socket.write(messageLine(message));
    if (this.socket.writableLength > MOST_UNREAD) this.socket.destroy();
  }
}

export interface FrontsParts {
  readonly secrets: { readonly client: string; readonly host: string };
  readonly version: string;
  readonly log: Log;
  /** {@link HELLO_MS} when absent. */
  readonly helloMs?: number;
}

/** Everything that is connected to the socket of the host. */
export class Fronts implements Disposable {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly connected = new Set<Front>();
  private readonly changeEmitter = new Emitter<Front>();
  private readonly messageEmitter = new Emitter<{ readonly front: Front; readonly message: FrontMessage }>();
  /** Fires when a front has come, and when one has gone. */
  readonly onDidChange = this.changeEmitter.event;
  readonly onDidReceive = this.messageEmitter.event;

  constructor(private readonly parts: FrontsParts) {
    this.server = createServer(socket => this.serve(socket));
  }

  /** In the order in which they came. */
  get all(): readonly Front[] {
    return [...this.connected];
  }

  /** Listens on a unix socket or a named pipe, which only this user can open. Rejects when the system does. */
  async listen(address: string): Promise<void> {
    const isFile = process.platform !== 'win32';
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(address, () => {
        this.server.off('error', reject);
        this.server.on('error', error => this.parts.log.error('The socket of the guard failed.', error));
        resolve();
      });
    });
    if (isFile) await chmod(address, 0o600);
  }

  dispose(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    this.changeEmitter.dispose();
    this.messageEmitter.dispose();
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    const late = setTimeout(() => socket.destroy(), this.parts.helloMs ?? HELLO_MS);
    let front: Front | undefined;
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(late);
      this.sockets.delete(socket);
      if (front !== undefined && this.connected.delete(front)) this.changeEmitter.fire(front);
    });
    new LineReader(socket, LONGEST_LINE).listen(
      line => {
        const message = readFrontMessage(line);
        if (!message.ok) {
          refuse(socket, `A message cannot be read: ${message.problems.map(problem => problem.message).join('; ')}`);
        } else if (front !== undefined) {
          this.take(front, message.value);
        } else {
          front = this.greet(socket, message.value);
          if (front !== undefined) clearTimeout(late);
        }
      },
      () => socket.destroy(),
    );
  }

  private greet(socket: Socket, message: FrontMessage): Front | undefined {
    if (message.type !== 'hello' || !isSameSecret(message.secret, this.parts.secrets.client)) {
      refuse(socket, 'The secret is wrong.');
      return undefined;
    }
    const front = new Front(socket, message);
    const { secrets, version } = this.parts;
    front.send({ type: 'welcome', secret: secrets.host, version, pid: process.pid });
    this.connected.add(front);
    this.changeEmitter.fire(front);
    return front;
  }

  private take(front: Front, message: FrontMessage): void {
    if (message.type === 'folders') front.setFolders(message.folders);
    this.messageEmitter.fire({ front, message });
  }
}

function refuse(socket: Socket, reason: string): void {
  if (socket.writable) socket.end(messageLine({ type: 'refused', reason }));
  socket.destroySoon();
}

function byRealPath(folders: readonly string[]): ReadonlyMap<string, string> {
  return new Map(folders.map(folder => [realPathIfThere(folder), folder]));
}
