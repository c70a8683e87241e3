import type { AgentMessage } from '../../../agent/messages';
import { v1View, type ViewEntry } from '../../session/session-view';
import type { HookConversation } from '../../conversation-port';
import { copyMessages } from '../../copy';
import type { LoadedHook } from '../../loaded-hook';
import { answerOf, noAnswer, AnswerReader } from './answer';
import { NO_DECISION, type AnswerReducer, type AnswerVerdict } from '../event-row';
import type { HookEventOf } from '../../hook-event';
import { lazy } from '../payload-parts';

/** The messages of one `context` dispatch. */
export interface MessageLists {
  /** The session's own, which no hook can change. */
  readonly messages: readonly AgentMessage[];
  /** Runs along `messages`; null for messages without an entry. */
  readonly entryIds: readonly (string | null)[];
  /** The index in `messages` of each copy of a message. */
  readonly places: ReadonlyMap<object, number>;
  /** The array the handler got; undefined when it did not read it. */
  readonly given: readonly unknown[] | undefined;
  /** Whether changes of that array count although the handler returned nothing. */
  readonly isChangedInPlace: boolean;
}

/** One copy of a list of messages: what was copied, and the copies, in the same order. */
interface Copying {
  readonly of: readonly AgentMessage[];
  readonly copies: readonly AgentMessage[];
}

/**
 * Each handler of `context` gets the messages as the handler before left them. They are copied when a hook reads them,
 * and never if none does. In dialects where changes of the list count, such hooks share one copy.
 */
export function reduceContext(
  event: HookEventOf<'context'>,
  conversation: HookConversation | undefined,
): AnswerReducer<'context'> {
  return new ContextReducer(event, conversation);
}

/** The array of messages that each payload gave to its handler, if the handler read it. */
const handedOut = new WeakMap<object, unknown[]>();

/** The reducer to which each payload belongs, and the hook that got it; for {@link contextRecord}. */
const reducers = new WeakMap<object, { readonly reducer: ContextReducer; readonly hook: LoadedHook }>();

/** The lists behind a payload of `context`; undefined for any other payload. They are not copied: use them at once. */
export function contextRecord(payload: unknown): MessageLists | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const known = reducers.get(payload);
  return known?.reducer.lists(handedOut.get(payload), known.hook);
}

/** Whether what a handler changes in the list counts, and not only a list that it returns (docs/dialects.md, C43). */
function countsInPlace({ dialect }: LoadedHook): boolean {
  return dialect.contextChanges === 'inPlace';
}

class ContextReducer implements AnswerReducer<'context'> {
  private current: AgentMessage[] | undefined;
  private readonly copyings: Copying[] = [];
  /** Valid while there are `count` copyings. */
  private known: { readonly count: number; readonly places: ReadonlyMap<object, number> } | undefined;
  private indexOfId: ReadonlyMap<unknown, number> | undefined;

  constructor(
    readonly event: HookEventOf<'context'>,
    private readonly conversation: HookConversation | undefined,
  ) {}

  payload(hook: LoadedHook): object {
    const payload: object = lazy(
      { type: 'context' },
      {
        messages: () => {
          const given = this.handOut(hook);
          handedOut.set(payload, given);
          return given;
        },
        entries: () => this.entries(),
      },
    );
    reducers.set(payload, { reducer: this, hook });
    return payload;
  }

  lists(given: readonly unknown[] | undefined, hook: LoadedHook): MessageLists {
    const { messages, entryIds } = this.event;
    return { messages, entryIds, places: this.places(), given, isChangedInPlace: countsInPlace(hook) };
  }

  /** The array in the form of this hook's dialect (docs/dialects.md, C20 and C15). */
  handOut(hook: LoadedHook): unknown[] {
    const messages = countsInPlace(hook)
      ? (this.current ??= this.copy(this.event.messages))
      : this.copy(this.current ?? this.event.messages);
    if (hook.dialect.customRole === 'hookMessage') rename(messages, 'custom', 'hookMessage');
    if (hook.dialect.contextForm === 'wrapped') {
      return messages.map(message => ({ message, entryIndex: this.entryIndexOf(message) }));
    }
    if (hook.features.readsContextMessages) for (const message of messages) this.decorate(message);
    return messages;
  }

  entries(): readonly ViewEntry[] {
    return this.conversation === undefined ? [] : v1View(this.conversation);
  }

  add(returned: unknown, hook: LoadedHook, payload: object): AnswerVerdict {
    const given = countsInPlace(hook) ? handedOut.get(payload) : undefined;
    const answer = answerOf(returned);
    if (answer === undefined) {
      this.keep(given);
      return returned === undefined || returned === null ? NO_DECISION : noAnswer(returned);
    }
    const reading = new AnswerReader(answer);
    const list = reading.list('messages');
    const messages = list === undefined ? undefined : unwrapped(list);
    if (messages !== undefined) {
      this.current = messages;
      reading.changed.push('messages');
    } else {
      if (list !== undefined) reading.problems.push('"messages" must hold messages, each with a "role"');
      this.keep(given);
    }
    return reading.verdict();
  }

  /** A late handler may change its array later, so the following handlers get new copies. */
  discard(payload: object): void {
    const given = handedOut.get(payload);
    if (given === undefined || given !== this.current) return; // Nothing of it counts, or nobody has read it.
    this.keep(given);
    this.current = this.copy(this.current);
  }

  result(): { readonly messages: readonly AgentMessage[] } {
    return { messages: this.current ?? this.event.messages };
  }

  /** Takes the array of a handler as it is now; undefined: nothing of it counts. */
  private keep(given: readonly unknown[] | undefined): void {
    if (given !== undefined) this.current = unwrapped(given) ?? this.current;
  }

  private copy(messages: readonly AgentMessage[]): AgentMessage[] {
    const copies = copyMessages(messages);
    this.copyings.push({ of: [...messages], copies: [...copies] });
    return copies;
  }

  /** The place of each copy among the event's messages; messages that a hook made have none. */
  private places(): ReadonlyMap<object, number> {
    const count = this.copyings.length;
    if (this.known?.count === count) return this.known.places;
    const places = new Map<object, number>(this.event.messages.map((message, place) => [message, place]));
    for (const { of, copies } of this.copyings) {
      copies.forEach((copy, at) => {
        const place = places.get(of[at] ?? copy);
        if (place !== undefined) places.set(copy, place);
      });
    }
    this.known = { count, places };
    return places;
  }

  private decorate(message: AgentMessage): void {
    const hidden = { enumerable: false, configurable: true };
    Object.defineProperties(message, {
      message: { ...hidden, get: () => message },
      entryIndex: { ...hidden, get: () => this.entryIndexOf(message) },
    });
  }

  /** Index of the message's entry in the v1 view; null for messages that a hook made. */
  private entryIndexOf(message: AgentMessage): number | null {
    const place = this.places().get(message);
    if (place === undefined) return null;
    this.indexOfId ??= new Map(this.entries().map((entry, index) => [entry.id, index]));
    return this.indexOfId.get(this.event.entryIds[place] ?? undefined) ?? null;
  }
}

/** The messages of a list that may hold `{ message }` wrappers; undefined when an element is neither. */
function unwrapped(list: readonly unknown[]): AgentMessage[] | undefined {
  const messages: AgentMessage[] = [];
  for (const element of list) {
    const message = messageIn(element);
    if (message === undefined) return undefined;
    messages.push(message);
  }
  rename(messages, 'hookMessage', 'custom');
  return messages;
}

function messageIn(element: unknown): AgentMessage | undefined {
  if (typeof element !== 'object' || element === null) return undefined;
  const { role, message } = element as { role?: unknown; message?: unknown };
  if (typeof role === 'string') return element as AgentMessage;
  if (typeof message !== 'object' || message === null) return undefined;
  return typeof (message as { role?: unknown }).role === 'string' ? (message as AgentMessage) : undefined;
}

/** Renames roles in place, since the messages are copies. A frozen message is replaced by a renamed copy. */
function rename(messages: AgentMessage[], from: string, to: string): void {
  for (let place = 0; place < messages.length; place++) {
    const message = messages[place] as AgentMessage & { role: string };
    if (message.role !== from) continue;
    if (!Reflect.set(message, 'role', to)) messages[place] = { ...message, role: to } as AgentMessage;
  }
}

/** Each handler of `context_with_system` gets the list as the handler before left it, including prompt and tools. */
export function reduceTranscript(event: HookEventOf<'context_with_system'>): AnswerReducer<'context_with_system'> {
  let current: AgentMessage[] | undefined;
  const list = (): AgentMessage[] => (current ??= copyMessages(event.messages));
  const isLed = (): boolean => (current ?? event.messages)[0]?.role === 'system';
  let wasLed = isLed();
  const take = (answer: AnswerReader | undefined): void => {
    const given = answer?.list('messages');
    const messages = given === undefined ? undefined : unwrapped(given);
    if (messages !== undefined) {
      current = messages;
      answer?.changed.push('messages');
    } else if (given !== undefined) {
      answer?.problems.push('"messages" must hold messages, each with a "role"');
    } else if (current !== undefined) {
      current = unwrapped(current) ?? copyMessages(event.messages);
    }
    const isLost = wasLed && !isLed();
    wasLed = isLed();
    if (isLost) throw new Error(LOST_PROMPT);
  };
  return {
    event,
    payload: () => lazy({ type: event.type }, { messages: list }),
    add(returned): AnswerVerdict {
      const answer = answerOf(returned);
      const reading = answer === undefined ? undefined : new AnswerReader(answer);
      take(reading);
      return reading?.verdict() ?? noAnswer(returned);
    },
    /** A late handler may change its list later, so the following handlers get a new copy. */
    discard: () => (current = current === undefined ? undefined : copyMessages(unwrapped(current) ?? event.messages)),
    result: () => ({ messages: current ?? event.messages }),
  };
}

const LOST_PROMPT =
  'context_with_system lost the leading system message: the request has neither a prompt nor tools. Keep it at index 0.';
