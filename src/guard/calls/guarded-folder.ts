import { toolFacts } from '../../agent/tools';
import { defined } from '../../base/defined';
import { DisposableStore } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { clipped } from '../../base/text/clipped';
import { redactText } from '../../base/text/redact';
import type { HeldFiles } from '../../gate/held-changes/held-files';
import type { HookHost } from '../../hook-run/host/host';
import type { OtherAgent } from '../../hook-typings/context/context';
import type { DialogQueue } from '../../session/ports/dialogs';
import {
  sessionKey,
  type AgentContract,
  type EventAnswer,
  type GuardedEvent,
  type WrittenAnswer,
} from '../agents/agent';
import type { AgentCall, AgentId, AgentReply, GuardGate, GuardRecord } from '../protocol/agent-call';
import type { ToolContent, ToolList, ToolReply, ToolRequest } from '../protocol/tools';
import { findAgentProcess, processOf, type AgentProcess } from './agent-process';
import { FolderTools } from './folder-tools';
import type { GuardFront, Scope } from './guarded-conversation';
import { GuardedSession, type SessionParts } from './guarded-session';
import type { OtherSession } from './session-tools';
import type { GuardedFiles } from './own-question';
import { RepeatedEvents } from './repeated-events';
import type { EventOutcome } from './guarded-calls';

export interface GuardedFolderParts {
  readonly hooks: HookHost;
  /** The folder whose hooks look, absolute. */
  readonly cwd: string;
  /** Where hooks ask a person. */
  readonly dialogs: DialogQueue;
  /** Whether a person can answer there now. */
  readonly canAsk: () => boolean;
  readonly front: GuardFront;
  /** The value of `ctx.modelRegistry`. */
  readonly models: object;
  readonly contractOf: (agent: AgentId) => AgentContract;
  /** The mode of the built-in gate for an agent; off when absent. */
  readonly gateModeOf?: (agent: AgentId) => GuardGate;
  /** Whether the tools of hooks reach an agent; they do not when absent. */
  readonly getsTools?: (agent: AgentId) => Promise<boolean>;
  readonly isTrusted: () => boolean;
  readonly guardedFiles: GuardedFiles;
  /** Undoes what calls changed of the files by which agents are guarded. */
  readonly heldFiles: Pick<HeldFiles, 'putBack' | 'onDidPutBack'>;
  /** Takes a line for the guard log that belongs to no answer. */
  readonly note: (record: GuardRecord) => void;
  readonly log: Log;
  /** Finds the process of the agent that made a call; the real one when absent. */
  readonly processOf?: (call: AgentCall) => AgentProcess | undefined;
  /** ms since 1970 */
  readonly now?: () => number;
}

/** How often sessions are ended whose agent has ended, ms: until then, a change by a person would count as the agent's. */
const LOOK_MS = 500;
/** The longest text of a call or a reason in the guard log, in characters. */
const LONGEST_TEXT = 500;

interface NewSession extends Pick<SessionParts, 'contract' | 'getsTools'> {
  readonly facts: OtherSession;
  /** Undefined for an MCP client that is none of the agents that can be guarded. */
  readonly id: AgentId | undefined;
  readonly process: AgentProcess | undefined;
}

interface OpenSession {
  readonly session: GuardedSession;
  readonly process: AgentProcess | undefined;
  readonly answers: RepeatedEvents;
}

/** The sessions of other agents in one folder, whose events the hooks of the folder get. */
export class GuardedFolder {
  private readonly open = new Map<string, OpenSession>();
  private readonly ends = new RepeatedEvents();
  /** Weak, because the log keeps the agents of its records for longer than their sessions are open. */
  private readonly scopes = new WeakMap<OtherAgent, WeakRef<Scope>>();
  private readonly store = new DisposableStore();
  private readonly tools: FolderTools;
  /** The newest call of a tool. */
  private newest: GuardedEvent | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: GuardedFolderParts) {
    const { hooks, cwd, isTrusted, heldFiles, log } = parts;
    this.tools = new FolderTools({
      ...{ hooks, cwd, isTrusted, heldFiles, log, now: () => this.now },
      sessions: () => this.sessions,
      sessionOf: ({ facts, id, name, pid }) => {
        const known = this.open.get(sessionKey(facts));
        const contract = { name, asks: false };
        const getsTools = (): Promise<boolean> => Promise.resolve(true);
        return (known ?? this.openSession({ facts, contract, id, process: processOf(pid), getsTools })).session;
      },
    });
    this.store.add(parts.heldFiles.onDidPutBack(path => this.noteUndone(path)));
    this.store.add(
      parts.hooks.records.onDidDispatch(({ agent, hookPath, outcome }) => {
        if (agent !== undefined) this.scopes.get(agent)?.deref()?.frame?.records.push({ hookPath, outcome });
      }),
    );
  }

  /** The open sessions, in order of their first event. */
  get sessions(): readonly GuardedSession[] {
    return [...this.open.values()].map(({ session }) => session);
  }

  /** How many hooks of the folder wait for approval. */
  get waitingHooks(): number {
    return this.parts.hooks.infos().filter(({ state }) => state.type === 'waiting').length;
  }

  /**
   * Hooks decide about an event, and the answer says it in the agent's form. Never rejects: what fails is a refusal. When
   * `signal` fires, nobody waits for the answer any more.
   */
  async handle(event: GuardedEvent, call: AgentCall, signal: AbortSignal): Promise<AgentReply> {
    const began = this.now;
    if (event.type === 'tool_call') this.newest = event;
    try {
      const decide = (): Promise<AgentReply> => this.decide(event, this.sessionOf(event, call).session, signal, began);
      // The second time, the session is not open any more.
      const answers = event.type === 'session_end' ? this.ends : this.sessionOf(event, call).answers;
      return await answers.once(event, call, decide);
    } catch (error) {
      this.parts.log.error(`A call of ${event.agent} could not be handled: ${messageOf(error)}`, error);
      return this.refusal(event, messageOf(error), began);
    } finally {
      if (event.type === 'session_end') this.open.delete(sessionKey(event));
    }
  }

  /** The tools of the hooks, for the MCP server. */
  toolList(): ToolList {
    return this.tools.list();
  }

  /** Fires when that list may be another one. */
  get onDidChangeTools(): HookHost['onDidChange'] {
    return this.parts.hooks.onDidChange;
  }

  /** Answers a call of a tool that came to the MCP server. Never rejects. When `signal` fires, nobody waits for the reply any more. */
  callTool(request: ToolRequest, update: (content: ToolContent) => void, signal: AbortSignal): Promise<ToolReply> {
    return this.tools.call(request, update, signal);
  }

  /** Ends all sessions: their calls, their questions, and then they end for the hooks. Never rejects. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    const all = this.sessions;
    this.open.clear();
    await Promise.all(all.map(session => session.end()));
    this.store.dispose();
  }

  private get now(): number {
    return (this.parts.now ?? Date.now)();
  }

  private async decide(
    event: GuardedEvent,
    session: GuardedSession,
    signal: AbortSignal,
    began: number,
  ): Promise<AgentReply> {
    const { frame, ...outcome } = await session.handle(event, signal);
    // Before the agent goes on.
    await this.parts.heldFiles.putBack();
    const { answer } = outcome;
    const contract = this.parts.contractOf(event.agent);
    const written = contract.write(event, answer);
    for (const part of written.unsupported) {
      for (const hookPath of new Set(frame.changedBy)) session.noteNoEffect(hookPath, part);
    }
    const verdict = verdictOf(answer, written);
    const isGate = contract.events.some(({ name, gates }) => gates && name === event.name);
    const isMark = (event.type === 'session_start' || event.type === 'stop') && frame.records.length > 0;
    const records =
      isGate || isMark || verdict !== 'passed'
        ? [this.record(event, began, { verdict, ...outcome, denied: written.denied, askedMs: frame.askedMs })]
        : [];
    return { output: written.output, records };
  }

  /** At once: the agent may never report the result of the call. */
  private noteUndone(file: string): void {
    if (this.newest === undefined) return;
    this.parts.note({
      ...this.record(this.newest, this.now, { verdict: 'blocked', answer: {}, askedMs: 0 }),
      ...{ reason: `changed how it is guarded; put back: ${file}`, undone: file },
    });
  }

  private refusal(event: GuardedEvent, why: string, began: number): AgentReply {
    const reason = `Hookline could not check this: ${why}`;
    const contract = this.parts.contractOf(event.agent);
    const record = this.record(event, began, { verdict: 'blocked', answer: { deny: reason }, askedMs: 0 });
    return { output: contract.refuse(event.name, reason), records: [record] };
  }

  private record(
    event: GuardedEvent,
    began: number,
    {
      verdict,
      answer,
      by,
      denied,
      askedMs,
    }: EventOutcome & Pick<GuardRecord, 'verdict' | 'askedMs'> & Pick<WrittenAnswer, 'denied'>,
  ): GuardRecord {
    const reason = denied ?? answer.deny ?? answer.ask ?? (event.type === 'tool_call' ? this.waitingText : undefined);
    return {
      at: began,
      agent: event.agent,
      ...defined({ version: event.version, subagent: event.subagent?.id }),
      session: event.sessionId,
      folder: this.parts.cwd,
      event: event.name,
      ...aboutCall(event),
      verdict,
      ...defined({ hook: by, reason: reason && shortened(reason) }),
      ms: this.now - began,
      askedMs: Math.round(askedMs),
    };
  }

  private get waitingText(): string | undefined {
    const count = this.waitingHooks;
    if (count === 0) return undefined;
    return `${count === 1 ? 'a hook waits' : `${count} hooks wait`} for approval (see "hookline hooks diff" in the folder)`;
  }

  private sessionOf(event: GuardedEvent, call: AgentCall): OpenSession {
    const { contractOf, processOf = findAgentProcess, getsTools } = this.parts;
    const known = this.open.get(sessionKey(event));
    if (known !== undefined) return known;
    const { agent: id } = event;
    return this.openSession({
      ...{ facts: event, contract: contractOf(id), id, process: processOf(call) },
      getsTools: () => getsTools?.(id) ?? Promise.resolve(false),
    });
  }

  private openSession({ facts, contract, id, process, getsTools }: NewSession): OpenSession {
    const key = sessionKey(facts);
    const { hooks, dialogs, canAsk, models, front, isTrusted, guardedFiles, gateModeOf } = this.parts;
    const session = new GuardedSession(
      {
        ...{ hooks, dialogs, canAsk, models, contract, front, isTrusted, guardedFiles, getsTools },
        gateMode: () => (id === undefined ? 'off' : (gateModeOf?.(id) ?? 'off')),
        noteNoEffect: (hookPath, member) => hooks.noteNoEffect({ hookPath, member, agent: contract.name }),
        watch: (agent, scope) => void this.scopes.set(agent, new WeakRef(scope)),
      },
      facts,
    );
    const opened: OpenSession = { session, process, answers: new RepeatedEvents() };
    this.open.set(key, opened);
    this.watchProcesses();
    return opened;
  }

  /** Ends sessions whose agent has ended without a word. */
  private watchProcesses(): void {
    if (this.timer !== undefined) return;
    this.timer = setInterval(() => {
      for (const [key, { session, process }] of this.open) {
        if (process?.isOver() !== true) continue;
        this.open.delete(key);
        void session.end();
      }
    }, LOOK_MS);
    this.timer.unref();
  }
}

function verdictOf(answer: EventAnswer, { denied }: WrittenAnswer): GuardRecord['verdict'] {
  if (denied !== undefined || answer.deny !== undefined) return 'blocked';
  if (answer.ask !== undefined) return 'asks';
  return Object.values(answer).some(part => part !== undefined) ? 'changed' : 'passed';
}

/** The call that an event is about, in a few words. */
function aboutCall(event: GuardedEvent): Pick<GuardRecord, 'tool' | 'toolCallId' | 'summary'> {
  if (event.type !== 'tool_call' && event.type !== 'tool_result') return {};
  const { toolCallId, calls } = event;
  const [{ toolName: tool } = { toolName: event.original.name }] = calls;
  const all = calls.map(({ toolName, input }) => toolFacts(toolName).summarize(input));
  return { tool, toolCallId, summary: shortened(all.join(', ')) };
}

function shortened(text: string): string {
  return clipped(redactText(text), LONGEST_TEXT);
}
