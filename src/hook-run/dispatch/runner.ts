import type { CallOrder } from '../../agent/run/tool-calls';
import { anySignal, deferred, unlessAborted, type Deferred } from '../../base/async/wait';
import type { HookConversation } from '../../hook-contract/conversation-port';
import { deliveriesIn, planKey, type HandlerDelivery } from './deliveries';
import { Dispatch, type EmitOptions, type RunnerServices } from './dispatch';
import { answersTo, namesOf, rowOf } from '../../hook-contract/events/event-table';
import type { HookEvent, HookEventOf, HookEventType, HookResult } from '../../hook-contract/hook-event';
import type { LoadedHook } from '../../hook-contract/loaded-hook';

export type { EmitOptions, RunnerServices };

/** What happens to a tool call while a gate is not loaded. */
export type MissingGateVerdict =
  | { readonly type: 'unneeded' }
  /** The user approved the call. */
  | { readonly type: 'confirmed' }
  | { readonly type: 'refused'; readonly reason: string };

/** Asked before each tool call while a hook that guards tools is not loaded. */
export type MissingGate = (
  call: { readonly toolCallId: string; readonly toolName: string; readonly input: Record<string, unknown> },
  conversation: HookConversation,
  signal: AbortSignal | undefined,
) => Promise<MissingGateVerdict>;

/** How long a step waits for a reload of hooks, in ms, before it is refused. Longer than a factory may take. */
const SWAP_TIMEOUT_MS = 60_000;
/** Why it is refused then. */
export const SWAP_TAKES_LONG = 'the hooks are being reloaded, which takes too long.';

/** Events that contain the system prompt in every dialect. */
const GETS_SYSTEM_PROMPT: ReadonlySet<string> = new Set(['before_agent_start', 'before_provider_request']);

/**
 * The one dispatch loop. Handlers run one after the other, in order of loading and then of registration; what they
 * return is reduced as the event's row says. `emit` never rejects, whatever a handler does. A new set of hooks applies
 * from the next dispatch.
 */
export class HookRunner {
  private hooks: readonly LoadedHook[] = [];
  private readonly plans = new Map<string, readonly HandlerDelivery[]>();
  private readonly known = new Map<HookEventType, boolean>();
  private readonly watchedHooks = new WeakSet<LoadedHook>();
  private changes = 0;
  /** Set by the host while a gate is missing. */
  missingGate: MissingGate | undefined;

  private swapping: Deferred<void> | undefined;

  constructor(readonly services: RunnerServices) {}

  /**
   * Waits while the host ends instances and starts others: the old ones no longer guard and the new ones do not yet. False
   * when that takes too long, or the signal fires. A reload waits for shutdown handlers and factories, never for a tool
   * call, so the two cannot deadlock.
   */
  async whenSwapped(signal: AbortSignal | undefined): Promise<boolean> {
    let swap = this.swapping;
    if (swap === undefined) return true;
    const end = anySignal(AbortSignal.timeout(SWAP_TIMEOUT_MS), signal);
    while (swap !== undefined && !end.aborted) {
      await unlessAborted(swap.promise, end, () => undefined);
      swap = this.swapping;
    }
    return swap === undefined;
  }

  beginSwap(): void {
    this.swapping ??= deferred();
  }

  endSwap(): void {
    this.swapping?.resolve();
    this.swapping = undefined;
  }

  /** The current set, in order of loading. */
  get loaded(): readonly LoadedHook[] {
    return this.hooks;
  }

  /** Counts up when the set, or what a hook registered, becomes another. */
  get version(): number {
    return this.changes;
  }

  /** Swaps the whole set at once. */
  setHooks(hooks: readonly LoadedHook[]): void {
    this.hooks = hooks;
    this.forgetPlans();
    for (const hook of hooks) {
      if (this.watchedHooks.has(hook)) continue;
      this.watchedHooks.add(hook);
      hook.onRegistered(() => this.forgetPlans());
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

  /** Whether a file of this kind listens to an event, under any of its names. */
  handles(type: HookEventType, isMeant: (hook: LoadedHook) => boolean): boolean {
    const names = namesOf(type);
    return this.hooks.some(hook => isMeant(hook) && hook.handlers.some(({ name }) => names.includes(name)));
  }

  /** How the calls of one answer run: one by one if a loaded file's dialect promises that. */
  get callOrder(): CallOrder {
    const isPromised = ({ dialect }: LoadedHook): boolean => dialect.callOrder === 'oneByOne';
    return this.handles('tool_call', isPromised) || this.handles('tool_result', isPromised) ? 'oneByOne' : 'sideBySide';
  }

  /** Whether a file gets the system prompt in whose dialect it said the date and the folder in sentences. */
  get expectsPlaceInWords(): boolean {
    return this.hooks.some(
      ({ dialect, features, handlers }) =>
        dialect.promptPlace === 'words' &&
        (features.readsSystemPrompt || handlers.some(({ name }) => GETS_SYSTEM_PROMPT.has(name))),
    );
  }

  /**
   * Sends a step to all hooks and resolves with their merged answer; see {@link HookRunner}. Without options, a step
   * that the run depends on ends with the run.
   */
  emit<E extends HookEvent>(
    event: E,
    conversation: HookConversation | undefined,
    options: EmitOptions = rowOf(event.type).endsWithRun ? { signal: conversation?.signal } : {},
  ): Promise<HookResult<E['type']>> {
    if (rowOf(event.type).onError === 'block') this.services.restoreGlobals?.();
    return this.emitThrough(this.planFor(event), event, conversation, options);
  }

  /**
   * Like {@link emit}, for the gates of a tool call; undefined when there is none. Globals that hooks deleted are put
   * back before the gates are looked up.
   */
  askGates(
    event: HookEventOf<'tool_call'>,
    conversation: HookConversation | undefined,
    options: EmitOptions,
  ): Promise<HookResult<'tool_call'>> | undefined {
    this.services.restoreGlobals?.();
    const plan = this.planFor(event);
    return plan.length === 0 ? undefined : this.emitThrough(plan, event, conversation, options);
  }

  /** Like {@link emit}, but only to some hooks: the shutdown and start events around a reload. */
  emitTo<E extends HookEvent>(
    hooks: readonly LoadedHook[],
    event: E,
    conversation: HookConversation | undefined,
    options: EmitOptions = {},
  ): Promise<HookResult<E['type']>> {
    const plan = hooks.flatMap(hook => deliveriesIn(hook, event));
    return this.emitThrough(plan, event, conversation, options);
  }

  /** Like {@link emit}, but only to some of the handlers of {@link deliveries}. */
  emitThrough<E extends HookEvent>(
    plan: readonly HandlerDelivery[],
    event: E,
    conversation: HookConversation | undefined,
    options: EmitOptions = {},
  ): Promise<HookResult<E['type']>> {
    if (plan.length === 0) return Promise.resolve(answersTo(event, conversation).result() as HookResult<E['type']>);
    const dispatch = new Dispatch(this.services, event, conversation, options);
    return this.services.within(conversation, () => dispatch.run(plan)) as Promise<HookResult<E['type']>>;
  }

  /** The handlers that would get an event now, in order. */
  deliveries(event: HookEvent): readonly HandlerDelivery[] {
    return this.hooks.flatMap(hook => deliveriesIn(hook, event));
  }

  private planFor(event: HookEvent): readonly HandlerDelivery[] {
    const key = planKey(event);
    const known = this.plans.get(key);
    if (known !== undefined) return known;
    const plan = this.hooks.flatMap(hook => deliveriesIn(hook, event));
    this.plans.set(key, plan);
    return plan;
  }

  private forgetPlans(): void {
    this.changes += 1;
    this.plans.clear();
    this.known.clear();
  }
}
