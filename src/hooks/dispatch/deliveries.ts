import type { HookEvent, HookEventOf, HookEventType } from '../events/hook-event';
import type { LoadedHook, RegisteredHandler } from '../loaded-hook';
import * as reasons from './payloads/session-reasons';
import type { Shape, ShapeSource } from './payloads/shape';
import { SPLIT } from './payloads/split';

/** One handler that an event goes to, and how the event looks to it. */
export interface Delivery {
  readonly hook: LoadedHook;
  readonly handler: RegisteredHandler;
  readonly shape: Shape;
}

/** A name under which a file may have asked for a lifecycle step. */
interface Offer {
  readonly name: string;
  readonly shape: Shape;
}

/** Steps of which some files know several names; all others go by their own name, whatever the dialect (C33). */
type NamedSteps = {
  readonly [T in HookEventType]?: (event: HookEventOf<T>, hook: LoadedHook) => readonly Offer[];
};

function offer(name: string, shape: (event: never, source: ShapeSource) => object): Offer {
  return { name, shape: shape as Shape };
}

function own(type: HookEventType, name: string = type): Offer {
  const shape = SPLIT[type] as Shape;
  return { name, shape: name === type ? shape : (event, source) => ({ ...shape(event, source), type: name }) };
}

/** A file that knows names of its own for a new session gets those, and not the switch (C3). */
function switchOffer(
  event: HookEventOf<'session_before_switch' | 'session_switch'>,
  hook: LoadedHook,
  newName: string,
): Offer {
  const knowsNew = hook.features.events.has('session_before_new') || hook.features.events.has('session_new');
  return event.reason === 'new' && knowsNew ? own(event.type, newName) : own(event.type);
}

/** A file that registered both spellings gets the fork one only (C4). */
function branchOffer(type: 'session_before_branch' | 'session_branch', hook: LoadedHook, forkName: string): Offer {
  return hook.features.events.has(forkName) ? own(type, forkName) : own(type);
}

const STEPS: NamedSteps = {
  session_start: (event, hook) => {
    const again = event.reason !== 'startup' && event.reason !== 'reload';
    if (!again) return [offer('session', reasons.sessionStart), own('session_start')];
    return hook.dialect.startsOnSwitch ? [own('session_start')] : [];
  },
  session_before_switch: (event, hook) => [
    offer('session', reasons.sessionBeforeSwitch),
    switchOffer(event, hook, 'session_before_new'),
  ],
  session_switch: (event, hook) => [offer('session', reasons.sessionSwitch), switchOffer(event, hook, 'session_new')],
  session_before_branch: (_event, hook) => [
    offer('session', reasons.sessionBeforeBranch),
    branchOffer('session_before_branch', hook, 'session_before_fork'),
    offer('branch', reasons.branchOfH18),
  ],
  session_branch: (_event, hook) => [
    offer('session', reasons.sessionBranch),
    branchOffer('session_branch', hook, 'session_fork'),
  ],
  session_before_compact: () => [offer('session', reasons.sessionBeforeCompact), own('session_before_compact')],
  session_compacting: () => [own('session_compacting', 'session.compacting')],
  session_compact: () => [offer('session', reasons.sessionCompact), own('session_compact')],
  session_shutdown: () => [offer('session', reasons.sessionShutdown), own('session_shutdown')],
};

/**
 * Where a step goes in one file: to every handler registered under a name of the step, in order of registration
 * (C1 to C4, C25, C32 to C34).
 */
export function deliveriesIn(hook: LoadedHook, event: HookEvent): readonly Delivery[] {
  if (hook.handlers.length === 0) return [];
  const offers = offersOf(event, hook);
  const deliveries: Delivery[] = [];
  for (const handler of hook.handlers) {
    const taken = offers.find(candidate => candidate.name === handler.name);
    if (taken !== undefined) deliveries.push({ hook, handler, shape: taken.shape });
  }
  return deliveries;
}

function offersOf(event: HookEvent, hook: LoadedHook): readonly Offer[] {
  const named = STEPS[event.type] as ((event: HookEvent, hook: LoadedHook) => readonly Offer[]) | undefined;
  return named?.(event, hook) ?? [{ name: event.type, shape: SPLIT[event.type] as Shape }];
}

/** What a plan of deliveries hangs on, beside the files: events that differ in nothing else share one plan. */
export function planKey(event: HookEvent): string {
  return 'reason' in event ? `${event.type} ${event.reason}` : event.type;
}

/** Further names under which files may have asked for a step. */
const MORE_NAMES: { readonly [T in HookEventType]?: readonly string[] } = {
  session_start: ['session'],
  session_before_switch: ['session', 'session_before_new'],
  session_switch: ['session', 'session_new'],
  session_before_branch: ['session', 'session_before_fork', 'branch'],
  session_branch: ['session', 'session_fork'],
  session_before_compact: ['session'],
  session_compacting: ['session.compacting'],
  session_compact: ['session'],
  session_shutdown: ['session'],
};

/** All names under which a file may have asked for a step. */
export function namesOf(type: HookEventType): readonly string[] {
  const more = MORE_NAMES[type] ?? [];
  return type === 'session_compacting' ? more : [type, ...more];
}
