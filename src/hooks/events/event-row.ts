import type { Api, Model } from '@mariozechner/pi-ai';
import type { AgentMessage } from '../../agent/messages';
import type { HookConversation } from '../conversation-port';
import type { DispatchOutcome } from '../dispatch/record';
import type { DialectId } from '../hook';
import type { LoadedHook } from '../loaded-hook';
import type { HookEventOf, HookEventType, HookResult, HookResults, Payloads, WorkedOut } from './hook-event';

/** What a payload may draw on beside the event. */
export interface PayloadSource {
  readonly conversation: HookConversation | undefined;
  readonly hook: LoadedHook;
}

/** Builds what a handler gets from the canonical event. */
export type BuildPayload = (event: HookEventOf<HookEventType>, source: PayloadSource) => object;

interface NameFacts<T extends HookEventType, N> {
  readonly name: N;
  /** Dialects whose descriptions have the event under this name. It reaches every file that asks for it. */
  readonly of: readonly DialectId[];
  /** Files for which this is false get the step under another of its names, or not at all. */
  readonly reaches?: (event: HookEventOf<T>, hook: LoadedHook) => boolean;
  /** The name of the newest dialect, where that differs and is in its place. */
  readonly now?: keyof Payloads;
}

/**
 * What a handler under this name gets. When absent: a shallow copy of the event, with `type` as the name. The payload of
 * `context` is made with its answers.
 */
type PayloadBuilder<T extends HookEventType, N extends keyof Payloads> =
  T extends Exclude<keyof WorkedOut, 'context'>
    ? { readonly payload: (event: HookEventOf<T>, source: PayloadSource) => Payloads[N] }
    : { readonly payload?: (event: HookEventOf<T>, source: PayloadSource) => Payloads[N] };

/** A name under which a hook may listen to a step. */
export type EventName<T extends HookEventType> = {
  [N in keyof Payloads]: NameFacts<T, N> & PayloadBuilder<T, N>;
}[keyof Payloads];

/** What one handler's answer came to. */
export interface AnswerVerdict {
  readonly outcome: DispatchOutcome;
  /** No further handler is called. */
  readonly stop?: boolean;
  /** Wrong shapes in the answer, told with hook and event. */
  readonly problems?: readonly string[];
}

export const NOTHING: AnswerVerdict = { outcome: { type: 'nothing' } };

/**
 * Reduces the answers of one dispatch, in order, to one result. Holds no timers and calls no hook code but getters of
 * answers; the dispatch guards `add` for those.
 */
export interface AnswerReducer<T extends HookEventType> {
  /** The event as the next handler is to see it. */
  readonly event: HookEventOf<T>;
  /** Replaces the payload of the row, for events whose payload answers change. */
  payload?(hook: LoadedHook, registeredAs: string): object;
  /** Takes in what a handler returned; `payload` is what it got. */
  add(answer: unknown, hook: LoadedHook, payload: object): AnswerVerdict;
  /** For a gate: a handler failed, so what the event announces must not happen. */
  refuse?(reason: string, hook: LoadedHook): AnswerVerdict;
  /** The handler threw or was late: nothing of what it may still do counts. */
  discard?(payload: object): void;
  result(): HookResult<T>;
}

/** Starts the reduction of one dispatch's answers. */
export type ReduceAnswers<T extends HookEventType> = (
  event: HookEventOf<T>,
  conversation: HookConversation | undefined,
) => AnswerReducer<T>;

/** What samples are made to fit. */
export interface SampleContext {
  readonly cwd: string;
  readonly model: Model<Api> | undefined;
  /** The conversation's messages; made up when there are none yet. */
  readonly messages: readonly AgentMessage[];
  readonly sessionFile: string | undefined;
}

/** All rules of one event of the stream. */
export type EventRow<T extends HookEventType> = {
  /** The names under which files may listen, in the order in which people read them. */
  readonly names: readonly EventName<T>[];
  /**
   * Whether `hookTimeout` holds for a handler. `default`: in dialects that know it. `long`: the handler may ask a model,
   * so some of these leave it its time. `none`: never. `always`: in every dialect, since a window or a process cannot
   * start without the answer.
   */
  readonly timeout?: 'default' | 'long' | 'none' | 'always';
  /** A throwing handler is reported; with `block` it also blocks what the event announces, through `refuse`. */
  readonly onError?: 'block';
  /**
   * A run or a compaction cannot go on without the answers: when it is stopped, handlers that have not answered are given
   * up.
   */
  readonly endsWithRun?: true;
  /** Listed among who takes part in what even when nobody listens: what people put gates and filters on. */
  readonly isAlwaysListed?: true;
  /** It comes with each piece of a text: the log keeps only what it adds, so that it cannot be repeated. */
  readonly isStreamed?: true;
  /** Asked before there is a conversation, with a `ctx` anyway; else handlers get none then. */
  readonly isBeforeConversations?: true;
  /** Members that events may have although no sample has them. */
  readonly optional?: readonly Exclude<keyof HookEventOf<T>, 'type'>[];
  /** Events to try a handler with, the likeliest first. */
  readonly samples: (facts: SampleContext) => readonly HookEventOf<T>[];
} & (T extends keyof HookResults
  ? { readonly answers: ReduceAnswers<T> }
  : { /** Absent: the event only informs. */ readonly answers?: undefined });

/** Some rows of the table. */
export type EventRows<T extends HookEventType> = { readonly [E in T]: EventRow<E> };
