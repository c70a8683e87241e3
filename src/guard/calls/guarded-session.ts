import { basename } from 'node:path';
import { defined } from '../../base/defined';
import type { Disposable } from '../../base/disposable';
import { anySignal } from '../../base/async/wait';
import { isConversation } from '../../agent/messages';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HookEventOf } from '../../hook-contract/hook-event';
import type { Answer, HookQuestion } from '../../hook-contract/ui/ui';
import type { HookHost } from '../../hook-run/host/host';
import type { OtherAgent } from '../../hook-typings/context/context';
import { Approvals } from '../../session/approvals/approvals';
import type { DialogQueue } from '../../session/ports/dialogs';
import { SessionEvents } from '../../session/ports/session-events';
import { HookQuestions } from '../../session/questions/hook-questions';
import { sessionKey, type AgentContract, type GuardedEvent, type GuardedEventOf } from '../agents/agent';
import { EventFrame } from './event-frame';
import { guardedConversation, type GuardFront, type Scope, type SessionOfHooks } from './guarded-conversation';
import { ownQuestion, type GuardedFiles } from './own-question';
import { GuardedCalls, type CallScope, type EventOutcome } from './guarded-calls';
import { SessionTools, type OtherSession } from './session-tools';
import type { GuardGate } from '../protocol/agent-call';
import { SessionMessages } from './session-messages';
import { unusedParts } from './unused-parts';

export interface SessionParts {
  readonly hooks: HookHost;
  readonly dialogs: DialogQueue;
  /** Whether a person at a front can be asked now. */
  readonly canAsk: () => boolean;
  readonly models: object;
  readonly contract: Pick<AgentContract, 'name' | 'asks'>;
  /** Whether the tools of hooks reach the agent. */
  readonly getsTools: () => Promise<boolean>;
  readonly gateMode: () => GuardGate;
  /** Whether the folder is trusted; in others, the built-in gate asks about all calls. */
  readonly isTrusted: () => boolean;
  readonly guardedFiles: GuardedFiles;
  readonly front: GuardFront;
  readonly noteNoEffect: (hookPath: string, member: string) => void;
  /** Is told which frame the records of an agent's events belong to. */
  readonly watch: (agent: OtherAgent, scope: Scope) => void;
}

/** One session of another agent, whose events hooks get as those of a conversation. */
export class GuardedSession implements SessionOfHooks {
  readonly messages: SessionMessages;
  isWorking = false;
  readonly id: string;
  readonly cwd: string;
  readonly modelRegistry: object;
  readonly front: GuardFront;
  /** The tools of hooks that the session calls on our own MCP server. */
  readonly tools: SessionTools;
  private readonly calls: GuardedCalls;
  private readonly questions: HookQuestions;
  private readonly events = new SessionEvents();
  private readonly rules: Approvals;
  private readonly ended = new AbortController();
  /** The conversation that reloads and the end of the session are about. */
  private readonly conversation: HookConversation;
  private readonly attached: Disposable;
  private isAttended: boolean | undefined;
  private started: Promise<void> | undefined;

  constructor(
    private readonly parts: SessionParts,
    first: OtherSession,
  ) {
    const { hooks, dialogs, contract, models, front, gateMode, isTrusted } = parts;
    this.id = sessionKey(first);
    this.cwd = first.projectDir ?? first.cwd;
    this.modelRegistry = models;
    this.front = front;
    this.isAttended = first.isAttended;
    this.messages = new SessionMessages(this.cwd, first.agent);
    const { conversation } = this.scopeOf(first);
    this.conversation = conversation;
    this.attached = hooks.attach(conversation);
    this.questions = new HookQuestions({
      events: this.events,
      dialogs,
      conversation,
      guarded: { agent: contract.name, folder: basename(this.cwd) },
      neighbours: {
        nameAmongOthers: () => contract.name,
        showFile: () => Promise.resolve(false),
      },
    });
    const port = {
      defaultMode: () => (gateMode() === 'off' ? ('auto' as const) : (gateMode() as Exclude<GuardGate, 'off'>)),
      isLocked: () => !isTrusted(),
    };
    this.rules = new Approvals(port, { key: this.id }, conversation);
    this.calls = new GuardedCalls({
      hooks,
      messages: this.messages,
      agentName: contract.name,
      ownQuestion: (call, toolCallId, { conversation: asked, frame }) =>
        ownQuestion(call, {
          agent: first.agent,
          agentName: contract.name,
          toolCallId,
          cwd: first.cwd,
          conversation: asked,
          wasAsked: (frame?.questions ?? 0) > 0,
          guardedFiles: parts.guardedFiles,
          gatePath: hooks.builtIn[0]?.path,
        }),
    });
    const { calls, ended } = this;
    this.tools = new SessionTools({
      ...{ hooks, calls, conversation, ended: ended.signal },
      begin: async facts => {
        const scope = this.scopeOf(facts);
        await this.start('startup', scope);
        return scope;
      },
    });
  }

  get agentCanAsk(): boolean {
    return this.parts.contract.asks && this.isAttended !== false;
  }

  get canBeAsked(): boolean {
    return this.parts.canAsk() || this.agentCanAsk;
  }

  get approvals(): Approvals | undefined {
    return this.parts.gateMode() === 'off' ? undefined : this.rules;
  }

  get ask(): ((question: HookQuestion) => Promise<Answer>) | undefined {
    return this.parts.canAsk() ? question => this.questions.ask(question) : undefined;
  }

  /** Questions that are shown or wait. */
  get openQuestions(): number {
    return this.questions.openCount;
  }

  takeDenial(toolCallId: string): string | undefined {
    return this.questions.takeDenial(toolCallId);
  }

  noteNoEffect(hookPath: string, member: string): void {
    this.parts.noteNoEffect(hookPath, member);
  }

  /** Hooks decide about an event. Rejects when the handling ends before they have. */
  async handle(event: GuardedEvent, signal: AbortSignal): Promise<EventOutcome & { readonly frame: EventFrame }> {
    if (event.isAttended !== undefined) this.isAttended = event.isAttended;
    const frame = new EventFrame(event, anySignal(this.ended.signal, signal));
    const scope = this.scopeOf(event);
    scope.frame = frame;
    try {
      const reason = event.type === 'session_start' ? START_REASONS[event.reason] : 'resume';
      if (event.type !== 'session_end') await this.start(reason, scope);
      const seen = this.tools.asSeen(event, scope);
      const outcome = await this.decide(seen, scope, frame);
      return { ...outcome, frame };
    } finally {
      scope.frame = undefined;
    }
  }

  /** Ends the session: its open calls and questions, and then the session for the hooks. Never rejects. */
  async end(): Promise<void> {
    if (this.ended.signal.aborted) return;
    this.ended.abort();
    this.questions.cancelAll();
    await this.calls.end(() => true);
    await this.parts.hooks.sessions.farewell(this.conversation);
    this.attached.dispose();
    this.rules.dispose();
    this.events.dispose();
    await this.messages.store.dispose();
  }

  private scopeOf({
    agent: name,
    version,
    sessionId,
    subagent,
    isAttended = this.isAttended,
  }: OtherSession): CallScope {
    const agent: OtherAgent = { name, sessionId, ...defined({ version, subagent, isAttended }) };
    const scope: Scope = { session: this, agent, frame: undefined };
    this.parts.watch(agent, scope);
    return Object.assign(scope, { conversation: guardedConversation(scope) });
  }

  /** Tells hooks of the start, once, before anything else. */
  private start(reason: StartReason, { conversation }: CallScope): Promise<void> {
    const tell = async (): Promise<void> => {
      const { runner } = this.parts.hooks;
      const hasTools = runner.loaded.some(({ tools }) => tools.size > 0);
      const getsTools = hasTools && (await this.parts.getsTools());
      for (const hook of runner.loaded) {
        for (const member of unusedParts(hook, getsTools)) {
          this.noteNoEffect(hook.path, member);
        }
      }
      await runner.emit({ type: 'session_start', reason }, conversation);
      if (reason === 'startup') return;
      // Files of older dialects know only this start.
      const older = runner.loaded.filter(({ dialect }) => !dialect.startsOnSwitch);
      await runner.emitTo(older, { type: 'session_start', reason: 'startup' }, conversation);
    };
    return (this.started ??= tell());
  }

  private async decide(event: GuardedEvent, scope: CallScope, frame: EventFrame): Promise<EventOutcome> {
    switch (event.type) {
      case 'prompt':
        return this.prompt(event, scope, frame);
      case 'tool_call':
        this.isWorking = true;
        return this.calls.begin(event, scope, frame);
      case 'tool_result':
        return this.calls.finish(event, scope, frame);
      case 'stop':
        return this.stop(event, scope, frame);
      case 'before_compact':
        return this.beforeCompact(event, scope, frame);
      case 'after_compact':
        return this.afterCompact(scope, frame);
      case 'session_end':
        await this.end();
        return { answer: {} };
      case 'session_start':
        return { answer: defined({ context: frame.text }) };
      case 'subagent_stop':
        if (event.subagent !== undefined) await this.endCallsOf(event);
        return { answer: {} };
      case 'subagent_start':
      case 'other':
        return { answer: {} };
    }
  }

  /** Ends the open calls of whoever stops: subagents may work on while the main conversation waits for its user. */
  private endCallsOf({ subagent }: GuardedEvent): Promise<void> {
    return this.calls.end(({ agent }) => agent.subagent?.id === subagent?.id);
  }

  private async prompt(event: GuardedEventOf<'prompt'>, scope: CallScope, frame: EventFrame): Promise<EventOutcome> {
    const { hooks, contract } = this.parts;
    const { conversation } = scope;
    const { signal } = frame;
    const { text } = event;
    await this.calls.end(() => true);
    const input = await hooks.runner.emit({ type: 'input', text, source: 'interactive' }, conversation, { signal });
    if (input.action === 'handled') {
      return { answer: { deny: `A hook took over this prompt, so ${contract.name} does not get it.` }, by: input.by };
    }
    if (input.text !== text) {
      const deny = `A hook changes this prompt, which ${contract.name} cannot take. Send this in its place:\n\n${input.text}`;
      return { answer: { deny }, by: frame.changedBy.at(-1) };
    }
    this.messages.addPrompt(text);
    this.isWorking = true;
    const systemPrompt = '';
    const begun = await hooks.runner.emit({ type: 'before_agent_start', prompt: text, systemPrompt }, conversation, {
      signal,
    });
    for (const { customType, content, display, details } of begun.messages) {
      void conversation.sendCustomMessage({ customType, content, display, details }, { triggerTurn: false });
    }
    if (begun.systemPrompt !== systemPrompt) {
      for (const { hookPath, outcome } of frame.records) {
        const isChanged = outcome.type === 'returned' && outcome.changed.includes('systemPrompt');
        if (isChanged) this.noteNoEffect(hookPath, 'systemPrompt');
      }
    }
    await hooks.runner.emit({ type: 'agent_start' }, conversation, { signal });
    return {
      answer: defined({ context: frame.text }),
      by: frame.text === undefined ? undefined : frame.changedBy.at(-1),
    };
  }

  private async stop(event: GuardedEventOf<'stop'>, scope: CallScope, frame: EventFrame): Promise<EventOutcome> {
    const { runner } = this.parts.hooks;
    const { conversation } = scope;
    const { signal } = frame;
    await this.endCallsOf(event);
    const { lastText = '', model = event.agent } = event;
    const last = this.messages.addAnswer([{ type: 'text', text: lastText }], model);
    const messages = this.messages.ofRun;
    await runner.emit({ type: 'agent_end', messages }, conversation, { signal });
    let by: string | undefined;
    if (!event.isContinued) {
      const answer = await runner.emit(
        {
          type: 'session_stop',
          messages,
          turn_id: 0,
          last_assistant_message: last,
          session_id: event.sessionId,
          stop_hook_active: false,
          signal,
        },
        conversation,
        { signal },
      );
      if (answer.text !== undefined) frame.texts.push(answer.text);
      ({ by } = answer);
    }
    if (frame.text === undefined) {
      this.isWorking = false;
      await runner.emit({ type: 'agent_settled', aborted: false }, conversation, { signal });
      this.events.fire({ type: 'agent_settled', aborted: false });
    }
    return { answer: defined({ goOn: frame.text }), by };
  }

  private async beforeCompact(
    { trigger, instructions }: GuardedEventOf<'before_compact'>,
    { conversation }: CallScope,
    frame: EventFrame,
  ): Promise<EventOutcome> {
    const { signal } = frame;
    const branchEntries = this.messages.store.getBranch();
    const { messages } = this.messages.store.buildSessionContext();
    const end = branchEntries.length;
    const event: HookEventOf<'session_before_compact'> = {
      type: 'session_before_compact',
      preparation: {
        cutPoint: { firstKeptEntryIndex: end, turnStartIndex: -1, isSplitTurn: false },
        firstKeptEntryId: '',
        messagesToSummarize: messages.filter(isConversation),
        messagesToKeep: [],
        turnPrefixMessages: [],
        isSplitTurn: false,
        tokensBefore: 0,
        fileOps: { read: new Set(), written: new Set(), edited: new Set() },
        settings: { enabled: true, reserveTokens: 0, keepRecentTokens: 0 },
        boundaryStart: 0,
      },
      branchEntries,
      previousCompactions: [],
      ...defined({ customInstructions: instructions }),
      reason: trigger === 'manual' ? 'manual' : 'threshold',
      willRetry: false,
      // The agent does not tell more of its model than the name.
      model: undefined as unknown as HookEventOf<'session_before_compact'>['model'],
      signal,
    };
    const { cancelled, by, compaction } = await this.parts.hooks.runner.emit(event, conversation, { signal });
    if (compaction !== undefined) {
      for (const hookPath of frame.changedBy) this.noteNoEffect(hookPath, 'compaction');
    }
    return cancelled ? { answer: { deny: 'A hook does not allow this compaction.' }, by } : { answer: {} };
  }

  private async afterCompact({ conversation }: CallScope, { signal }: EventFrame): Promise<EventOutcome> {
    const { store } = this.messages;
    const id = store.appendCompaction({ summary: '', firstKeptEntryId: null, tokensBefore: 0 });
    const compactionEntry = store.getEntry(id);
    if (compactionEntry !== undefined) {
      const about = { tokensBefore: 0, fromHook: false, reason: 'threshold', willRetry: false } as const;
      await this.parts.hooks.runner.emit({ type: 'session_compact', compactionEntry, ...about }, conversation, {
        signal,
      });
    }
    return { answer: {} };
  }
}

/** What pi calls the starts of an agent. After a compaction, the session of an unknown past goes on. */
const START_REASONS = { startup: 'startup', resume: 'resume', clear: 'new', compact: 'resume' } as const;
type StartReason = (typeof START_REASONS)[keyof typeof START_REASONS];
