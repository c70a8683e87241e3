import { performance } from 'node:perf_hooks';
import { toDisposable, type Disposable } from '../base/disposable';
import type { HandlerClock } from './clock';
import type { HookConversation } from './conversation-port';
import { deliveriesIn, namesOf, planKey, type Delivery } from './deliveries';
import { hookError } from './errors';
import type { HookEvent, HookEventType, HookResult } from './events';
import { HandlerRun } from './handler-run';
import { invoke, type Settled } from './invoke';
import type { LoadedHook } from './loaded-hook';
import { NOTHING, type Merging, type Verdict } from './merge/merging';
import { POLICY, type Policy } from './policy';
import type { DispatchOutcome, HookError } from './record';
import type { DispatchRing } from './records';

/** What the runner needs from the host around it. */
export interface RunnerServices {
  readonly clock: HandlerClock;
  readonly records: DispatchRing;
  /** `hookTimeout` of the settings, ms. */
  hookTimeoutMs(): number;
  /** The `ctx` for one call. */
  context(run: HandlerRun): object;
  /** Runs hook code so that its late calls find their way to the conversation. */
  within<V>(conversation: HookConversation | undefined, code: () => V): V;
  report(error: HookError): void;
}

/** Asked before each tool call while a hook that guards tools is not loaded; answers why the tool must not run. */
export type MissingGate = (
  call: { readonly toolCallId: string; readonly toolName: string; readonly input: Record<string, unknown> },
  conversation: HookConversation,
  signal: AbortSignal | undefined,
) => Promise<string | undefined>;

export interface EmitOptions {
  /** When it fires, handlers still running are given up and their answers dropped. */
  readonly signal?: AbortSignal | undefined;
}

/** How long handlers may still take when the run is aborted, ms; a gate has nothing left to guard, so it ends at once. */
const ABORT_GRACE_MS = 1_000;

/**
 * The one dispatch loop. Handlers run one after the other, in order of loading and then of registration; what they
 * return is folded by the policy table. Nothing a handler does makes `emit` reject, and a set of hooks swapped in
 * meanwhile counts from the next dispatch on.
 */
export class HookRunner {
  private hooks: readonly LoadedHook[] = [];
  private readonly plans = new Map<string, readonly Delivery[]>();
  private readonly known = new Map<HookEventType, boolean>();
  private readonly watchedHooks = new WeakSet<LoadedHook>();
  /** Set by the host while a gate is missing. */
  missingGate: MissingGate | undefined;

  constructor(private readonly services: RunnerServices) {}

  /** The current set, in order of loading. */
  get loaded(): readonly LoadedHook[] {
    return this.hooks;
  }

  /** Swaps the whole set at once. */
  setHooks(hooks: readonly LoadedHook[]): void {
    this.hooks = hooks;
    this.forgetPlans();
    for (const hook of hooks) {
      if (this.watchedHooks.has(hook)) continue;
      this.watchedHooks.add(hook);
      hook.onRegistered(() => {
        this.forgetPlans();
      });
    }
  }

  /** Whether any hook listens to an event, under any of its names. Costs a map lookup. */
  hasHandlers(type: HookEventType): boolean {
    const known = this.known.get(type);
    if (known !== undefined) return known;
    const names = namesOf(type);
    const has = this.hooks.some(hook => hook.handlers.some(handler => names.includes(handler.name)));
    this.known.set(type, has);
    return has;
  }

  /** Tells all hooks of a step and resolves with their merged answer; see {@link HookRunner}. */
  emit<E extends HookEvent>(
    event: E,
    conversation: HookConversation | undefined,
    options: EmitOptions = {},
  ): Promise<HookResult<E['type']>> {
    const key = planKey(event);
    let plan = this.plans.get(key);
    if (plan === undefined) {
      plan = this.hooks.flatMap(hook => deliveriesIn(hook, event));
      this.plans.set(key, plan);
    }
    return this.dispatch(plan, event, conversation, options);
  }

  /** As {@link emit}, to some hooks only: the shutdown and start events around a reload. */
  emitTo<E extends HookEvent>(
    hooks: readonly LoadedHook[],
    event: E,
    conversation: HookConversation | undefined,
    options: EmitOptions = {},
  ): Promise<HookResult<E['type']>> {
    const plan = hooks.flatMap(hook => deliveriesIn(hook, event));
    return this.dispatch(plan, event, conversation, options);
  }

  private forgetPlans(): void {
    this.plans.clear();
    this.known.clear();
  }

  private async dispatch<E extends HookEvent>(
    plan: readonly Delivery[],
    event: E,
    conversation: HookConversation | undefined,
    options: EmitOptions,
  ): Promise<HookResult<E['type']>> {
    if (plan.length === 0) return policyOf(event).merge(event, conversation).result() as HookResult<E['type']>;
    const dispatch = new Dispatch(this.services, event, conversation, options);
    for (const delivery of plan) {
      const handling = dispatch.begin(delivery);
      const settled = handling.settled instanceof Promise ? await handling.settled : handling.settled;
      if (dispatch.conclude(handling, settled)) break;
    }
    return dispatch.merging.result() as HookResult<E['type']>;
  }
}

/** The table is typed per event; the line of one event fits that event. */
function policyOf(event: HookEvent): Policy<HookEventType> {
  return POLICY[event.type] as unknown as Policy<HookEventType>;
}

/** Events about work that can be cancelled carry its signal. */
function signalOf(event: HookEvent): AbortSignal | undefined {
  return 'signal' in event ? event.signal : undefined;
}

/** One handler at work. */
interface Handling {
  readonly delivery: Delivery;
  readonly run: HandlerRun;
  readonly payload: object;
  /** On the clock of `performance.now()`. */
  readonly started: number;
  readonly work: Disposable;
  readonly settled: Settled | Promise<Settled>;
}

const NO_WORK = toDisposable(() => undefined);

/** One event on its way through the handlers of a plan. */
class Dispatch {
  readonly merging: Merging<HookEventType>;
  private readonly toolCall: { readonly toolCallId?: string; readonly toolName?: string };

  private readonly policy: Policy<HookEventType>;
  private readonly signal: AbortSignal | undefined;

  constructor(
    private readonly services: RunnerServices,
    private readonly event: HookEvent,
    private readonly conversation: HookConversation | undefined,
    options: EmitOptions,
  ) {
    this.policy = policyOf(event);
    this.merging = this.policy.merge(event, conversation);
    this.signal = options.signal ?? signalOf(event);
    this.toolCall = 'toolCallId' in event ? { toolCallId: event.toolCallId, toolName: event.toolName } : {};
  }

  /** Calls the handler; it may have settled already. */
  begin(delivery: Delivery): Handling {
    const { hook, handler, shape } = delivery;
    const { conversation, signal, services } = this;
    const run = new HandlerRun(hook, { event: this.event.type, conversation, signal, ...this.toolCall });
    const payload = this.merging.payload?.(hook, handler.name) ?? shape(this.merging.event, { conversation, hook });
    const started = performance.now();
    if (signal?.aborted === true && this.policy.onError === 'block') {
      return { delivery, run, payload, started, work: NO_WORK, settled: { type: 'aborted' } };
    }
    const work = hook.identity.scope.begin();
    const context = conversation === undefined ? undefined : services.context(run);
    const settled = services.within(conversation, () =>
      invoke(run, handler.run, [payload, context], {
        clock: services.clock,
        timeoutMs: this.timeoutFor(hook),
        signal,
        abortGraceMs: this.policy.onError === 'block' ? 0 : ABORT_GRACE_MS,
      }),
    );
    return { delivery, run, payload, started, work, settled };
  }

  /** Folds in how the handler ended and records it; true when no further handler is to be called. */
  conclude(handling: Handling, settled: Settled): boolean {
    handling.work.dispose();
    const { hook } = handling.delivery;
    const verdict = this.judge(handling, settled);
    for (const problem of verdict.problems ?? []) this.report(hook, new Error(`returned a wrong shape: ${problem}`));
    this.record(handling, settled, verdict.outcome);
    return verdict.stop === true;
  }

  private judge(handling: Handling, settled: Settled): Verdict {
    const { hook } = handling.delivery;
    switch (settled.type) {
      case 'value':
        return this.take(handling, settled.value);
      case 'threw':
        return this.failed(handling, settled.error);
      case 'late':
        this.report(hook, new Error(`Hook timed out after ${settled.timeoutMs}ms`));
        this.merging.abandon?.(handling.payload);
        return { outcome: { type: 'late', timeoutMs: settled.timeoutMs } };
      case 'aborted':
        this.merging.abandon?.(handling.payload);
        return { outcome: { type: 'ignored', why: 'the run was aborted' }, stop: this.policy.onError === 'block' };
    }
  }

  private take(handling: Handling, value: unknown): Verdict {
    if (value === undefined && this.merging.payload === undefined) return NOTHING;
    try {
      return this.merging.take(value, handling.delivery.hook, handling.payload);
    } catch (error) {
      return this.failed(handling, error); // A getter of the answer threw.
    }
  }

  private failed({ delivery, payload }: Handling, error: unknown): Verdict {
    const { hook } = delivery;
    const told = this.report(hook, error);
    this.merging.abandon?.(payload);
    const { message, line, column, stack } = told;
    const outcome: DispatchOutcome = {
      type: 'threw',
      message,
      ...(line === undefined ? {} : { line }),
      ...(column === undefined ? {} : { column }),
      ...(stack === undefined ? {} : { stack }),
    };
    if (this.policy.onError !== 'block') return { outcome };
    const reason = error instanceof Error ? message : `${hook.dialect.failedPrefix}${message}`;
    return { ...this.merging.take({ block: true, reason }, hook, payload), outcome };
  }

  private timeoutFor(hook: LoadedHook): number | undefined {
    return this.policy.timeout === 'default' && hook.dialect.timed(this.event.type)
      ? this.services.hookTimeoutMs()
      : undefined;
  }

  private report(hook: LoadedHook, error: unknown): HookError {
    const told = hookError(error, { hookPath: hook.path, event: this.event.type }, hook.identity.map);
    this.services.report(told);
    return told;
  }

  private record(handling: Handling, settled: Settled, outcome: DispatchOutcome): void {
    const { delivery, run, payload, started } = handling;
    const { line } = delivery.handler.at;
    this.services.records.add({
      conversation: this.conversation?.id ?? '',
      hookPath: delivery.hook.path,
      event: this.event.type,
      registeredAs: delivery.handler.name,
      ...(line === undefined ? {} : { line }),
      ...this.toolCall,
      startedAt: performance.timeOrigin + started,
      durationMs: performance.now() - started,
      askedMs: run.askedMs,
      outcome,
      payload,
      returned: settled.type === 'value' ? settled.value : undefined,
    });
  }
}
