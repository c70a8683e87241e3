import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { AgentCall } from '../protocol/agent-call';
import { ClientRequestReader } from './client-request';

/** How long a client may take to send its request, ms. It has all of it before it connects. */
const REQUEST_MS = 30_000;

export interface ClientServerParts {
  /** The secret that clients send, and the one that proves the answers. */
  readonly secrets: { readonly client: string; readonly host: string };
  /** The text for the agent, empty or one JSON object. `signal` fires when the client has gone. Never rejects. */
  readonly answer: (call: AgentCall, signal: AbortSignal) => Promise<string>;
  readonly log: Log;
  /** {@link REQUEST_MS} when absent. */
  readonly requestMs?: number;
}

/** Serves the clients that agents call, on a port of 127.0.0.1. Who does not send the secret gets no answer. */
export class ClientServer implements Disposable {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor(private readonly parts: ClientServerParts) {
    this.server = createServer(socket => this.serve(socket));
  }

  /** Resolves with the port. Rejects when the system gives none. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host: '127.0.0.1', port: 0, backlog: 511 }, () => {
        this.server.off('error', reject);
        this.server.on('error', error => this.parts.log.error('The port for clients of the guard failed.', error));
        resolve((this.server.address() as AddressInfo).port);
      });
    });
  }

  dispose(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private serve(socket: Socket): void {
    const { secrets, requestMs = REQUEST_MS } = this.parts;
    const gone = new AbortController();
    const reader = new ClientRequestReader(secrets.client);
    this.sockets.add(socket);
    const late = setTimeout(() => socket.destroy(), requestMs);
    socket.on('error', () => socket.destroy());
    socket.on('end', () => gone.abort());
    socket.on('close', () => {
      clearTimeout(late);
      this.sockets.delete(socket);
      gone.abort();
    });
    let isComplete = false;
    socket.on('data', piece => {
      if (isComplete) return;
      const call = this.read(reader, piece, socket);
      if (call === undefined) return;
      isComplete = true;
      clearTimeout(late);
      void this.respond(socket, call, gone.signal);
    });
  }

  /** Undefined while the request is not complete. Sends away who sends another one. */
  private read(reader: ClientRequestReader, piece: Buffer, socket: Socket): AgentCall | undefined {
    try {
      return reader.take(piece);
    } catch (error) {
      this.parts.log.warn(`The request of a client of the guard cannot be read. ${messageOf(error)}`);
      socket.destroy();
      return undefined;
    }
  }

  private async respond(socket: Socket, call: AgentCall, signal: AbortSignal): Promise<void> {
    const output = await this.parts.answer(call, signal);
    if (signal.aborted) return;
    socket.end(`hookline-guard 1 ${this.parts.secrets.host} ${Buffer.byteLength(output)}\n${output}`);
  }
}
