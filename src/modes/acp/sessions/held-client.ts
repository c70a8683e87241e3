import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Static, TSchema } from '@sinclair/typebox';
import { unlessAborted } from '../../../base/async/wait';
import type { AcpClient, SessionClient } from '../client';

/**
 * The client of one session. It learns of the session by the answer to its request: until the first {@link release}, all
 * messages about the session wait.
 */
export class HeldClient implements SessionClient {
  private holds = 1;
  private waiting: (() => void)[] = [];

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
    if (this.holds === 0) send();
    else this.waiting.push(send);
  }

  async request<S extends TSchema>(
    method: string,
    params: object,
    result: S,
    signal?: AbortSignal,
  ): Promise<Static<S>> {
    if (this.holds > 0) {
      const released = new Promise<void>(resolve => this.waiting.push(resolve));
      await unlessAborted(released, signal, () => undefined);
    }
    return this.client.request(method, params, result, signal);
  }

  whenDrained(): Promise<void> | undefined {
    return this.client.whenDrained();
  }

  /** Sends at once what belongs to the answer that the client waits for: it knows the session by its own request. */
  pass(update: SessionUpdate): void {
    this.client.notify('session/update', { sessionId: this.sessionId, update });
  }

  /** Lets all messages wait until the {@link release} that belongs to it. */
  hold(): void {
    this.holds += 1;
  }

  /** Sends what has waited, and from now on each message at once; unless something else still holds the messages. */
  release(): void {
    this.holds -= 1;
    if (this.holds > 0) return;
    const { waiting } = this;
    this.waiting = [];
    for (const send of waiting) send();
  }
}
