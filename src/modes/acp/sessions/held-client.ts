import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Static, TSchema } from '@sinclair/typebox';
import { deferred, unlessAborted } from '../../../base/async/wait';
import type { AcpClient, SessionClient } from '../client';

/**
 * The client of one session. It learns of the session by the answer to its request: until {@link release}, all messages about
 * the session wait.
 */
export class HeldClient implements SessionClient {
  private readonly released = deferred();
  /** Undefined once the client knows of the session. */
  private waiting: (() => void)[] | undefined = [];

  constructor(
    private readonly client: AcpClient,
    readonly sessionId: string,
  ) {}

  get capabilities(): AcpClient['capabilities'] {
    return this.client.capabilities;
  }

  update(update: SessionUpdate): void {
    this.notify('session/update', { update });
  }

  notify(method: string, params: object): void {
    const send = (): void => this.client.notify(method, { sessionId: this.sessionId, ...params });
    if (this.waiting === undefined) send();
    else this.waiting.push(send);
  }

  async request<S extends TSchema>(
    method: string,
    params: object,
    result: S,
    signal?: AbortSignal,
  ): Promise<Static<S>> {
    await unlessAborted(this.released.promise, signal, () => undefined);
    return this.client.request(method, params, result, signal);
  }

  whenDrained(): Promise<void> | undefined {
    return this.client.whenDrained();
  }

  /** Sends what belongs to the answer that the client waits for: it knows the session by its own request. */
  pass(update: SessionUpdate): void {
    this.client.notify('session/update', { sessionId: this.sessionId, update });
  }

  get isReleased(): boolean {
    return this.waiting === undefined;
  }

  /** Sends `first`, then what has waited, and from now on each message at once. */
  release(...first: readonly SessionUpdate[]): void {
    const { waiting } = this;
    if (waiting === undefined) return;
    this.waiting = undefined;
    for (const update of first) this.update(update);
    for (const send of waiting) send();
    this.released.resolve();
  }
}
