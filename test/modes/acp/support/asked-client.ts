import assert from 'node:assert/strict';
import type { ClientCapabilities, SessionUpdate } from '@agentclientprotocol/sdk';
import type { Static, TSchema } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import type { SessionClient } from '../../../../src/modes/acp/client';
import { wrongMessage } from '../../support/acp-schema';

/** What clients offer, from everything to nothing. */
export const PROFILES = {
  everything: { elicitation: { form: {}, url: {} }, session: { notices: {} }, _meta: { hookline: {} } },
  noForms: { session: { notices: {} }, elicitation: { url: {} } },
  nothing: {},
} as const satisfies Record<string, ClientCapabilities>;

export interface AskedRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal | undefined;
  /** Gives what the client answers. */
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A client of one session that answers what a test says, and checks each message by the schema of the protocol. */
export class AskedClient implements SessionClient {
  readonly sessionId = 's-1';
  readonly requests: AskedRequest[] = [];
  readonly updates: SessionUpdate[] = [];
  readonly notifications: { readonly method: string; readonly params: object }[] = [];
  private waiting: (() => void) | undefined;

  constructor(readonly capabilities: ClientCapabilities = PROFILES.everything) {}

  update(update: SessionUpdate): void {
    this.updates.push(update);
    this.check('session/update', { sessionId: this.sessionId, update });
  }

  notify(method: string, params: object): void {
    this.notifications.push({ method, params });
  }

  whenDrained(): undefined {
    return undefined;
  }

  async request<S extends TSchema>(
    method: string,
    params: object,
    result: S,
    signal?: AbortSignal,
  ): Promise<Static<S>> {
    this.check(method, params);
    const answer = await new Promise<unknown>((resolve, reject) => {
      const request = { method, params: params as AskedRequest['params'], signal, resolve, reject };
      this.requests.push(request);
      this.waiting?.();
    });
    if (!Check(result, answer)) throw new Error(`${method}: the answer does not fit`);
    return answer;
  }

  /** The request with this number, from 0, once it was sent. */
  async sent(index: number): Promise<AskedRequest> {
    for (;;) {
      const found = this.requests[index];
      if (found !== undefined) return found;
      await new Promise<void>(resolve => (this.waiting = resolve));
    }
  }

  private check(method: string, message: object): void {
    const sent: unknown = JSON.parse(JSON.stringify(message));
    assert.equal(wrongMessage(method, sent, this.capabilities), undefined, JSON.stringify(sent));
  }
}
