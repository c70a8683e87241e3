import type { Static, TSchema } from '@sinclair/typebox';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { ClientCapabilities } from './schema';

/** Whoever speaks the Agent Client Protocol with Hookline: an editor, as the methods of the protocol use it. */
export interface AcpClient {
  /** What it can do, as it said in `initialize`. */
  readonly capabilities: ClientCapabilities;
  /** Sends a notification. Messages arrive in the order in which they are sent. */
  notify(method: string, params: object): void;
  /**
   * Sends a request, and resolves with its answer once that was checked. Rejects when the client answers with an error or
   * with something else than `result` describes, or is gone. An aborted `signal` withdraws the request
   * (`$/cancel_request`) and rejects; a late answer is then ignored.
   */
  request<S extends TSchema>(method: string, params: object, result: S, signal?: AbortSignal): Promise<Static<S>>;
  /** See `ConversationPorts.whenDrained`. */
  whenDrained(): Promise<void> | undefined;
}

/** The client, as the parts of one session use it: each message names the session. */
export interface SessionClient extends Pick<AcpClient, 'capabilities' | 'request' | 'whenDrained'> {
  readonly sessionId: string;
  /** Sends `session/update`. What is sent before the session was answered for waits until then. */
  update(update: SessionUpdate): void;
  /** Sends a notification of Hookline's own about the session, such as `_hookline/ui`. It waits as updates do. */
  notify(method: string, params: object): void;
}
