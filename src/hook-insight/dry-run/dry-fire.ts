import { performance } from 'node:perf_hooks';
import type { HookConversation } from '../../hooks/conversation-port';
import type { HandlerDelivery } from '../../hooks/dispatch/deliveries';
import { Dispatch, type RunnerServices } from '../../hooks/dispatch/dispatch';
import { dryConversation, type Withheld } from './dry-conversation';
import type { HookEvent } from '../../hooks/events/hook-event';
import type { DispatchOutcome, HookError } from '../../hooks/dispatch/record';
import { DispatchRing } from '../../hooks/dispatch/records';
import { withoutActing } from '../../hooks/load/ownership/live-scope';
import type { Json } from '../../base/json/json';
import { snapshot, UNREAD } from '../../hooks/dispatch/snapshot';
import { isRecord } from '../../base/json/is-record';

/** What one handler made of one event that never happened. */
export interface DryFire {
  readonly event: HookEvent;
  readonly outcome: DispatchOutcome;
  /** What the handler got. */
  readonly payload: Json;
  /** The payload afterwards, where the handler changed it. */
  readonly payloadAfter?: Json;
  readonly returned: Json;
  /** What it would have come to, were this handler the only one. */
  readonly result: Json;
  readonly errors: readonly HookError[];
  /** What the handler wanted done and was not. */
  readonly withheld: readonly { readonly action: string; readonly args: Json }[];
  /** ms, time in dialogs included */
  readonly durationMs: number;
  /** ms of it spent waiting for the user */
  readonly askedMs: number;
}

/**
 * Calls one handler with an event, and nothing follows from it: no tool runs, no command, no message is sent, nothing is
 * counted; where the hook was loaded with a `LiveScope`, it starts and writes nothing by Node's modules either. Its dialogs are real. Never rejects for what the handler does.
 */
export async function dryFire(
  delivery: HandlerDelivery,
  event: HookEvent,
  real: HookConversation,
  services: RunnerServices,
): Promise<DryFire> {
  const withheld: DryFire['withheld'][number][] = [];
  const conversation = dryConversation(real, ({ action, args }: Withheld) => {
    withheld.push({ action, args: snapshot(args).value });
  });
  const errors: HookError[] = [];
  const records = new DispatchRing(1);
  const told: { outcome: DispatchOutcome; after: Json; returned: Json; askedMs: number }[] = [];
  records.onDidDispatch(({ outcome, payload, returned, askedMs }) => {
    told.push({ outcome, after: snapshot(payload).value, returned: snapshot(returned).value, askedMs });
  });
  const given: Json[] = [];
  const own: HandlerDelivery = {
    ...delivery,
    buildPayload: (told, source) => {
      const payload = delivery.buildPayload(told, source);
      given.push(snapshot(payload).value);
      return payload;
    },
  };
  const dispatch = new Dispatch({ ...services, records, report: error => errors.push(error) }, event, conversation, {});
  const started = performance.now();
  const refused = (action: string): void => {
    withheld.push({ action, args: [] });
  };
  const result = await withoutActing(refused, () => services.alone(conversation, () => dispatch.run([own])));
  const durationMs = performance.now() - started;
  records.dispose();
  const [record] = told;
  const { outcome = { type: 'nothing' }, after = null, returned = null, askedMs = 0 } = record ?? {};
  const [payload = after] = given;
  const changed = JSON.stringify(unread(payload, after)) !== JSON.stringify(after);
  return {
    event,
    outcome,
    payload,
    ...(changed ? { payloadAfter: after } : {}),
    returned,
    result: snapshot(result).value,
    errors,
    withheld,
    durationMs,
    askedMs,
  };
}

/** Members that the handler was the first to read are no change. */
function unread(before: Json, after: Json): Json {
  if (!isRecord(before) || !isRecord(after)) return before;
  return Object.fromEntries(
    Object.entries(before).map(([name, value]) => [name, value === UNREAD ? (after[name] ?? null) : value]),
  );
}
