import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DisposableStore, toDisposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { isFolder } from '../../base/files/on-disk';
import type { Log } from '../../base/log';
import { parseObject } from '../../base/json/parse-object';
import { deferred } from '../../base/async/wait';
import { SessionLock } from '../../agent/session/file/lock';
import { ChangesOnDisk } from '../../gate/held-changes/changes-on-disk';
import { newAddress } from '../../startup/parent/parent-server';
import type { AgentContract, GuardedEvent } from '../agents/agent';
import type { AgentCall, AgentId, AgentReply, GuardRecord } from '../protocol/agent-call';
import { readEndpoint, removeEndpoint, writeEndpoint, type Endpoint } from '../protocol/endpoint';
import type { FrontMessage, HostStatus } from '../protocol/messages';
import { makeGuardFolder, type GuardPlace } from '../protocol/place';
import { ClientServer } from './client-server';
import { FrontQuestions } from './front-questions';
import { Fronts, type Front } from './fronts';
import { GuardLog } from './guard-log';
import { HostTools } from './host-tools';
import { HostFolders, type OpenHostFolder } from './host-folders';
import { OrderedDenials } from './ordered-denials';
import { newSecret } from './secret';
import { Sessions, type PinnedSession } from './sessions';
import { WindowCalls } from './window-calls';

/** A host without windows and calls ends after this time, and a folder without calls is closed; ms. */
const IDLE_MS = 15 * 60_000;
const LOOK_MS = 60_000;
/** In bytes; the limit of macOS is the lowest. */
const LONGEST_ADDRESS = 103;

export interface GuardHostParts {
  readonly place: GuardPlace;
  readonly version: string;
  readonly contractOf: (agent: AgentId) => AgentContract;
  readonly openFolder: OpenHostFolder;
  readonly log: Log;
  /** ms since 1970 */
  readonly now?: () => number;
}

/**
 * The host of the guard, one for each user: gets the calls that agents make of their hooks, lets the window that has the folder
 * open answer them, or the hooks that it loads itself, and keeps the log. Whatever goes wrong is a denial.
 */
export class GuardHost {
  private readonly secrets = { client: newSecret(), host: newSecret() };
  private readonly store = new DisposableStore();
  private readonly over = deferred();
  private readonly startedAt: number;
  private readonly guardLog: GuardLog;
  private readonly fronts: Fronts;
  private readonly clients: ClientServer;
  private readonly windowCalls: WindowCalls;
  private readonly sessions: Sessions;
  private readonly folders: HostFolders;
  private readonly denials: OrderedDenials;
  private openCalls = 0;
  private lastUsedAt: number;
  private endpoint: Endpoint | undefined;
  /** The session that asked last, and the name of its event. */
  private last: { readonly session: PinnedSession; readonly event: string } | undefined;
  private lock: SessionLock | undefined;
  private listening: Promise<boolean> | undefined;
  private ending: Promise<void> | undefined;

  private constructor(private readonly parts: GuardHostParts) {
    const { place, version, log, openFolder } = parts;
    this.startedAt = this.now;
    this.lastUsedAt = this.now;
    this.guardLog = new GuardLog(place);
    const answer = (call: AgentCall, signal: AbortSignal): Promise<string> => this.answer(call, signal);
    this.clients = this.store.add(new ClientServer({ secrets: this.secrets, answer, log }));
    this.fronts = this.store.add(new Fronts({ secrets: this.secrets, version, log }));
    this.sessions = new Sessions(() => this.fronts.all.filter(({ role }) => role === 'window'));
    this.windowCalls = this.store.add(new WindowCalls(this.fronts));
    this.denials = this.store.add(new OrderedDenials(this.fronts));
    const questions = this.store.add(new FrontQuestions(this.fronts));
    const note = (record: GuardRecord): void => void this.keep([record]);
    this.folders = new HostFolders({ open: openFolder, questions, note, now: () => this.now, log });
    const { fronts, sessions, folders } = this;
    const denialIn = (folder: string): string | undefined => this.denials.reasonFor(folder);
    this.store.add(new HostTools({ fronts, sessions, folders, denialIn, keep: records => this.keep(records) }));
    this.store.add(this.fronts.onDidReceive(({ front, message }) => void this.receive(front, message)));
    this.store.add(this.fronts.onDidChange(() => (this.lastUsedAt = this.now)));
  }

  /** Starts to listen. Undefined when another host of this user runs. Rejects when the system gives no port or socket. */
  static async start(parts: GuardHostParts): Promise<GuardHost | undefined> {
    const { place } = parts;
    await makeGuardFolder(place);
    const host = new GuardHost(parts);
    const lock = await SessionLock.acquire(place.lock, { onTaken: () => void host.end() });
    if (!(lock instanceof SessionLock)) return undefined;
    host.lock = lock;
    host.listening = host.listen(lock);
    try {
      if ((await host.listening) && host.ending === undefined) return host;
      await host.end();
      return undefined;
    } catch (error) {
      await host.end();
      throw error;
    }
  }

  /** Resolves when the host has ended, for whatever reason. */
  get ended(): Promise<void> {
    return this.over.promise;
  }

  /** Closes all connections, so that open calls are denied, and ends the folders. May be called more than once. Never rejects. */
  end(): Promise<void> {
    return (this.ending ??= this.endNow());
  }

  /** Ends what was not used for long: folders, then the host itself. Is called each minute. */
  async endIdle(): Promise<void> {
    await this.folders.endIdle(IDLE_MS);
    const hasFronts = this.fronts.all.some(({ role }) => role !== 'query');
    const isUsed = hasFronts || this.openCalls > 0 || this.folders.paths.length > 0;
    if (!isUsed && this.now - this.lastUsedAt >= IDLE_MS) await this.end();
  }

  private get now(): number {
    return (this.parts.now ?? Date.now)();
  }

  /** False when another host has taken the lock meanwhile: two that start at once may both have seen none. */
  private async listen(lock: SessionLock): Promise<boolean> {
    const { place, version } = this.parts;
    const { address: socket, folder } = socketAddress(place);
    if (folder !== undefined) this.store.add(toDisposable(() => rmSync(folder, { recursive: true, force: true })));
    await this.fronts.listen(socket);
    const port = await this.clients.listen();
    if (!(await lock.isHeld())) return false;
    const endpoint = { port, ...this.secrets, pid: process.pid, socket, version };
    await removeLeftSocket(place);
    await writeEndpoint(place, endpoint);
    this.endpoint = endpoint;
    const changes = new ChangesOnDisk([place.endpoint], () => void this.keepEndpoint(endpoint, lock));
    changes.watch();
    this.store.add(toDisposable(() => changes.stop()));
    const timer = setInterval(() => void this.endIdle(), LOOK_MS);
    this.store.add(toDisposable(() => clearInterval(timer)));
    return true;
  }

  /** Writes the endpoint again when an agent, or whoever, changed it: it would lead clients to somebody who lets every call run. */
  private async keepEndpoint(endpoint: Endpoint, lock: SessionLock): Promise<void> {
    const { place, log } = this.parts;
    try {
      if (isDeepStrictEqual(readEndpoint(place), endpoint)) return;
      if (!(await lock.isHeld()) || this.ending !== undefined) return;
      await writeEndpoint(place, endpoint);
      const reason = `changed how it is guarded; put back: ${place.endpoint}`;
      log.warn(`Somebody ${reason}`);
      if (this.last === undefined) return;
      const { session, event } = this.last;
      await this.keep([
        {
          ...{ at: this.now, agent: session.agent, session: session.id, folder: session.folder, event },
          ...{ verdict: 'blocked', reason, undone: place.endpoint, ms: 0, askedMs: 0 },
        },
      ]);
    } catch (error) {
      log.error(`The endpoint of the guard was changed, and cannot be put back: ${messageOf(error)}`, error);
    }
  }

  private async endNow(): Promise<void> {
    const { place, log } = this.parts;
    // What starts to listen later would stay open.
    await this.listening?.catch(() => undefined);
    try {
      if (this.endpoint !== undefined) await removeEndpoint(place, this.endpoint);
      this.store.dispose();
      await this.folders.endAll();
      await this.lock?.release();
    } catch (error) {
      log.error(`The host of the guard did not end in order: ${messageOf(error)}`, error);
    }
    this.over.resolve();
  }

  /** The text for the agent. Never rejects. */
  private async answer(call: AgentCall, signal: AbortSignal): Promise<string> {
    this.openCalls += 1;
    try {
      const { output, records } = await this.decide(call, signal);
      await this.keep(records);
      return output;
    } finally {
      this.openCalls -= 1;
      this.lastUsedAt = this.now;
    }
  }

  /** Writes records to the log, and shows them to those who watch. Never rejects. */
  private async keep(records: readonly GuardRecord[]): Promise<void> {
    await this.guardLog.add(records).catch((error: unknown) => {
      this.parts.log.error(`The guard log cannot be written: ${messageOf(error)}`, error);
    });
    for (const front of this.fronts.all.filter(({ role }) => role === 'watch')) {
      for (const record of records) front.send({ type: 'record', record });
    }
  }

  private async decide(call: AgentCall, signal: AbortSignal): Promise<AgentReply> {
    const began = this.now;
    const contract = this.parts.contractOf(call.agent);
    let event: GuardedEvent | undefined;
    let session: PinnedSession | undefined;
    // Copilot runs the hooks of Claude Code in a repository, too: the payload tells whose call it is.
    const agentNow = (): AgentId => event?.agent ?? call.agent;
    const recordOf = (output: string, reason: string): GuardRecord => ({
      ...{ at: began, agent: agentNow(), session: session?.id ?? '', folder: session?.folder ?? call.cwd },
      event: call.event,
      ...(event !== undefined && 'toolCallId' in event
        ? { tool: event.calls[0]?.toolName, toolCallId: event.toolCallId }
        : {}),
      verdict: output === '' ? 'passed' : 'blocked',
      ...{ reason, ms: this.now - began, askedMs: 0 },
    });
    try {
      event = contract.read(call);
      session = this.sessions.of(event);
      this.last = { session, event: event.name };
      const ordered = event.type === 'tool_call' ? this.denials.reasonFor(session.startedIn) : undefined;
      if (ordered === undefined) return await this.replyOf(session, event, call, signal);
      const { output } = contract.write(event, { deny: ordered });
      return { output, records: [recordOf(output, ordered)] };
    } catch (error) {
      const own = this.parts.contractOf(agentNow());
      const reason = `Hookline could not check this: ${messageOf(error)}`;
      const output = own.refuse(call.event, reason);
      // Nobody waits any more: the agent has ended the call, or its client has refused it.
      if (signal.aborted) return { output, records: [] };
      this.parts.log.error(`A call of ${own.name} in ${call.cwd} failed: ${messageOf(error)}`, error);
      return { output, records: [recordOf(output, reason)] };
    }
  }

  private async replyOf(
    session: PinnedSession,
    event: GuardedEvent,
    call: AgentCall,
    signal: AbortSignal,
  ): Promise<AgentReply> {
    const { answerer, folder } = session;
    const reply =
      answerer.type === 'host'
        ? await this.folders.handle(folder, event, call, signal)
        : await this.windowCalls.call(answerer.window, answerer.folder, call, signal);
    if (reply === undefined) throw new Error(`the window that has ${folder} open was closed before it answered`);
    if (reply.output !== '' && parseObject(reply.output) === undefined) {
      throw new Error('the answer is not a JSON object');
    }
    return reply;
  }

  private async receive(front: Front, message: FrontMessage): Promise<void> {
    try {
      if (message.type === 'note' && front.role === 'window') await this.keep([message.record]);
      if (message.type === 'status') front.send({ type: 'status', id: message.id, status: await this.status() });
      if (message.type !== 'log') return;
      const records = await this.guardLog.newest(message.count, message.agent);
      front.send({ type: 'log', id: message.id, records: [...records] });
    } catch (error) {
      this.parts.log.error(`A question about the guard could not be answered: ${messageOf(error)}`, error);
    }
  }

  private async status(): Promise<HostStatus> {
    const { all } = this.fronts;
    const windows = all.filter(({ role }) => role === 'window');
    const ownFolders = this.folders.paths.filter(isFolder);
    const counts = ownFolders.map(folder => ({ folder, count: this.folders.waitingHooksIn(folder) }));
    return {
      pid: process.pid,
      version: this.parts.version,
      startedAt: this.startedAt,
      openCalls: this.openCalls,
      windows: windows.map(({ hello, folders }) => ({ version: hello.version, folders: [...folders.values()] })),
      watchers: all.filter(({ role }) => role === 'watch').length,
      ownFolders,
      waitingHooks: counts.filter(({ count }) => count > 0),
      agents: [...(await this.guardLog.counts(this.now))],
    };
  }
}

/** One of its own for each host: one that loses its lock to another removes its socket only. */
function socketAddress({ socket }: GuardPlace): ReturnType<typeof newAddress> {
  const own = `${socket}.${randomBytes(3).toString('hex')}`;
  const fits = process.platform !== 'win32' && Buffer.byteLength(own) <= LONGEST_ADDRESS;
  return fits ? { address: own } : newAddress(process.platform);
}

/** Removes the socket of a host that was killed. */
async function removeLeftSocket(place: GuardPlace): Promise<void> {
  const left = readEndpoint(place)?.socket;
  if (left !== undefined && dirname(left) === place.folder) await rm(left, { force: true });
}
