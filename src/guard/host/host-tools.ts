import { randomUUID } from 'node:crypto';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { realPathIfThere } from '../../base/files/on-disk';
import { deferred } from '../../base/async/wait';
import type { GuardRecord } from '../protocol/agent-call';
import type { FrontMessage, HostMessage } from '../protocol/messages';
import type { ToolContent, ToolList, ToolReply, ToolRequest } from '../protocol/tools';
import type { Front, Fronts } from './fronts';
import type { HostFolders } from './host-folders';
import type { Answerer, Sessions } from './sessions';

export interface HostToolsParts {
  readonly fronts: Fronts;
  readonly sessions: Pick<Sessions, 'placeOf'>;
  readonly folders: Pick<HostFolders, 'use'>;
  /** Why calls of tools in this folder, a real path, are denied; undefined when nobody ordered it. */
  readonly denialIn: (folder: string) => string | undefined;
  /** Writes records to the guard log. */
  readonly keep: (records: readonly GuardRecord[]) => Promise<void>;
}

/** What a window is asked, until it answers. */
interface AskedWindow {
  readonly window: Front;
  readonly update: ((content: ToolContent) => void) | undefined;
  readonly settle: (answer: ToolList | ToolReply) => void;
}

/** Why a window that was asked gave no answer. */
class WindowGoneError extends Error {
  constructor(folder: string) {
    super(`The window that has ${folder} open was closed before it answered.`);
  }
}

/**
 * Answers MCP servers: with the hooks of the window that has their folder open, else with those that the host loads itself. A
 * server that ends has its calls ended.
 */
export class HostTools implements Disposable {
  private readonly store = new DisposableStore();
  private readonly asked = new Map<string, AskedWindow>();
  /** Calls that run: the server's id of a call, by server. */
  private readonly running = new Map<Front, Map<string, AbortController>>();
  /** Ends the wait for changes in a folder of the host. */
  private readonly watched = new Map<Front, AbortController>();

  constructor(private readonly parts: HostToolsParts) {
    const { fronts } = parts;
    this.store.add(fronts.onDidReceive(({ front, message }) => this.take(front, message)));
    this.store.add(fronts.onDidChange(front => this.changed(front)));
  }

  dispose(): void {
    this.store.dispose();
    for (const end of this.watched.values()) end.abort();
    for (const calls of this.running.values()) for (const end of calls.values()) end.abort();
  }

  private take(front: Front, message: FrontMessage): void {
    if (front.role === 'tools') {
      if (message.type === 'listTools') void this.list(front, message.id);
      if (message.type === 'callTool') void this.call(front, message);
      if (message.type === 'cancel') this.running.get(front)?.get(message.id)?.abort();
      return;
    }
    if (message.type === 'toolsChanged' || message.type === 'folders') this.tellServers();
    if (message.type !== 'toolList' && message.type !== 'toolUpdate' && message.type !== 'toolReply') return;
    const asked = this.asked.get(message.id);
    if (asked?.window !== front) return;
    if (message.type === 'toolUpdate') asked.update?.(message.content);
    else asked.settle(message.type === 'toolList' ? message.list : message.reply);
  }

  /** A front has come or gone. */
  private changed(front: Front): void {
    if (front.role === 'window') this.tellServers();
    if (front.role !== 'tools' || !front.ended.aborted) return;
    this.watched.get(front)?.abort();
    this.watched.delete(front);
    for (const end of this.running.get(front)?.values() ?? []) end.abort();
    this.running.delete(front);
  }

  private tellServers(): void {
    for (const front of this.parts.fronts.all) if (front.role === 'tools') front.send({ type: 'toolsChanged' });
  }

  private async list(front: Front, id: string): Promise<void> {
    try {
      const { folder, answerer } = this.placeOf(front);
      if (answerer.type === 'host') this.watch(front, folder);
      const list =
        answerer.type === 'host'
          ? await this.parts.folders.use(folder, opened => opened.tools())
          : ((await this.ask(answerer, front.ended, own => ({
              type: 'listTools',
              id: own,
              folder: answerer.folder,
            }))) as ToolList);
      front.send({ type: 'toolList', id, list });
    } catch (error) {
      front.send({ type: 'toolsFailed', id, reason: messageOf(error) });
    }
  }

  private async call(
    front: Front,
    { id, request }: Extract<FrontMessage, { readonly type: 'callTool' }>,
  ): Promise<void> {
    const end = new AbortController();
    const calls = this.running.get(front) ?? new Map<string, AbortController>();
    this.running.set(front, calls.set(id, end));
    try {
      const update = (content: ToolContent): void => front.send({ type: 'toolUpdate', id, content });
      const reply = await this.replyTo(front, request, update, end.signal);
      await this.parts.keep(reply.records);
      front.send({ type: 'toolReply', id, reply: { ...reply, records: [] } });
    } catch (error) {
      front.send({ type: 'toolsFailed', id, reason: messageOf(error) });
    } finally {
      calls.delete(id);
    }
  }

  private async replyTo(
    front: Front,
    request: ToolRequest,
    update: (content: ToolContent) => void,
    signal: AbortSignal,
  ): Promise<ToolReply> {
    const { folder, answerer, startedIn } = this.placeOf(front);
    const denial = this.parts.denialIn(startedIn);
    if (denial !== undefined) throw new Error(denial);
    if (answerer.type === 'host') {
      return this.parts.folders.use(folder, opened => opened.callTool(request, update, signal));
    }
    const message = (id: string): HostMessage => ({ type: 'callTool', id, folder: answerer.folder, request });
    return (await this.ask(answerer, signal, message, update)) as ToolReply;
  }

  /** Who answers a server, which was started in the one folder that it sent. */
  private placeOf({ hello }: Front): ReturnType<Sessions['placeOf']> & { readonly startedIn: string } {
    const [folder] = hello.folders;
    if (folder === undefined) throw new Error('The MCP server did not say in which folder it was started.');
    const startedIn = realPathIfThere(folder);
    const isAble = (window: Front): boolean => window.hello.offersTools === true;
    return { startedIn, ...this.parts.sessions.placeOf(startedIn, isAble) };
  }

  /** Keeps a folder of the host loaded as long as a server is there for it, and tells the server of changes. */
  private watch(front: Front, folder: string): void {
    if (this.watched.has(front) || front.ended.aborted) return;
    const end = new AbortController();
    this.watched.set(front, end);
    const over = deferred();
    end.signal.addEventListener('abort', () => over.resolve());
    const watching = this.parts.folders.use(folder, async opened => {
      const listening = opened.onDidChangeTools(() => front.send({ type: 'toolsChanged' }));
      await over.promise;
      listening.dispose();
    });
    watching.catch(() => this.watched.delete(front)); // The server was told why; its next list tries again.
  }

  /** Rejects when the window has gone. */
  private ask(
    { window, folder }: Extract<Answerer, { readonly type: 'window' }>,
    signal: AbortSignal,
    message: (id: string) => HostMessage,
    update?: (content: ToolContent) => void,
  ): Promise<ToolList | ToolReply> {
    const id = randomUUID();
    const answer = deferred<ToolList | ToolReply>();
    const onEnd = (): void => answer.reject(new WindowGoneError(folder));
    const onAbort = (): void => {
      window.send({ type: 'cancel', id });
      answer.reject(new Error('Nobody waits for it any more.'));
    };
    if (window.ended.aborted) onEnd();
    if (signal.aborted) onAbort();
    this.asked.set(id, { window, update, settle: given => answer.resolve(given) });
    window.ended.addEventListener('abort', onEnd, { once: true });
    signal.addEventListener('abort', onAbort, { once: true });
    window.send(message(id));
    return answer.promise.finally(() => {
      this.asked.delete(id);
      window.ended.removeEventListener('abort', onEnd);
      signal.removeEventListener('abort', onAbort);
    });
  }
}
