import type { DialectId } from '../dialect-id';
import { answerOf } from './answers/answer';
import {
  NO_DECISION,
  onlyMembers,
  type AnswerReducer,
  type BuildPayload,
  type EventRow,
  type EventRows,
  type AnswerVerdict,
} from './event-row';
import type { HookEvent, HookEventOf, HookEventType, HookResult, Payloads } from '../hook-event';
import { PROMPT_EVENTS } from './rows/prompt-events';
import { PROVIDER_EVENTS } from './rows/provider-events';
import { RUN_EVENTS } from './rows/run-events';
import { SESSION_EVENTS } from './rows/session-events';
import { STEP_EVENTS } from './rows/step-events';
import { TOOL_EVENTS } from './rows/tool-events';
import type { HookConversation } from '../conversation-port';
import type { LoadedHook } from '../loaded-hook';

/** All rules that differ between events. */
export const EVENTS: EventRows<HookEventType> = {
  ...TOOL_EVENTS,
  ...PROMPT_EVENTS,
  ...PROVIDER_EVENTS,
  ...STEP_EVENTS,
  ...SESSION_EVENTS,
  ...RUN_EVENTS,
};

const IN_ORDER = Object.keys(EVENTS) as HookEventType[];

/** All events, first those whose answers count, because users look for these. */
export const EVENT_TYPES: readonly HookEventType[] = [
  ...IN_ORDER.filter(type => EVENTS[type].answers !== undefined),
  ...IN_ORDER.filter(type => EVENTS[type].answers === undefined),
];

/** A row whose event is known only at run time; events that are passed to its functions must be of that type. */
export interface AnyRow {
  readonly names: readonly {
    readonly name: keyof Payloads;
    readonly of: readonly DialectId[];
    readonly now?: keyof Payloads;
    readonly payload?: BuildPayload;
    reaches?(event: HookEvent, hook: LoadedHook): boolean;
  }[];
  readonly timeout?: EventRow<HookEventType>['timeout'];
  readonly onError?: 'block';
  readonly endsWithRun?: true;
  readonly isAlwaysListed?: true;
  readonly isStreamed?: true;
  readonly isBeforeConversations?: true;
  readonly members: Readonly<Record<string, true>>;
  answers?(event: HookEvent, conversation: HookConversation | undefined): AnswerReducer<HookEventType>;
}

/** The row of an event. */
export function rowOf(type: HookEventType): AnyRow {
  return EVENTS[type] as unknown as AnyRow;
}

/** The event with only the members that its row declares. */
export function asDeclared(event: HookEvent): HookEvent {
  return { type: event.type, ...onlyMembers<object>(event, rowOf(event.type).members) } as HookEvent;
}

/** All names under which a file may listen to an event. */
export function namesOf(type: HookEventType): readonly string[] {
  return rowOf(type).names.map(({ name }) => name);
}

const NAMES = EVENT_TYPES.flatMap(type => rowOf(type).names);

/** All names of events in all dialects. */
export const EVENT_NAMES: ReadonlySet<string> = new Set(NAMES.map(({ name }) => name));

/** The dialects that have an event of this name, in order of their age. */
export function dialectsWith(name: string): readonly DialectId[] {
  return NAMES.find(known => known.name === name)?.of ?? [];
}

/** Whether some of these dialects have an event of this name, and no others. */
export function isOnlyOf(name: string, ...ids: readonly DialectId[]): boolean {
  const dialects = dialectsWith(name);
  return dialects.length > 0 && dialects.every(id => ids.includes(id));
}

/** Names of events that are {@link EventRow.isStreamed streamed}. */
export const STREAMED: ReadonlySet<string> = new Set(EVENT_TYPES.filter(type => EVENTS[type].isStreamed));

/** The name in the newest dialect that can replace `name`; undefined if there is none or it is the same. */
export function newestName(name: string): string | undefined {
  return NAMES.find(known => known.name === name)?.now;
}

const IGNORED: AnswerVerdict = { outcome: { type: 'ignored', why: 'nothing can be returned for this event' } };

/** Starts reducing the answers to an event as its row says; if the event only informs, they are ignored. */
export function answersTo(event: HookEvent, conversation: HookConversation | undefined): AnswerReducer<HookEventType> {
  return rowOf(event.type).answers?.(event, conversation) ?? ignored(event);
}

function ignored<T extends HookEventType>(event: HookEventOf<T>): AnswerReducer<T> {
  return {
    event,
    add: answer => (answerOf(answer) === undefined ? NO_DECISION : IGNORED),
    result: () => undefined as HookResult<T>,
  };
}
