import type { Readable } from 'node:stream';
import { withTimeout } from '../../base/async/wait';
import type { Output } from '../terminal/output';
import type { StopRequest } from '../terminal/stop-request';
import { waitForReader } from '../terminal/wait-for-reader';
import type { AcpClient } from './client';
import { ACP_ERRORS, AcpError, invalidParams } from './connection/acp-error';
import { AcpConnection } from './connection/connection';
import { onRequest, type MethodTable, type SessionMethods } from './connection/methods';
import { initializeAnswer, KEY_METHOD, readCapabilities, WAYS_TO_A_KEY } from './initialize';
import { AuthenticateParams, InitializeParams } from './schema';

/** How long answers to what runs are waited for when the process ends, in ms. */
const ANSWER_LIMIT_MS = 2000;

export interface AcpParts {
  readonly stdin: Readable;
  readonly output: Output;
  readonly stop: StopRequest;
  /** The version of Hookline. */
  readonly version: string;
  /** Loads the code of sessions. What it resolves with is called once, when the client first uses a method of sessions. */
  readonly loadSessions?: () => Promise<(client: AcpClient) => SessionMethods>;
  /** Whether some model can be used: a key or a login is known for its provider. */
  readonly hasKey: () => Promise<boolean>;
}

/**
 * Serves the Agent Client Protocol on stdin and stdout. Its end is that of the client: stdin that ends, or a signal. Hooks and
 * models are loaded when the client uses the first session, not before.
 */
export class AcpServer {
  private readonly connection: AcpConnection;
  private readonly base: MethodTable;
  private sessions: Promise<SessionMethods> | undefined;
  private isInitialized = false;

  constructor(private readonly parts: AcpParts) {
    const { stdin, output, stop } = parts;
    this.base = { requests: this.baseRequests(), notifications: {} };
    this.connection = new AcpConnection({
      stdin,
      output,
      methodsFor: method => this.methodsFor(method),
      onLine: () => {
        stop.prepare();
        void waitForReader({ stdin, output, stop });
      },
      onEnd: () => stop.ask(0),
    });
  }

  /** Starts no more work. Resolves when what runs was answered, and all sessions are closed. */
  async end(): Promise<void> {
    const answered = withTimeout(this.connection.close(), ANSWER_LIMIT_MS, () => undefined);
    await Promise.all([
      answered,
      this.sessions?.then(
        sessions => sessions.dispose(),
        () => undefined, // Then nothing was opened.
      ),
    ]);
  }

  private async methodsFor(method: string): Promise<MethodTable> {
    if (method !== 'initialize' && !this.isInitialized) {
      throw new AcpError(ACP_ERRORS.invalidRequest, `"${method}" comes before "initialize".`);
    }
    const { loadSessions, stop } = this.parts;
    if (!/^_?session\//.test(method) || loadSessions === undefined) return this.base;
    this.sessions ??= loadSessions().then(open => {
      const sessions = open(this.connection);
      stop.prepare = () => sessions.restoreGlobals();
      return sessions;
    });
    return this.sessions;
  }

  /** Loads code while the client decides about a session; nothing of a folder is read. */
  private loadSessionsAhead(): void {
    setImmediate(() => {
      this.parts.loadSessions?.().catch(() => undefined); // The first method of sessions loads it again and tells.
    });
  }

  private baseRequests(): MethodTable['requests'] {
    return {
      initialize: onRequest(InitializeParams, ({ clientCapabilities }) => {
        if (this.isInitialized) throw new AcpError(ACP_ERRORS.invalidRequest, '"initialize" was already called.');
        this.isInitialized = true;
        this.connection.capabilities = readCapabilities(clientCapabilities);
        return {
          result: initializeAnswer(this.connection.capabilities, this.parts.version),
          after: () => this.loadSessionsAhead(),
        };
      }),
      authenticate: onRequest(AuthenticateParams, async ({ methodId }) => {
        if (methodId !== KEY_METHOD) throw invalidParams(`methodId: there is no method "${methodId}" to authenticate.`);
        if (await this.parts.hasKey()) return { result: {} };
        throw new AcpError(ACP_ERRORS.authRequired, `No key of any provider is known. ${WAYS_TO_A_KEY}`);
      }),
    };
  }
}
