import { performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { isThenable } from '../../base/async/wait';
import type { HandlerClock } from './clock';
import type { ApprovedInput } from '../../gate/calls/approved-input';
import type { HookConversation } from '../../hook-contract/conversation-port';
import { copyData } from '../../hook-contract/copy';
import type { HandlerDelivery } from './deliveries';
import { hookError } from '../../hook-contract/errors';
import {
  NO_DECISION,
  type AnswerReducer,
  type AnswerVerdict,
  type EventRow,
} from '../../hook-contract/events/event-row';
import { answersTo, asDeclared, rowOf } from '../../hook-contract/events/event-table';
import type { HookEvent, HookEventType } from '../../hook-contract/hook-event';
import { refuseTooLarge } from '../../hook-contract/given-size';
import { HandlerRun, type RunSubject } from './handler-run';
import type { LoadedHook, StoppedCode } from '../../hook-contract/loaded-hook';
import type { DispatchOutcome, DispatchRecord, HookError } from '../../hook-contract/record';
import type { DispatchRecords } from './dispatch-records';
import { OwnPromise, PromiseWatch, settleWithin, type Settled } from './settle';

/** What the runner needs from the host around it. */
export interface RunnerServices {
  readonly clock: HandlerClock;
  readonly records: DispatchRecords;
  /** `hookTimeout` of the settings, ms. */
  hookTimeoutMs(): number;
  /** The `ctx` for one call. */
  context(run: HandlerRun): object;
  /** Runs hook code so that its late calls refer to this conversation. */
  within<V>(conversation: HookConversation | undefined, code: () => V): V;
  /** Like `within`, for the conversation of a dry run, which is not open. */
  alone<V>(conversation: HookConversation, code: () => V): V;
  report(error: HookError): void;
  /**
   * Restores globals that hooks deleted, without which nothing goes on, and reports it. Returns why verdicts reached
   * meanwhile do not count; undefined when none was deleted. Cheap enough for each event.
   */
  restoreGlobals?(): string | undefined;
}

export interface EmitOptions {
  /** When it fires, running handlers are abandoned and their answers dropped. */
  readonly signal?: AbortSignal | undefined;
  /** For `tool_call`: records whether the user approves the call. */
  readonly approved?: ApprovedInput;
}

/** How long handlers may still take after the run is aborted, in ms. A gate ends at once, because there is no call left to guard. */
const ABORT_GRACE_MS = 1_000;

/** ms since the epoch at which `performance.now()` was 0. */
const TIME_ORIGIN = performance.timeOrigin;

/** Awaiting this lets promises settle that are ready to. */
const SOON = Promise.resolve();

/** Events about work that can be cancelled carry its signal. */
function signalOf(event: HookEvent): AbortSignal | undefined {
  return 'signal' in event ? event.signal : undefined;
}

/** One handler at work. */
interface Handling {
  readonly delivery: HandlerDelivery;
  readonly run: HandlerRun;
  readonly payload: object;
  /** On the clock of `performance.now()`. */
  readonly started: number;
  /** What the handler returned, when that must be waited for. */
  readonly pending: PromiseLike<unknown> | undefined;
  readonly settled: Settled | undefined;
}

/** The dispatch of one event to the handlers of a plan. Hot path: values that all handlers share are created once. */
export class Dispatch {
  private readonly timeout: NonNullable<EventRow<HookEventType>['timeout']>;
  private readonly isGate: boolean;
  private readonly hasContext: boolean;
  private readonly answers: AnswerReducer<HookEventType>;
  private readonly signal: AbortSignal | undefined;
  private readonly subject: RunSubject;
  private readonly event: HookEvent;
  /** Copy of the input of the `tool_call` as the last handler left it: handlers change the object itself. */
  private seenInput: unknown;
  private clockAt = performance.now();
  private watch = new PromiseWatch();

  constructor(
    private readonly services: RunnerServices,
    given: HookEvent,
    private readonly conversation: HookConversation | undefined,
    options: EmitOptions,
  ) {
    const event = (this.event = asDeclared(given));
    const row = rowOf(event.type);
    const { timeout = 'default', onError, isBeforeConversations = false } = row;
    this.timeout = timeout;
    this.isGate = onError === 'block';
    this.hasContext = conversation !== undefined || isBeforeConversations;
    this.answers = answersTo(event, conversation);
    this.signal = options.signal ?? signalOf(event);
    const call = 'toolCallId' in event ? event : undefined;
    if (event.type === 'tool_call') this.seenInput = copyData(event.input);
    this.subject = {
      event: event.type,
      role: row.answers !== undefined ? 'deciding' : 'listening',
      conversation,
      toolCallId: call?.toolCallId,
      toolName: call?.toolName,
      input: event.type === 'tool_call' ? event.input : undefined,
      approved: options.approved,
      signal: this.signal,
    };
  }

  async run(plan: readonly HandlerDelivery[]): Promise<unknown> {
    for (const delivery of plan) {
      const work = delivery.hook.identity.scope.begin(this.subject.event);
      const handling = this.begin(delivery);
      let { settled } = handling;
      if (settled === undefined && this.isLimited(delivery)) {
        const { watch } = this;
        const isWatched = this.signal?.aborted !== true && watch.observe(handling.pending);
        if (isWatched) await SOON; // Most handlers have settled by now and need no deadline.
        settled = isWatched ? watch.settled : undefined;
        if (settled === undefined) {
          this.watch = new PromiseWatch();
          settled = await this.settleWithin(handling);
        }
      } else if (settled === undefined) {
        try {
          settled = { type: 'value', value: await handling.pending };
        } catch (error) {
          settled = { type: 'threw', error };
        }
      }
      work.dispose();
      const { stopped } = delivery.hook.identity.scope;
      if (this.conclude(handling, stopped === undefined ? settled : { type: 'stopped', error: stopped })) break;
    }
    const last = plan.at(-1);
    if (last === undefined) return this.answers.result();
    const deleted = this.services.restoreGlobals?.();
    if (deleted !== undefined && this.isGate) this.answers.refuse?.(deleted, last.hook);
    return this.answers.result();
  }

  /** Calls the handler; it may have settled already. */
  private begin(delivery: HandlerDelivery): Handling {
    const { hook, handler, buildPayload } = delivery;
    const { conversation, answers } = this;
    const run = new HandlerRun(hook, this.subject);
    const payload = answers.payload?.(hook, handler.name) ?? buildPayload(answers.event, { conversation, hook });
    const started = this.clockAt;
    let pending: PromiseLike<unknown> | undefined;
    let settled: Settled | undefined;
    const { stopped } = hook.identity.scope;
    if (stopped !== undefined) settled = { type: 'stopped', error: stopped };
    else if (this.signal?.aborted === true && this.isGate) settled = { type: 'aborted' };
    else {
      try {
        const context = this.hasContext ? this.services.context(run) : undefined;
        const returned = handler.run(payload, handler.takesRun === true ? run : context);
        if (isThenable(returned)) pending = returned;
        else settled = { type: 'value', value: returned };
      } catch (error) {
        settled = { type: 'threw', error };
      }
    }
    return { delivery, run, payload, started, pending, settled };
  }

  private isLimited({ hook }: HandlerDelivery): boolean {
    return this.signal !== undefined || this.isGate || this.isTimed(hook);
  }

  private isTimed({ dialect }: LoadedHook): boolean {
    const { timeout } = this;
    return timeout === 'always' || (timeout !== 'none' && dialect.timed(timeout));
  }

  private settleWithin({ delivery, run, pending, started }: Handling): Promise<Settled> {
    // Foreign thenables are wrapped in a promise first, whose `then` cannot throw.
    const promise = pending instanceof OwnPromise ? pending : OwnPromise.resolve(pending);
    return settleWithin(run, promise, {
      clock: this.services.clock,
      startedAt: started,
      timeoutMs: this.isTimed(delivery.hook) ? this.services.hookTimeoutMs() : undefined,
      signal: this.signal,
      abortGraceMs: this.isGate ? 0 : ABORT_GRACE_MS,
      ...(this.isGate ? { turnedOff: delivery.hook.turnedOff } : {}),
    });
  }

  /** Reduces and records the handler's outcome; true when no further handler is called. */
  private conclude(handling: Handling, settled: Settled): boolean {
    const { seenInput } = this;
    handling.run.settle();
    const judged = this.judge(handling, settled);
    const { isInputChanged, unreadable } = this.lookAtInput();
    const verdict = unreadable === undefined ? judged : this.failed(handling, unreadable);
    if (verdict.problems !== undefined) this.reportProblems(handling.delivery, verdict.problems);
    const outcome = isInputChanged ? withInput(verdict.outcome) : verdict.outcome;
    const { input } = this.subject;
    const inputs = unreadable === undefined ? { before: isInputChanged ? seenInput : undefined, input } : {};
    this.record(handling, settled, outcome, inputs);
    return verdict.stop === true;
  }

  private reportProblems(delivery: HandlerDelivery, problems: readonly string[]): void {
    for (const problem of problems) {
      this.report(delivery, new Error(`returned a wrong shape: ${problem}`), 'wrong-shape');
    }
  }

  /** Whether the input of the `tool_call` is another one than at the last look, and why it cannot be an input. */
  private lookAtInput(): { readonly isInputChanged: boolean; readonly unreadable?: Error } {
    const { event } = this;
    if (event.type !== 'tool_call') return { isInputChanged: false };
    try {
      if (isDeepStrictEqual(event.input, this.seenInput)) return { isInputChanged: false };
      refuseTooLarge(event.input);
      JSON.stringify(event.input);
      this.seenInput = copyData(event.input);
      return { isInputChanged: true };
    } catch (error) {
      const text = `The handler changed the input to one that cannot be used: ${messageOf(error)}`;
      return { isInputChanged: false, unreadable: new TypeError(text) };
    }
  }

  private judge(handling: Handling, settled: Settled): AnswerVerdict {
    switch (settled.type) {
      case 'value':
        return this.answered(handling, settled.value);
      case 'threw':
        return this.failed(handling, settled.error);
      case 'late':
        this.report(handling.delivery, new Error(`Hook timed out after ${settled.timeoutMs}ms`), 'late');
        this.answers.discard?.(handling.payload);
        return { outcome: { type: 'late', timeoutMs: settled.timeoutMs } };
      case 'aborted':
        this.answers.discard?.(handling.payload);
        this.answers.abandon?.();
        return { outcome: { type: 'ignored', why: 'the run was aborted' }, stop: this.isGate };
      case 'stopped':
        return this.stopped(handling, settled.error);
    }
  }

  /** The loop was reported when it was stopped. What the handler still returns is not an answer. */
  private stopped({ delivery, payload, settled }: Handling, error: StoppedCode): AnswerVerdict {
    this.answers.discard?.(payload);
    const { message, line } = error;
    const wasStoppedBefore = settled?.type === 'stopped';
    if (this.isGate) {
      return { ...this.answers.refuse?.(message, delivery.hook), outcome: { type: 'threw', message, line } };
    }
    if (wasStoppedBefore) return { outcome: { type: 'ignored', why: message } };
    return { outcome: { type: 'threw', message, line } };
  }

  private answered(handling: Handling, value: unknown): AnswerVerdict {
    if (value === undefined && this.answers.payload === undefined) return NO_DECISION;
    try {
      refuseTooLarge(value);
      return this.answers.add(value, handling.delivery.hook, handling.payload);
    } catch (error) {
      return this.failed(handling, error); // It is too large, or a getter of it threw.
    }
  }

  private failed({ delivery, payload }: Handling, error: unknown): AnswerVerdict {
    const { hook } = delivery;
    const reported = this.report(delivery, error);
    this.answers.discard?.(payload);
    const { message, line, column, stack } = reported;
    const outcome: DispatchOutcome = { type: 'threw', message, ...defined({ line, column, stack }) };
    if (!this.isGate) return { outcome };
    const reason = error instanceof Error ? message : `${hook.dialect.failedPrefix}${message}`;
    return { ...this.answers.refuse?.(reason, hook), outcome };
  }

  /** `kind` names the problem when the code did not throw; the place is then that of the `on` call. */
  private report({ hook, handler }: HandlerDelivery, error: unknown, kind?: HookError['kind']): HookError {
    const place = { hookPath: hook.path, event: this.event.type };
    const described =
      kind === undefined
        ? hookError(error, place, hook.identity.map)
        : { ...place, message: messageOf(error), kind, ...placeOf(handler) };
    const conversation = this.conversation?.id;
    this.services.report(conversation === undefined ? described : { ...described, conversation });
    return described;
  }

  private record(
    { delivery, run, payload, started }: Handling,
    settled: Settled,
    outcome: DispatchOutcome,
    inputs: Pick<DispatchRecord, 'before' | 'input'>,
  ): void {
    const now = performance.now();
    this.clockAt = now;
    const { records } = this.services;
    records.add({
      seq: records.nextSeq(),
      conversation: this.conversation?.id ?? '',
      agent: this.conversation?.agent,
      hookPath: delivery.hook.path,
      event: this.subject.event,
      registeredAs: delivery.handler.name,
      nth: delivery.handler.nth,
      registration: delivery.handler.at,
      toolCallId: this.subject.toolCallId,
      toolName: this.subject.toolName,
      startedAt: TIME_ORIGIN + started,
      durationMs: now - started,
      askedMs: run.askedMs,
      waits: run.waits,
      askedInVain: run.askedInVain,
      dialogs: run.dialogs,
      noUi: this.conversation?.hasUI === false,
      approvalReason: run.approvalReason,
      outcome,
      payload,
      returned: settled.type === 'value' ? settled.value : undefined,
      ...inputs,
    });
  }
}

/** A changed input is recorded like a returned change; a block or a failure stays what it is. */
function withInput(outcome: DispatchOutcome): DispatchOutcome {
  if (outcome.type === 'returned') return { type: 'returned', changed: ['input', ...outcome.changed] };
  return outcome.type === 'nothing' || outcome.type === 'ignored' ? { type: 'returned', changed: ['input'] } : outcome;
}

function placeOf({ at }: HandlerDelivery['handler']): { readonly file?: string; readonly line?: number } {
  const { file, line } = at;
  return file === undefined || line === undefined ? {} : { file, line };
}
