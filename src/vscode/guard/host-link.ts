import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { deferred, sleep } from '../../base/async/wait';
import { HostConnection, type GuardFrontFacts } from '../../guard/host/host-connection';
import type { FrontMessage, HostMessage } from '../../guard/protocol/messages';
import type { GuardPlace } from '../../guard/protocol/place';

/** Waits before the next try to reach the host, in ms: the first one after a connection, and the longest. */
const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 30_000;

export interface HostLinkParts {
  readonly place: GuardPlace;
  readonly version: string;
  /** Absolute paths of the folders whose calls this window answers. */
  readonly folders: readonly string[];
  /** Starts a host. Rejects when it did not start. */
  readonly start: () => Promise<void>;
  readonly take: (message: HostMessage) => void;
  /** Is called when the connection has ended: nothing that the host asked waits for an answer any more. */
  readonly lost: () => void;
  readonly log: Log;
}

/** The connection of a window to the host of the guard. It starts the host, and connects again when the host has ended. */
export class HostLink implements Disposable {
  private readonly end = new AbortController();
  private connection: HostConnection | undefined;
  private readonly tried = deferred();
  /** Resolves when the first try to reach the host is over. */
  readonly firstTry: Promise<void> = this.tried.promise;

  constructor(private readonly parts: HostLinkParts) {
    void this.keepConnected();
  }

  /** Does nothing without a connection. */
  send(message: FrontMessage): void {
    this.connection?.send(message);
  }

  dispose(): void {
    this.end.abort();
    this.connection?.dispose();
  }

  private async keepConnected(): Promise<void> {
    const { signal } = this.end;
    let wait = FIRST_WAIT_MS;
    while (!signal.aborted) {
      const connection = await this.connect();
      const isLost = connection === undefined ? undefined : this.untilLost(connection);
      this.tried.resolve();
      await isLost;
      wait = connection === undefined ? Math.min(wait * 2, MOST_WAIT_MS) : FIRST_WAIT_MS;
      if (!(await sleep(wait, signal))) return;
    }
  }

  private async connect(): Promise<HostConnection | undefined> {
    const { place, version, folders, start, log } = this.parts;
    const front: GuardFrontFacts = { role: 'window', version, folders: [...folders], offersTools: true };
    try {
      const running = await HostConnection.open(place, front);
      if (running !== undefined || this.end.signal.aborted) return running;
      await start();
      return await HostConnection.open(place, front);
    } catch (error) {
      log.error(`The host of the guard cannot be reached: ${messageOf(error)}`, error);
      return undefined;
    }
  }

  private async untilLost(connection: HostConnection): Promise<void> {
    const { take, lost } = this.parts;
    this.connection = connection;
    await new Promise<void>(resolve => {
      connection.listen(take, resolve);
      if (this.end.signal.aborted) connection.dispose();
    });
    this.connection = undefined;
    lost();
  }
}
