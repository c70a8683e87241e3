import { randomUUID } from 'node:crypto';
import { deferred, type Deferred } from '../../../base/async/wait';
import type { Disposable } from '../../../base/disposable';
import { Emitter } from '../../../base/event';
import type { HostConnection } from '../../../guard/host/host-connection';
import type { HostMessage } from '../../../guard/protocol/messages';
import type { ToolContent, ToolList, ToolReply, ToolRequest } from '../../../guard/protocol/tools';

interface Waiting {
  readonly answer: Deferred<ToolList | ToolReply>;
  readonly update: ((content: ToolContent) => void) | undefined;
}

/** Why an answer did not come. */
const HOST_ENDED = 'The host of the guard ended before it answered.';

/**
 * The connection of an MCP server to the host of the guard. It connects when it is used, starts a host if none runs, and connects
 * again after the host has ended: what waits then fails.
 */
export class HostToolsLink implements Disposable {
  private readonly waiting = new Map<string, Waiting>();
  private readonly changeEmitter = new Emitter<void>();
  /** Fires when the tools may be others now. */
  readonly onDidChange = this.changeEmitter.event;
  private connection: Promise<HostConnection> | undefined;
  private isOver = false;

  /** `connect`: rejects with why the host cannot be reached. */
  constructor(private readonly connect: () => Promise<HostConnection>) {}

  /** Rejects with the reason when the host does not answer, or cannot read the hooks. */
  async list(): Promise<ToolList> {
    return (await this.ask(id => ({ type: 'listTools', id }))) as ToolList;
  }

  /** Rejects with the reason when there is no reply; the call then counts as failed. When `signal` fires, the call is ended. */
  async call(request: ToolRequest, update: (content: ToolContent) => void, signal: AbortSignal): Promise<ToolReply> {
    return (await this.ask(id => ({ type: 'callTool', id, request }), { update, signal })) as ToolReply;
  }

  /** Ends the connection, and with it all calls. */
  dispose(): void {
    this.isOver = true;
    void this.connection?.then(
      connection => connection.dispose(),
      () => undefined,
    );
    this.changeEmitter.dispose();
  }

  private async ask(
    message: (id: string) => Parameters<HostConnection['send']>[0],
    { update, signal }: { readonly update?: (content: ToolContent) => void; readonly signal?: AbortSignal } = {},
  ): Promise<ToolList | ToolReply> {
    const connection = await this.connected();
    signal?.throwIfAborted();
    const id = randomUUID();
    const answer = deferred<ToolList | ToolReply>();
    const cancel = (): void => {
      connection.send({ type: 'cancel', id });
      answer.reject(new Error('The call was cancelled.'));
    };
    this.waiting.set(id, { answer, update });
    signal?.addEventListener('abort', cancel, { once: true });
    connection.send(message(id));
    try {
      return await answer.promise;
    } finally {
      this.waiting.delete(id);
      signal?.removeEventListener('abort', cancel);
    }
  }

  private connected(): Promise<HostConnection> {
    this.connection ??= this.open();
    return this.connection;
  }

  private async open(): Promise<HostConnection> {
    try {
      const connection = await this.connect();
      connection.listen(
        message => this.take(message),
        () => this.lost(),
      );
      if (this.isOver) connection.dispose();
      return connection;
    } catch (error) {
      this.connection = undefined;
      throw error;
    }
  }

  private take(message: HostMessage): void {
    if (message.type === 'toolsChanged') this.changeEmitter.fire();
    if (!('id' in message)) return;
    const waiting = this.waiting.get(message.id);
    if (message.type === 'toolUpdate') waiting?.update?.(message.content);
    if (message.type === 'toolList') waiting?.answer.resolve(message.list);
    if (message.type === 'toolReply') waiting?.answer.resolve(message.reply);
    if (message.type === 'toolsFailed') waiting?.answer.reject(new Error(message.reason));
  }

  private lost(): void {
    this.connection = undefined;
    for (const { answer } of this.waiting.values()) answer.reject(new Error(HOST_ENDED));
    // The next host may have other tools.
    if (!this.isOver) this.changeEmitter.fire();
  }
}
