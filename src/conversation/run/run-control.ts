import { Agent } from '../../agent/agent';
import { convertToLlm, withoutImages } from '../../agent/convert';
import { toldOf, type AgentEvent } from '../../agent/events';
import type { TurnSettings } from '../../agent/loop';
import {
  isConversation,
  type AgentMessage,
  type AssistantMessage,
  type Message,
  type SystemMessage,
} from '../../agent/messages';
import { promptChange } from '../../agent/prompt-record';
import { promptText } from '../../agent/system-prompt';
import type { Rule } from '../../agent/resources/stream-rule';
import { Emitter, type Event } from '../../base/event';
import { sleep, unlessAborted } from '../../base/wait';
import type { HookConversation } from '../../hooks/conversation-port';
import type { HookEvent } from '../../hooks/events/hook-event';
import type { RunStatus } from '../../protocol/messages';
import { planRetry, type RetryPlan } from './retry';
import type { ConversationPorts } from '../ports';
import type { ConversationUi } from '../questions/hook-ui';
import type { SessionState } from '../session/session-state';
import type { SessionWriting } from '../session/session-writing';
import type { CompactionFlow } from './compaction-flow';
import type { HookEventQueue } from './hook-event-queue';
import type { Presenter } from '../cards/presenter';
import type { CompactionOutcome, SessionEvent } from '../session/session-events';
import type { StreamRules } from './stream-rules';
import type { TodoReminders } from './todo-reminders';
import type { Toolset } from './toolset';
import { watchedEvent } from './watched-event';

export type RunPhase = RunStatus['phase'];

/** Who ends what goes on; a program in front of the agent keeps the queue in its own hands (docs/cli.md). */
export type StoppedBy = 'person' | 'hook' | 'program';

/** What a run needs of its conversation. */
export interface RunParts {
  readonly ports: ConversationPorts;
  /** The conversation as hooks see it. */
  readonly conversation: HookConversation;
  readonly state: SessionState;
  readonly ui: ConversationUi;
  readonly hookEvents: HookEventQueue;
  readonly presenter: Presenter;
  readonly toolset: Toolset;
  readonly writing: SessionWriting;
  readonly compaction: CompactionFlow;
  /** Tells whoever watches the conversation from outside. */
  readonly events: Emitter<SessionEvent>;
  readonly rules: StreamRules;
  readonly todos: TodoReminders;
}

/** Starts runs, stops them, and takes care of what may follow one: another try, or a compaction. */
export class RunControl {
  readonly agent: Agent;
  private current: RunPhase = { type: 'idle' };
  private attempts = 0;
  private overflowHandled = false;
  /** The answer that streams now was broken off by a rule. */
  private interrupted = false;
  /** What goes on beside a run, outermost first. */
  private readonly asides: { readonly abort: AbortController; readonly phase: RunPhase; readonly isBusy: boolean }[] =
    [];
  /** Fires at each stop; a new one takes its place. */
  private stopping = new AbortController();
  /** Runs with all that follows from them; more than one when a handler of an end has begun the next. */
  private readonly runs = new Set<Promise<void>>();
  /** Of the runs whose end was not told yet, whether the last was stopped; undefined when there is none. */
  private unsettled: { readonly stopped: AbortSignal } | undefined;
  private readonly phaseEmitter = new Emitter<RunPhase>();
  readonly onDidChangePhase = this.phaseEmitter.event;
  private readonly stopEmitter = new Emitter<StoppedBy>();
  /** Whatever goes on is about to be ended, and by whom: what waits for the agent goes back to where it came from. */
  readonly onWillStop = this.stopEmitter.event;

  constructor(private readonly parts: RunParts) {
    const { ports, state, ui, rules } = parts;
    this.agent = new Agent({
      stream: ports.stream,
      settings: () => this.turnSettings(),
      toContext: (messages, signal) => this.toContext(messages, signal),
      promptChange: messages => this.promptChange(messages),
      handle: event => this.handle(event),
      steeringMode: () => ports.settings.current.steeringMode,
      followUpMode: () => ports.settings.current.followUpMode,
      callOrder: () => ports.hooks.runner.callOrder,
      watchAnswer: () => rules.watch(),
    });
    state.onDidReadContext(messages => this.agent.setMessages(messages));
    rules.onDidTrigger(broken => this.breakOff(broken));
    ui.onDidChange(() => this.refreshPhase());
  }

  get phase(): RunPhase {
    return this.current;
  }

  /** Nothing runs, waits for another try or is being compacted. */
  get isIdle(): boolean {
    return !this.agent.isRunning && !this.asides.some(({ isBusy }) => isBusy);
  }

  get signal(): AbortSignal | undefined {
    return this.agent.signal ?? this.asides.at(-1)?.abort.signal;
  }

  /** The system prompt of a run that begins now, before hooks change it. */
  get basePrompt(): string {
    const { ports, toolset } = this.parts;
    return promptText(ports.systemPrompt(toolset.chosen()));
  }

  /** System prompt of the current run, changes by hooks included; of the next one when none is going on. */
  get systemPrompt(): string {
    return this.parts.state.runPrompt ?? this.basePrompt;
  }

  /** Runs on new messages until everything that follows from them is done. Rejects when a run is going on. */
  async run(messages: readonly AgentMessage[]): Promise<void> {
    const run = this.runAndFollowUp(messages);
    const ended = run
      .catch(() => undefined) // Whoever started it is told.
      .then(() => {
        this.runs.delete(ended);
        this.settle();
      });
    this.runs.add(ended);
    await ended;
    await run;
  }

  /** Tells that all is over, once, when nothing is under way that may go on where the last run ended. */
  private settle(): void {
    if (this.unsettled === undefined || this.runs.size > 0 || !this.isIdle) return;
    const { aborted } = this.unsettled.stopped;
    this.unsettled = undefined;
    this.tellAll({ type: 'agent_settled', aborted });
  }

  /**
   * Ends whatever is going on and resolves when it has ended, handlers of `agent_end` included as far as they are
   * waited for.
   */
  async stop(by: StoppedBy = 'person'): Promise<void> {
    this.stopEmitter.fire(by);
    this.stopping.abort();
    this.stopping = new AbortController();
    for (const { abort } of this.asides) abort.abort();
    await this.agent.abort();
    await this.waitForIdle();
    await Promise.all(this.runs);
  }

  /** Resolves when idle; never rejects. Handlers of `agent_end` count as idle (docs/dialects.md, D4). */
  async waitForIdle(): Promise<void> {
    while (!this.isIdle) {
      await this.agent.waitForIdle();
      if (this.asides.some(({ isBusy }) => isBusy)) await nextFire(this.onDidChangePhase);
    }
  }

  /** Ends the wait for another try, and with it the tries. */
  abortRetry(): void {
    for (const { abort, phase } of this.asides) if (phase.type === 'retrying') abort.abort();
  }

  /**
   * Does something beside a run (preparing, waiting, compacting) that can be stopped; may be nested. It counts as busy
   * unless `isBusy` says otherwise: then it is only shown.
   */
  async beside<T>(phase: RunPhase, work: (signal: AbortSignal) => Promise<T>, isBusy = true): Promise<T> {
    const aside = { abort: new AbortController(), phase, isBusy };
    this.asides.push(aside);
    this.setPhase(phase);
    try {
      return await work(aside.abort.signal);
    } finally {
      this.asides.splice(this.asides.indexOf(aside), 1);
      this.setPhase(this.agent.isRunning ? this.runningPhase() : this.asidePhase());
      this.settle();
    }
  }

  /** Ends what is going on and summarises what came before. Rejects with the reason when that is not possible. */
  async compact(instructions?: string, by?: StoppedBy): Promise<CompactionOutcome> {
    await this.stop(by);
    return this.beside({ type: 'compacting' }, signal => this.parts.compaction.manual(instructions, signal));
  }

  /** Shrinks the context before a prompt when the last answer already was too long. */
  async beforePrompt(): Promise<void> {
    const last = lastAnswer(this.agent.messages);
    if (last === undefined) return;
    const reason = await this.parts.compaction.reason(last, this.agent.messages, 'before a prompt');
    if (reason !== undefined) await this.shrink(reason);
  }

  private async runAndFollowUp(messages: readonly AgentMessage[]): Promise<void> {
    const { signal } = this.stopping;
    this.unsettled = { stopped: signal };
    this.attempts = 0;
    this.overflowHandled = false;
    this.setPhase(this.runningPhase());
    this.parts.writing.recordSelection();
    try {
      await this.agent.prompt(messages);
      await this.followUp(signal);
    } finally {
      if (this.isIdle) this.setPhase(this.asidePhase());
    }
  }

  /** Nothing follows a run that was stopped, even where its last answer is complete: a stop may fall into its tools. */
  private async followUp(stopped: AbortSignal): Promise<void> {
    for (;;) {
      const last = this.answerToFollow(stopped);
      if (last === undefined) return;
      const reason = await this.parts.compaction.reason(last, this.agent.messages, 'after a run');
      if (this.answerToFollow(stopped) !== last) return;
      const again = reason === 'overflow' ? await this.recover() : await this.tryAgain(last, reason);
      const prompts = again || stopped.aborted ? [] : await this.remind();
      if (prompts === undefined || stopped.aborted || !this.isIdle) return;
      this.setPhase(this.runningPhase());
      await this.agent.prompt(prompts);
    }
  }

  /** A reminder of unfinished todos as the next prompt, hooks told first; undefined when the agent may stop. */
  private async remind(): Promise<readonly AgentMessage[] | undefined> {
    if (!this.isIdle || lastAnswer(this.agent.messages)?.stopReason === 'error') return undefined;
    const reminder = this.parts.todos.next();
    if (reminder === undefined) return undefined;
    this.tell(reminder.event);
    const goOn = await this.beside(this.runningPhase(), async signal => {
      await this.parts.hookEvents.settled(signal);
      return !signal.aborted;
    });
    return goOn ? [reminder.message] : undefined;
  }

  /** The answer after which more may follow; none when whoever heard of the end has begun something new. */
  private answerToFollow(stopped: AbortSignal): AssistantMessage | undefined {
    const last = lastAnswer(this.agent.messages);
    return !stopped.aborted && this.isIdle && last?.stopReason !== 'aborted' ? last : undefined;
  }

  /** One compaction and another try after an answer that did not fit. */
  private async recover(): Promise<boolean> {
    if (this.overflowHandled) {
      this.parts.compaction.giveUp();
      return false;
    }
    this.overflowHandled = true;
    this.dropFailedAnswer();
    return this.shrink('overflow');
  }

  private async tryAgain(last: AssistantMessage, reason: 'threshold' | undefined): Promise<boolean> {
    const plan = planRetry(last, this.attempts, this.parts.ports.settings.current.retry);
    if (plan !== undefined) return this.waitForRetry(plan, last.errorMessage ?? '');
    if (this.attempts > 0) this.endRetries(last.errorMessage ?? '');
    if (reason === undefined) return false;
    const shrunk = await this.shrink(reason);
    return shrunk && this.agent.followUps.messages.length + this.agent.steering.messages.length > 0;
  }

  private shrink(reason: 'threshold' | 'overflow'): Promise<boolean> {
    return this.beside({ type: 'compacting' }, signal => this.parts.compaction.run(reason, signal));
  }

  /** `finalError`: why the last try failed; undefined when it did not. */
  private endRetries(finalError: string | undefined): void {
    const success = finalError === undefined;
    this.tellAll({
      type: 'auto_retry_end',
      success,
      attempt: this.attempts,
      ...(success ? {} : { finalError }),
    });
    this.attempts = 0;
  }

  private async waitForRetry(plan: RetryPlan, error: string): Promise<boolean> {
    this.attempts = plan.attempt;
    const { attempt, maxAttempts, delayMs } = plan;
    this.tellAll({ type: 'auto_retry_start', attempt, maxAttempts, delayMs, errorMessage: error });
    const phase: RunPhase = { type: 'retrying', attempt, maxAttempts, at: Date.now() + delayMs, error };
    const waited = await this.beside(phase, signal => sleep(delayMs, signal));
    if (!waited) {
      this.tellAll({ type: 'auto_retry_end', success: false, attempt, finalError: 'Retry cancelled' });
      this.attempts = 0;
      return false;
    }
    this.dropFailedAnswer();
    return true;
  }

  /** The failed answer leaves the context, for readers of the session as well, but stays in its file. */
  private dropFailedAnswer(): void {
    const messages = this.agent.messages;
    const last = messages.at(-1);
    if (last?.role !== 'assistant' || last.stopReason !== 'error') return;
    this.parts.writing.leaveOut(last);
    this.agent.setMessages(messages.slice(0, -1));
    this.parts.presenter.dropFailedAnswer();
  }

  private turnSettings(): TurnSettings {
    const { state, ports, toolset } = this.parts;
    if (state.model === undefined) throw new Error('No model is chosen.');
    const level = state.effectiveLevel;
    const { transport, thinkingBudgets, providerRetry, httpIdleTimeoutMs, websocketConnectTimeoutMs } =
      ports.settings.current;
    return {
      model: state.model,
      systemPrompt: this.systemPrompt,
      tools: toolset.wrapped(),
      options: {
        sessionId: state.store.getSessionId(),
        maxRetries: providerRetry.maxRetries,
        maxRetryDelayMs: providerRetry.maxRetryDelayMs,
        // Clients take no 0 for "never".
        timeoutMs: providerRetry.timeoutMs ?? (httpIdleTimeoutMs || LONGEST_TIMER_MS),
        ...(websocketConnectTimeoutMs === undefined ? {} : { websocketConnectTimeoutMs }),
        ...(transport === undefined ? {} : { transport }),
        ...(thinkingBudgets === undefined ? {} : { thinkingBudgets }),
        ...(level === 'off' ? {} : { reasoning: level as NonNullable<TurnSettings['options']['reasoning']> }),
        ...(ports.hooks.runner.hasHandlers('before_provider_request')
          ? { onPayload: payload => this.onPayload(payload) }
          : {}),
      },
    };
  }

  /** Prompts of hooks are sent and not recorded, as in pi: they are made anew for each run. */
  private promptChange(messages: readonly AgentMessage[]): SystemMessage | undefined {
    const { ports, toolset } = this.parts;
    const tools = toolset.chosen();
    return promptChange(messages, ports.systemPrompt(tools), tools);
  }

  private async onPayload(payload: unknown): Promise<unknown> {
    const { ports, conversation } = this.parts;
    return (await ports.hooks.runner.emit({ type: 'before_provider_request', payload }, conversation)).payload;
  }

  private async toContext(messages: readonly AgentMessage[], signal: AbortSignal): Promise<Message[]> {
    const { ports, hookEvents, conversation, state } = this.parts;
    const { runner } = ports.hooks;
    await hookEvents.settled(signal);
    const asSent = ports.settings.current.images.blockImages ? withoutImages : (all: Message[]) => all;
    if (!runner.hasHandlers('context')) return asSent(convertToLlm(messages));
    const said = messages.filter(isConversation);
    const entryIds = said.map(message => state.entryIdOf(message));
    const changed = await runner.emit({ type: 'context', messages: said, entryIds }, conversation);
    return asSent(convertToLlm(changed.messages));
  }

  private async handle(event: AgentEvent): Promise<void> {
    if (event.type === 'message_end') this.keep(event.message);
    this.parts.presenter.apply(event);
    if (event.type === 'message_end') await this.parts.writing.written();
    this.parts.events.fire(watchedEvent(event, () => this.willRetry()));
    this.tell(toldOf(event));
    if (event.type === 'message_end' && hasSucceeded(event.message) && this.attempts > 0) this.endRetries(undefined);
    const signal = this.agent.signal ?? this.stopping.signal;
    if (WAITED.has(event.type)) await this.parts.hookEvents.settled(signal);
    const taken = this.parts.ports.whenTaken?.();
    if (taken !== undefined) await unlessAborted(taken, signal, () => undefined);
  }

  private willRetry(): boolean {
    const last = lastAnswer(this.agent.messages);
    return last !== undefined && planRetry(last, this.attempts, this.parts.ports.settings.current.retry) !== undefined;
  }

  private tellAll(event: HookEvent & SessionEvent): void {
    this.parts.events.fire(event);
    this.tell(event);
  }

  /** The working message of a hook may have changed. */
  private refreshPhase(): void {
    if (this.current.type === 'running') this.setPhase(this.runningPhase());
  }

  /** An answer that a rule broke off stays in the file, beside the path, and out of every later context. */
  private keep(message: AgentMessage): void {
    const aside = this.interrupted && message.role === 'assistant';
    if (aside) this.interrupted = false;
    this.parts.writing.persist(message, aside ? 'aside' : undefined);
  }

  private breakOff(rules: readonly Rule[]): void {
    this.interrupted = true;
    this.tell({ type: 'ttsr_triggered', rules });
  }

  private tell(event: HookEvent): void {
    const { ports, hookEvents, conversation } = this.parts;
    const { runner } = ports.hooks;
    if (runner.hasHandlers(event.type)) {
      hookEvents.tell(event.type, () => runner.emit(event, conversation));
    }
  }

  private asidePhase(): RunPhase {
    return this.asides.at(-1)?.phase ?? { type: 'idle' };
  }

  private runningPhase(): RunPhase {
    return { type: 'running', message: this.parts.ui.workingMessage ?? '' };
  }

  private setPhase(phase: RunPhase): void {
    this.current = phase;
    this.phaseEmitter.fire(phase);
  }
}

/**
 * Steps the documents show as awaited (docs/dialects.md, D4); all others are told in order without holding up the run.
 */
/** The longest that a timer can be set to, in ms: 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const WAITED: ReadonlySet<AgentEvent['type']> = new Set(['agent_start', 'agent_end', 'turn_start', 'turn_end']);

function hasSucceeded(message: AgentMessage): boolean {
  return message.role === 'assistant' && message.stopReason !== 'error';
}

function lastAnswer(messages: readonly AgentMessage[]): AssistantMessage | undefined {
  return messages.findLast(message => message.role === 'assistant');
}

function nextFire(event: Event<RunPhase>): Promise<void> {
  return new Promise(resolve => {
    const subscription = event(() => {
      subscription.dispose();
      resolve();
    });
  });
}
