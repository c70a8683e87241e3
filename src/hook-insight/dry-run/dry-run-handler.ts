import { performance } from 'node:perf_hooks';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HandlerDelivery } from '../../hook-run/dispatch/deliveries';
import { Dispatch, type RunnerServices } from '../../hook-run/dispatch/dispatch';
import { dryConversation, type WithheldAction } from './dry-conversation';
import type { HookEvent } from '../../hook-contract/hook-event';
import type { DispatchOutcome, HookError } from '../../hook-contract/record';
import { DispatchRecords } from '../../hook-run/dispatch/dispatch-records';
import { withoutActing } from '../../hook-load/ownership/live-scope';
import type { Json } from '../../base/json/json';
import { snapshot, UNREAD } from '../recording/snapshot';
import { isRecord } from '../../base/json/is-record';

/** What one handler did with an event that did not happen. */
export interface DryRunResult {
  readonly event: HookEvent;
  readonly outcome: DispatchOutcome;
  /** The payload that the handler got. */
  readonly payload: Json;
  /** The payload after the call; absent when the handler did not change it. */
  readonly payloadAfter?: Json;
  readonly returned: Json;
  /** The result of the event, as if this handler were the only one. */
  readonly result: Json;
  readonly errors: readonly HookError[];
  /** The actions that the handler called and that were not done. */
  readonly withheld: readonly { readonly action: string; readonly args: Json }[];
  /** In ms, including the time in dialogs. */
  readonly durationMs: number;
  /** How much of `durationMs` the handler waited for the user. */
  readonly askedMs: number;
}

/**
 * Calls one handler with an event, without any effect: no tool or command runs, no message is sent, the call is not
 * counted, and if the hook was loaded with a `LiveScope`, it cannot start or write anything through Node's modules
 * either. Its dialogs are real. Nothing that the handler does makes this reject.
 */
export async function dryRunHandler(
  delivery: HandlerDelivery,
  event: HookEvent,
  real: HookConversation,
  services: RunnerServices,
): Promise<DryRunResult> {
  const withheld: DryRunResult['withheld'][number][] = [];
  const conversation = dryConversation(real, ({ action, args }: WithheldAction) => {
    withheld.push({ action, args: snapshot(args).value });
  });
  const errors: HookError[] = [];
  const records = new DispatchRecords();
  const captured: { outcome: DispatchOutcome; after: Json; returned: Json; askedMs: number }[] = [];
  records.onDidDispatch(({ outcome, payload, returned, askedMs }) => {
    captured.push({ outcome, after: snapshot(payload).value, returned: snapshot(returned).value, askedMs });
  });
  const given: Json[] = [];
  const own: HandlerDelivery = {
    ...delivery,
    buildPayload: (sent, source) => {
      const payload = delivery.buildPayload(sent, source);
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
  const [record] = captured;
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

/** Fills in the members that were computed only when the handler read them, so that they do not count as changed. */
function unread(before: Json, after: Json): Json {
  if (!isRecord(before) || !isRecord(after)) return before;
  return Object.fromEntries(
    Object.entries(before).map(([name, value]) => [name, value === UNREAD ? (after[name] ?? null) : value]),
  );
}
