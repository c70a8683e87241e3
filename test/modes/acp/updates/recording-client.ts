import assert from 'node:assert/strict';
import type { ClientCapabilities, SessionUpdate } from '@agentclientprotocol/sdk';
import type { SessionClient } from '../../../../src/modes/acp/client';
import { wrongMessage } from '../../support/acp-schema';

/** What a client can do that shows everything. */
export const SHOWS_ALL: ClientCapabilities = {
  session: { notices: {}, compaction: {} },
  _meta: { terminal_output: true },
};

/** A client that keeps all updates. Each must be valid in the protocol, as JSON. */
export class RecordingClient implements SessionClient {
  readonly sessionId = 'session';
  readonly updates: SessionUpdate[] = [];
  /** While it is set, the client does not read. */
  unread: Promise<void> | undefined;

  constructor(readonly capabilities: ClientCapabilities = {}) {}

  update(update: SessionUpdate): void {
    const sent = JSON.parse(JSON.stringify(update)) as SessionUpdate;
    const wrong = wrongMessage('session/update', { sessionId: 'session', update: sent }, this.capabilities);
    assert.equal(wrong, undefined, JSON.stringify(sent));
    this.updates.push(sent);
  }

  notify(method: string): never {
    throw new Error(`Updates send no ${method}.`);
  }

  request(): Promise<never> {
    return Promise.reject(new Error('Updates ask nothing.'));
  }

  whenDrained(): Promise<void> | undefined {
    return this.unread;
  }

  /** Those of one kind, in order. */
  of<K extends SessionUpdate['sessionUpdate']>(kind: K): Extract<SessionUpdate, { sessionUpdate: K }>[] {
    return this.updates.filter(update => update.sessionUpdate === kind) as Extract<
      SessionUpdate,
      { sessionUpdate: K }
    >[];
  }

  /** All updates of one call, in order. */
  call(toolCallId: string): SessionUpdate[] {
    return this.updates.filter(update => 'toolCallId' in update && update.toolCallId === toolCallId);
  }

  /** The texts of the messages of one kind, each joined from its pieces. */
  texts(kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk'): string[] {
    const texts = new Map<unknown, string>();
    for (const { messageId, content } of this.of(kind)) {
      const text = content.type === 'text' ? content.text : `[${content.type}]`;
      texts.set(messageId, (texts.get(messageId) ?? '') + text);
    }
    return [...texts.values()];
  }
}
