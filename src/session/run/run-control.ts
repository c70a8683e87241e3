import * as l10n from '@vscode/l10n';
import { Agent } from '../../agent/run/agent';
import type { AgentMessage, AssistantMessage } from '../../agent/messages';
import { Emitter, type Event } from '../../base/event';
import type { BusyUntil } from '../../hook-contract/conversation-port';
import type { CompactionNeed } from '../compaction/compactor';
import type { CompactionOutcome } from '../ports/session-events';
import { CacheWarmer } from './request/cache-warmer';
import { lastAnswer, Retries } from './request/retry-loop';
import type { RunPrompt } from './request/run-prompt';
import { RunRequests } from './request/run-requests';
import { RunEvents } from './run-events';
import { queueForHooks, type RunParts } from './run-parts';
import { RunPhases, type RunPhase } from './run-phases';
import { RunSpans } from './run-spans';
import { StopHooks } from './stop-hooks';
import { TurnBoundaries } from './turn-boundary';
import { isUnanswered } from './unanswered';
import { readOnlyRefusal, refuseUnrecordable } from '../state/refusal';

/** Who stops a run. A client program manages the queue itself (docs/cli.md). */
export type StoppedBy = 'person' | 'hook' | 'program';

/** Starts and stops runs, and does what may follow one: a retry or a compaction. */
export class RunControl {
  readonly agent: Agent;
  readonly boundaries: TurnBoundaries;
  /** Aborts at each stop and is then replaced by a new one. */
  private stopping = new AbortController();
  /** Runs and their follow-ups; more than one when a handler of `agent_end` has started the next. */
  private readonly runs = new Set<Promise<void>>();
  /** Of the runs whose end was not announced yet: whether the last one was stopped; undefined when there is no such run. */
  private unsettled: { readonly stopped: AbortSignal } | undefined;
  private readonly requests: RunRequests;
  private readonly phases: RunPhases;
  private readonly retries: Retries;
  private readonly stopHooks: StopHooks;
  /** Keeps the provider's cache of the last request. */
  readonly warmer: CacheWarmer;
  /** Fires with each change of {@link phase}. */
  readonly onDidChangePhase: Event<RunPhase>;
  private readonly stopEmitter = new Emitter<StoppedBy>();
  /** Fires before everything active is stopped, with who stops it: waiting messages return to their source. */
  readonly onWillStop = this.stopEmitter.event;

  constructor(private readonly parts: RunParts) {
    const { ports, state, rules, toolset, conversation } = parts;
    const spans = new RunSpans(ports.hooks, conversation);
    this.warmer = new CacheWarmer(parts, () => this.agent.messages);
    this.requests = new RunRequests(parts, spans, request => this.warmer.follow(request));
    this.agent = new Agent({
      requests: this.requests,
      finishTurn: turn => {
        this.stopHooks.lastTurn = turn.turnIndex;
        return this.boundaries.endTurn(turn, this.signalOfRun);
      },
      betweenTurns: messages => this.betweenTurns(messages),
      handle: event => events.handle(event, this.signalOfRun),
      steeringMode: () => ports.settings.current.steeringMode,
      followUpMode: () => ports.settings.current.followUpMode,
      callOrder: () => ports.hooks.runner.callOrder,
      watchAnswer: () => rules.watch(),
      nestedOf: id => toolset.nested.take(id),
    });
    this.phases = new RunPhases(this.agent, this.requests.silence);
    this.onDidChangePhase = this.phases.onDidChange;
    this.retries = new Retries(parts, this.agent, this.requests, (...aside) => this.beside(...aside));
    this.boundaries = new TurnBoundaries(parts, this.agent);
    this.stopHooks = new StopHooks(parts, this.agent);
    const events = new RunEvents(parts, this.agent, spans, this.boundaries, this.retries);
    state.onDidReadContext(messages => {
      this.agent.setMessages(messages);
      toolset.followContext(messages);
    });
  }

  get phase(): RunPhase {
    return this.phases.current;
  }

  /** No run, retry or compaction is active. */
  get isIdle(): boolean {
    return !this.agent.isRunning && !this.phases.isBusy;
  }

  /** Idle, and nothing will follow the last run. */
  get isSettled(): boolean {
    return this.isIdle && this.unsettled === undefined;
  }

  /** A run is going on, or what follows it: it takes the messages that wait. */
  get hasRun(): boolean {
    return this.runs.size > 0;
  }

  /** No run is going on, whatever else is: with `end`, one that stop hooks are asked about is over. */
  isBetweenRuns(until: BusyUntil = 'end'): boolean {
    const isOver = this.unsettled === undefined || (until === 'end' && this.stopHooks.isAsking);
    return isOver && !this.agent.isRunning;
  }

  get signal(): AbortSignal | undefined {
    return this.agent.signal ?? this.phases.signal ?? this.agent.endedSignal;
  }

  get prompt(): RunPrompt {
    return this.requests.prompt;
  }

  /**
   * Runs on new messages until everything that follows from them is done. Rejects when a run is active, or the session
   * cannot be written.
   */
  async run(messages: readonly AgentMessage[]): Promise<void> {
    const { access } = this.parts.state.store;
    if (access.kind === 'read') throw readOnlyRefusal(access);
    const run = this.runAndFollowUp(messages);
    const ended = run
      .catch(() => undefined) // The caller gets the error.
      .then(() => {
        this.runs.delete(ended);
        this.emitSettled();
      });
    this.runs.add(ended);
    await ended;
    await run;
  }

  /**
   * Requests a failed answer again, without the failed one.
   * @throws Error when the agent works, or something came after the answer
   */
  async retry(failed: AgentMessage | undefined): Promise<void> {
    if (!this.isIdle) throw new Error(l10n.t('The agent is working. Stop it first, or wait.'));
    const last = lastAnswer(this.agent.messages);
    if (last === undefined || last !== failed || this.agent.messages.at(-1) !== last || last.stopReason !== 'error') {
      throw new Error(l10n.t('The conversation went on after this answer. Send your message again.'));
    }
    await refuseUnrecordable(this.parts.state);
    this.requests.noteFailed(last);
    this.retries.leaveOut(last, 'asked again');
    await this.run([]);
  }

  /**
   * Continues a stopped or interrupted run: sends a request with everything that was done until then.
   * @throws Error when the agent works, or nothing is open
   */
  async goOn(): Promise<void> {
    if (!this.isIdle) throw new Error(l10n.t('The agent is working. Stop it first, or wait.'));
    const last = this.agent.messages.at(-1);
    if (last === undefined || !isUnanswered(last)) {
      throw new Error(l10n.t('The conversation went on after this answer. Send your message again.'));
    }
    await refuseUnrecordable(this.parts.state);
    await this.run([]);
  }

  /** Says what the agent does while it works; undefined: nothing particular. */
  describeWork(message: string | undefined): void {
    this.phases.describe(message);
  }

  /** Repeats the request that the model does not answer; does nothing when it answers. */
  askAgain(): void {
    this.requests.silence.breakOff();
  }

  /** Emits the end once nothing is active that may continue the last run. */
  private emitSettled(): void {
    if (this.unsettled === undefined || this.runs.size > 0 || !this.isIdle) return;
    const { aborted } = this.unsettled.stopped;
    this.unsettled = undefined;
    this.warmer.noteSettled();
    const settled = { type: 'agent_settled', aborted } as const;
    this.parts.events.fire(settled);
    queueForHooks(this.parts, settled);
  }

  /**
   * Stops everything active and resolves when it ended, including those handlers of `agent_end` that are waited for.
   */
  async stop(by: StoppedBy = 'person'): Promise<void> {
    this.stopEmitter.fire(by);
    this.stopping.abort();
    this.stopping = new AbortController();
    this.phases.abort();
    await this.agent.abort();
    await this.waitForSettled();
  }

  /** Resolves when the run is idle and all events that follow from the runs were emitted; never rejects. */
  async waitForSettled(): Promise<void> {
    await this.waitForIdle();
    await Promise.all(this.runs);
  }

  /** Resolves when idle; never rejects. Handlers of `agent_end` count as idle (docs/dialects.md, D4). */
  async waitForIdle(): Promise<void> {
    while (!this.isIdle) {
      await this.agent.waitForIdle();
      if (this.phases.isBusy) await nextFire(this.onDidChangePhase);
    }
  }

  /** Ends the wait for a retry, and all further retries. */
  abortRetry(): void {
    this.phases.abort('retrying');
  }

  /**
   * Does work outside of a run (preparing, waiting, compacting) that can be stopped; may be nested. It counts as busy
   * unless `isBusy` is false: then it is only shown.
   */
  async beside<T>(phase: RunPhase, work: (signal: AbortSignal) => Promise<T>, isBusy = true): Promise<T> {
    try {
      return await this.phases.beside(phase, work, isBusy);
    } finally {
      this.emitSettled();
    }
  }

  /** Stops everything active and compacts the session. Rejects with the reason when that is not possible. */
  async compact(instructions?: string, by?: StoppedBy): Promise<CompactionOutcome> {
    await this.stop(by);
    return this.beside({ type: 'compacting' }, async signal => {
      await refuseUnrecordable(this.parts.state);
      return await this.parts.compaction.manual(instructions, signal);
    });
  }

  /**
   * Prepares a prompt: waits for MCP servers whose tools must be declared, and compacts the context when the last
   * answer already was too long.
   */
  async beforePrompt(signal: AbortSignal): Promise<void> {
    const { mcp } = this.parts.ports;
    await mcp?.beforePrompt(signal);
    this.prompt.mcpSection = mcp?.promptSection();
    const last = lastAnswer(this.agent.messages);
    if (last === undefined) return;
    const need = await this.parts.compaction.need(last, this.agent.messages, 'before a prompt');
    if (need !== undefined) await this.shrinkFor(need, last);
  }

  private async runAndFollowUp(messages: readonly AgentMessage[]): Promise<void> {
    const { signal } = this.stopping;
    this.unsettled = { stopped: signal };
    this.retries.begin();
    this.stopHooks.begin();
    this.phases.enterRun();
    this.boundaries.addWaiting();
    this.parts.writing.recordSelection();
    try {
      await this.agent.prompt(messages);
      await this.followUp(signal);
    } finally {
      this.boundaries.addWaiting();
      if (this.isIdle) this.phases.leaveRun();
    }
  }

  /** Nothing follows a stopped run, even if its last answer is complete: the stop may have come while its tools ran. */
  private async followUp(stopped: AbortSignal): Promise<void> {
    for (;;) {
      const last = this.answerToFollow(stopped);
      if (last === undefined) return;
      const need = await this.parts.compaction.need(last, this.agent.messages, 'after a run');
      if (this.answerToFollow(stopped) !== last) return;
      const again = (await this.retries.tryAgain(last, need)) || (await this.shrinkAndGoOn(last, need));
      const prompts = again || stopped.aborted ? [] : await this.beforeEnd(last);
      if (stopped.aborted || !this.isIdle || (prompts === undefined && !this.isWaitedFor)) return;
      this.phases.enterRun();
      await this.agent.prompt(prompts ?? []);
    }
  }

  /**
   * The compacted context, if the next request of the run would be too long; an overflow is handled at the end of the
   * run.
   */
  private async betweenTurns(messages: readonly AgentMessage[]): Promise<readonly AgentMessage[] | undefined> {
    const last = lastAnswer(messages);
    const need = last && (await this.parts.compaction.need(last, messages, 'between turns'));
    if (need?.reason !== 'threshold') return undefined;
    await this.parts.hookEvents.whenDelivered(this.agent.signal);
    const { state, compaction, toolset } = this.parts;
    const shorter = await this.beside({ type: 'compacting' }, async signal => {
      const isDone = await compaction.run(need, signal, 'between turns');
      return isDone ? state.rebuildContext() : undefined;
    });
    if (shorter !== undefined) toolset.followContext(shorter);
    return shorter;
  }

  /** A reminder of unfinished todos as the next prompt, after its event; undefined when the agent may stop. */
  private async remind(): Promise<readonly AgentMessage[] | undefined> {
    if (!this.isIdle || lastAnswer(this.agent.messages)?.stopReason === 'error') return undefined;
    const reminder = this.parts.todos.next();
    if (reminder === undefined) return undefined;
    queueForHooks(this.parts, reminder.event);
    const goOn = await this.beside(this.phases.running, async signal => {
      await this.parts.hookEvents.whenDelivered(signal);
      return !signal.aborted;
    });
    return goOn ? [reminder.message] : undefined;
  }

  /** What the agent is prompted with in place of an end; undefined when it may stop. */
  private async beforeEnd(last: AssistantMessage): Promise<readonly AgentMessage[] | undefined> {
    return (await this.remind()) ?? (await this.askStopHooks(last)) ?? (await this.beforeSettle(last));
  }

  private async askStopHooks(last: AssistantMessage): Promise<readonly AgentMessage[] | undefined> {
    if (!this.isIdle || !this.stopHooks.areAskedAfter(last)) return undefined;
    const message = await this.beside(this.phases.running, signal => this.stopHooks.ask(last, signal));
    return message && [message];
  }

  /** An empty list when hooks want another request; undefined when the agent may stop. */
  private async beforeSettle(last: AssistantMessage): Promise<readonly [] | undefined> {
    if (!this.isIdle || !this.parts.ports.hooks.runner.hasHandlers('agent_before_settle')) return undefined;
    const ask = (signal: AbortSignal): Promise<boolean> => this.boundaries.beforeSettle(last, signal);
    return (await this.beside(this.phases.running, ask)) ? [] : undefined;
  }

  /** The answer that may have a follow-up; undefined when a listener to the end has started something new. */
  private answerToFollow(stopped: AbortSignal): AssistantMessage | undefined {
    const last = lastAnswer(this.agent.messages);
    return !stopped.aborted && this.isIdle && last?.stopReason !== 'aborted' ? last : undefined;
  }

  /** Compacts, and returns whether another request follows: the last one again, or one for waiting messages. */
  private async shrinkAndGoOn(last: AssistantMessage, need: CompactionNeed | undefined): Promise<boolean> {
    if (need === undefined || !(await this.shrinkFor(need, last))) return false;
    return need.willRetry || this.isWaitedFor;
  }

  /** Whether messages were queued after the run ended or failed; they join it. */
  private get isWaitedFor(): boolean {
    const { followUps, steering } = this.agent;
    return followUps.messages.length + steering.messages.length > 0;
  }

  /** Removes the answer from the context before its request is repeated; it is repeated only once. */
  private async shrinkFor(need: CompactionNeed, last: AssistantMessage): Promise<boolean> {
    if (need.reason === 'overflow' && need.willRetry && !this.retries.recover(last)) {
      await this.parts.compaction.giveUp(need.answer);
      return false;
    }
    return this.beside({ type: 'compacting' }, signal => this.parts.compaction.run(need, signal));
  }

  private get signalOfRun(): AbortSignal {
    return this.agent.signal ?? this.stopping.signal;
  }
}

function nextFire(event: Event<RunPhase>): Promise<void> {
  return new Promise(resolve => {
    const subscription = event(() => {
      subscription.dispose();
      resolve();
    });
  });
}
