import type { Api, Model } from '@mariozechner/pi-ai';
import type { AgentMessage } from '../../agent/messages';
import type { HookConversation } from '../conversation-port';
import type { DispatchOutcome } from '../record';
import type { DialectId } from '../dialect-id';
import type { LoadedHook } from '../loaded-hook';
import type { HookEventOf, HookEventType, HookResult, HookResults, Payloads, ComputedMembers } from '../hook-event';

/** What a payload may be made from, beside the event. */
export interface PayloadSource {
  readonly conversation: HookConversation | undefined;
  readonly hook: LoadedHook;
}

/** Makes the payload that a handler gets from the canonical event. */
export type BuildPayload = (event: HookEventOf<HookEventType>, source: PayloadSource) => object;

interface NameFacts<T extends HookEventType, N> {
  readonly name: N;
  /** Dialects whose descriptions have this name. Files of other dialects also get the event if they listen to it. */
  readonly of: readonly DialectId[];
  /** Files for which this is false do not get the event under this name; they may get it under another one. */
  readonly reaches?: (event: HookEventOf<T>, hook: LoadedHook) => boolean;
  /** The name of the event in the newest dialect, if that is different and can replace this one. */
  readonly now?: keyof Payloads;
}

/**
 * Makes the payload of handlers under this name. When absent, they get a shallow copy of the event, with this name as
 * `type`; the event must then have only members that are declared for hooks. The reducer of the answers makes the payload
 * of `context`.
 */
type PayloadBuilder<T extends HookEventType, N extends keyof Payloads> =
  HasOtherMembers<T, N> extends true
    ? { readonly payload: (event: HookEventOf<T>, source: PayloadSource) => Payloads[N] }
    : { readonly payload?: (event: HookEventOf<T>, source: PayloadSource) => Payloads[N] };
type HasOtherMembers<T extends HookEventType, N extends keyof Payloads> = T extends 'context'
  ? false
  : T extends keyof ComputedMembers
    ? true
    : [Exclude<keyof HookEventOf<T>, keyof Payloads[N]>] extends [never]
      ? false
      : true;

/** A name under which a hook may listen to an event. */
export type EventName<T extends HookEventType> = {
  [N in keyof Payloads]: NameFacts<T, N> & PayloadBuilder<T, N>;
}[keyof Payloads];

/** The effect of one handler's answer. */
export interface AnswerVerdict {
  readonly outcome: DispatchOutcome;
  /** If true, no further handler is called. */
  readonly stop?: boolean;
  /** Members of the answer with a wrong type; reported with the hook and the event. */
  readonly problems?: readonly string[];
}

export const NO_DECISION: AnswerVerdict = { outcome: { type: 'nothing' } };

/**
 * Reduces the answers of one dispatch, in order, to one result. It uses no timers. The only hook code that it calls are
 * getters of answers, so the dispatch catches what `add` throws.
 */
export interface AnswerReducer<T extends HookEventType> {
  /** The event for the next handler. */
  readonly event: HookEventOf<T>;
  /** Makes the payload in place of the row, for events whose payload is changed by answers. */
  payload?(hook: LoadedHook, registeredAs: string): object;
  /** Adds what a handler returned; `payload` is the payload that it got. */
  add(answer: unknown, hook: LoadedHook, payload: object): AnswerVerdict;
  /** For a gate: is called when a handler failed, so that what the event announces does not happen. */
  refuse?(reason: string, hook: LoadedHook): AnswerVerdict;
  /** Is called when a handler threw or was late: changes that it makes from now on do not count. */
  discard?(payload: object): void;
  /** Is called when the run was stopped before a handler answered. */
  abandon?(): void;
  result(): HookResult<T>;
}

/** Starts the reduction of one dispatch's answers. */
export type ReduceAnswers<T extends HookEventType> = (
  event: HookEventOf<T>,
  conversation: HookConversation | undefined,
) => AnswerReducer<T>;

/** The names of all members of a type; an object that lacks one, or has another, does not compile. */
export type MembersOf<V> = { readonly [K in keyof V]-?: true };

/** A shallow copy of a value with only these members. */
export function onlyMembers<V extends object>(value: V, members: MembersOf<V>): V {
  const copy: Partial<V> = {};
  for (const name in members) if (name in value) copy[name] = value[name];
  return copy as V;
}

/** The facts from which samples are made. */
export interface SampleContext {
  readonly cwd: string;
  readonly model: Model<Api> | undefined;
  /** The conversation's messages; empty when there are none yet. */
  readonly messages: readonly AgentMessage[];
  readonly sessionFile: string | undefined;
}

/** All rules of one event of the stream. */
export type EventRow<T extends HookEventType> = {
  /** The names under which files may listen, in the order in which they are shown. */
  readonly names: readonly EventName<T>[];
  /**
   * Whether `hookTimeout` limits a handler. `default`: in dialects that have the limit. `long`: the handler may call a
   * model, so some of these dialects do not limit it. `none`: never. `always`: in every dialect, since a window or
   * process cannot start without the answer.
   */
  readonly timeout?: 'default' | 'long' | 'none' | 'always';
  /** With `block`, a handler that throws also blocks what the event announces, by `refuse`. It is always reported. */
  readonly onError?: 'block';
  /** True if a run or a compaction waits for the answers: when it is stopped, the dispatch no longer waits. */
  readonly endsWithRun?: true;
  /** True if the lists of handlers per event show it even when no hook listens, as for events of gates and filters. */
  readonly isAlwaysListed?: true;
  /** True if it is sent for each piece of a text: the log keeps only that piece, so the event cannot be repeated. */
  readonly isStreamed?: true;
  /** True if handlers get a `ctx` even before there is a conversation. */
  readonly isBeforeConversations?: true;
  /** All members of the event apart from `type`. An event loses any other member before a hook gets it. */
  readonly members: MembersOf<Omit<HookEventOf<T>, 'type'>>;
  /** Sample events for testing a handler, the most common first. */
  readonly samples: (facts: SampleContext) => readonly HookEventOf<T>[];
} & (T extends keyof HookResults
  ? { readonly answers: ReduceAnswers<T> }
  : { /** Absent: the event only informs. */ readonly answers?: undefined });

/** A part of the table of events. */
export type EventRows<T extends HookEventType> = { readonly [E in T]: EventRow<E> };
