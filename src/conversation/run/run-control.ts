import type { Api, Model } from '@mariozechner/pi-ai';
import { Agent } from '../../agent/agent';
import { convertToLlm, withoutImages } from '../../agent/convert';
import { toldOf, type AgentEvent } from '../../agent/events';
import type { StreamFn, TurnSettings } from '../../agent/loop';
import type { AgentMessage, AssistantMessage, Message } from '../../agent/messages';
import type { Rule } from '../../agent/resources/stream-rule';
import type { PiSettings } from '../../agent/settings';
import { Emitter, type Event } from '../../base/event';
import { sleep } from '../../base/wait';
import type { HookConversation } from '../../hooks/conversation-port';
import type { HookEvent } from '../../hooks/events/hook-event';
import type { RunStatus } from '../../protocol/messages';
import { planRetry, type RetryPlan } from './retry';
import type { HookHost } from '../../hooks/host/host';
import type { LifecycleQueue } from './lifecycle';
import type { Presenter } from '../cards/presenter';
import type { SessionEvent } from '../session/session-events';
import type { StreamRules } from './stream-rules';
import type { TodoReminders } from './todo-reminders';
import type { Toolset } from './toolset';

export type RunPhase = RunStatus['phase'];

/** What a run needs of its conversation. */
export interface RunParts {
  readonly stream: StreamFn;
  readonly hooks: HookHost;
  readonly hookConversation: HookConversation;
  readonly lifecycle: LifecycleQueue;
  readonly presenter: Presenter;
  readonly toolset: Toolset;
  readonly settings: () => PiSettings;
  readonly model: () => Model<Api>;
  readonly thinkingLevel: () => string;
  readonly sessionId: () => string;
  /** System prompt of the current run, changes by hooks included. */
  readonly systemPrompt: () => string;
  /** Writes a complete message to the session; `aside` leaves it there but goes on from before it. */
  readonly persist: (message: AgentMessage, place?: 'aside') => void;
  readonly entryIdOf: (message: AgentMessage) => string | null;
  readonly workingMessage: () => string | undefined;
  readonly compaction: AutoCompaction;
  /** Tells whoever watches the conversation from outside. */
  readonly announce: (event: SessionEvent) => void;
  readonly rules: Pick<StreamRules, 'watch'>;
  readonly todos: Pick<TodoReminders, 'next'>;
}

/** What a run asks of compaction. */
export interface AutoCompaction {
  /** Whether the context must shrink after this answer, and why. After a run that was stopped it does not (section 13). */
  reason(
    message: AssistantMessage,
    when: 'after a run' | 'before a prompt',
  ): Promise<'threshold' | 'overflow' | undefined>;
  /** Shrinks it; resolves false when that failed or was declined. The failure is shown by the callee. */
  run(reason: 'threshold' | 'overflow', signal: AbortSignal): Promise<boolean>;
  /** Tells that the context did not fit once more, right after it was shrunk for that. */
  giveUp(): void;
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
  private readonly phaseEmitter = new Emitter<RunPhase>();
  readonly onDidChangePhase = this.phaseEmitter.event;

  constructor(private readonly parts: RunParts) {
    this.agent = new Agent({
      stream: parts.stream,
      settings: () => this.turnSettings(),
      toContext: (messages, signal) => this.toContext(messages, signal),
      handle: event => this.handle(event),
      steeringMode: () => parts.settings().steeringMode,
      followUpMode: () => parts.settings().followUpMode,
      watchAnswer: () => parts.rules.watch(),
    });
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

  /** Runs on new messages until everything that follows from them is done. Rejects when a run is going on. */
  async run(messages: readonly AgentMessage[]): Promise<void> {
    const run = this.runAndFollowUp(messages);
    const ended = run.catch(() => undefined); // Whoever started it is told.
    this.runs.add(ended);
    try {
      await run;
    } finally {
      this.runs.delete(ended);
    }
  }

  /** Ends whatever is going on and resolves when it has ended, handlers of `agent_end` included as far as they are waited for. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.stopping = new AbortController();
    for (const { abort } of this.asides) abort.abort();
    await this.agent.abort();
    await this.waitForIdle();
    await Promise.all(this.runs);
  }

  /** Resolves when idle; never rejects. Handlers of `agent_end` count as idle (reference D4). */
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
    }
  }

  /** The working message of a hook changed. */
  refreshPhase(): void {
    if (this.current.type === 'running') this.setPhase(this.runningPhase());
  }

  /** Shrinks the context before a prompt when the last answer already was too long. */
  async beforePrompt(): Promise<void> {
    const last = lastAnswer(this.agent.messages);
    if (last === undefined) return;
    const reason = await this.parts.compaction.reason(last, 'before a prompt');
    if (reason !== undefined) await this.compact(reason);
  }

  private async runAndFollowUp(messages: readonly AgentMessage[]): Promise<void> {
    const { signal } = this.stopping;
    this.attempts = 0;
    this.overflowHandled = false;
    this.setPhase(this.runningPhase());
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
      const reason = await this.parts.compaction.reason(last, 'after a run');
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
      await this.parts.lifecycle.settled(signal);
      return !signal.aborted;
    });
    return goOn ? [reminder.message] : undefined;
  }

  /** The answer after which more may follow; none when whoever heard of the end has begun something new. */
  private answerToFollow(stopped: AbortSignal): AssistantMessage | undefined {
    const last = lastAnswer(this.agent.messages);
    return !stopped.aborted && this.isIdle && last?.stopReason !== 'aborted' ? last : undefined;
  }

  /** One compaction and another try after an answer that did not fit (reference section 13). */
  private async recover(): Promise<boolean> {
    if (this.overflowHandled) {
      this.parts.compaction.giveUp();
      return false;
    }
    this.overflowHandled = true;
    this.dropFailedAnswer();
    return this.compact('overflow');
  }

  private async tryAgain(last: AssistantMessage, reason: 'threshold' | undefined): Promise<boolean> {
    const plan = planRetry(last, this.attempts, this.parts.settings().retry);
    if (plan !== undefined) return this.waitForRetry(plan, last.errorMessage ?? '');
    if (this.attempts > 0) this.endRetries(last);
    if (reason === undefined) return false;
    const shrunk = await this.compact(reason);
    return shrunk && this.agent.followUps.messages.length + this.agent.steering.messages.length > 0;
  }

  private compact(reason: 'threshold' | 'overflow'): Promise<boolean> {
    return this.beside({ type: 'compacting' }, signal => this.parts.compaction.run(reason, signal));
  }

  private endRetries(last: AssistantMessage): void {
    const success = last.stopReason !== 'error';
    const finalError = last.errorMessage;
    this.tellAll({
      type: 'auto_retry_end',
      success,
      attempt: this.attempts,
      ...(success || finalError === undefined ? {} : { finalError }),
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

  /** The failed answer leaves the context but stays in the session file. */
  private dropFailedAnswer(): void {
    const messages = this.agent.messages;
    const last = messages.at(-1);
    if (last?.role !== 'assistant' || last.stopReason !== 'error') return;
    this.agent.setMessages(messages.slice(0, -1));
    this.parts.presenter.dropFailedAnswer();
  }

  private turnSettings(): TurnSettings {
    const { parts } = this;
    const level = parts.thinkingLevel();
    const { transport, thinkingBudgets, retry } = parts.settings();
    return {
      model: parts.model(),
      systemPrompt: parts.systemPrompt(),
      tools: parts.toolset.wrapped(),
      options: {
        sessionId: parts.sessionId(),
        maxRetryDelayMs: retry.maxDelayMs,
        ...(transport === undefined ? {} : { transport }),
        ...(thinkingBudgets === undefined ? {} : { thinkingBudgets }),
        ...(level === 'off' ? {} : { reasoning: level as NonNullable<TurnSettings['options']['reasoning']> }),
        ...(parts.hooks.runner.hasHandlers('before_provider_request')
          ? { onPayload: payload => this.onPayload(payload) }
          : {}),
      },
    };
  }

  private async onPayload(payload: unknown): Promise<unknown> {
    const result = await this.parts.hooks.runner.emit(
      { type: 'before_provider_request', payload },
      this.parts.hookConversation,
    );
    return result.payload;
  }

  private async toContext(messages: readonly AgentMessage[], signal: AbortSignal): Promise<Message[]> {
    const { hooks, lifecycle, hookConversation, entryIdOf } = this.parts;
    await lifecycle.settled(signal);
    const asSent = this.parts.settings().blockImages ? withoutImages : (all: Message[]) => all;
    if (!hooks.runner.hasHandlers('context')) return asSent(convertToLlm(messages));
    const entryIds = messages.map(entryIdOf);
    const changed = await hooks.runner.emit({ type: 'context', messages, entryIds }, hookConversation);
    return asSent(convertToLlm(changed.messages));
  }

  private async handle(event: AgentEvent): Promise<void> {
    if (event.type === 'message_end') this.keep(event.message);
    this.parts.presenter.apply(event);
    this.tellAll(toldOf(event));
    if (WAITED.has(event.type)) await this.parts.lifecycle.settled(this.agent.signal ?? this.stopping.signal);
  }

  private tellAll(event: HookEvent & SessionEvent): void {
    this.parts.announce(event);
    this.tell(event);
  }

  /** An answer that a rule broke off stays in the file, beside the path, and out of every later context. */
  private keep(message: AgentMessage): void {
    const aside = this.interrupted && message.role === 'assistant';
    if (aside) this.interrupted = false;
    this.parts.persist(message, aside ? 'aside' : undefined);
  }

  /** A rule was broken: the answer that streams now ends. */
  noteTriggered(rules: readonly Rule[]): void {
    this.interrupted = true;
    this.tell({ type: 'ttsr_triggered', rules });
  }

  private tell(event: HookEvent): void {
    const { hooks, lifecycle, hookConversation } = this.parts;
    if (hooks.runner.hasHandlers(event.type)) {
      lifecycle.tell(event.type, () => hooks.runner.emit(event, hookConversation));
    }
  }

  private asidePhase(): RunPhase {
    return this.asides.at(-1)?.phase ?? { type: 'idle' };
  }

  private runningPhase(): RunPhase {
    return { type: 'running', message: this.parts.workingMessage() ?? '' };
  }

  private setPhase(phase: RunPhase): void {
    this.current = phase;
    this.phaseEmitter.fire(phase);
  }
}

/** Steps the documents show as awaited (D4); all others are told in order without holding up the run. */
const WAITED: ReadonlySet<AgentEvent['type']> = new Set(['agent_start', 'agent_end', 'turn_start', 'turn_end']);

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
