import type { AgentMessage } from '../../../agent/messages';
import { v1View, type ViewEntry } from '../../api/session-view';
import type { HookConversation } from '../../conversation-port';
import { copyMessages } from '../../dispatch/copy';
import type { LoadedHook } from '../../loaded-hook';
import { answerOf, noAnswer, AnswerReader } from './answer';
import { NO_DECISION, type AnswerReducer, type AnswerVerdict } from '../event-row';
import type { HookEventOf } from '../hook-event';
import { lazy } from '../payload-parts';

/** The messages of one `context` dispatch. */
export interface MessageLists {
  /** The session's own, which no hook can change. */
  readonly messages: readonly AgentMessage[];
  /** Runs along `messages`; null for messages without an entry. */
  readonly entryIds: readonly (string | null)[];
  /** The copies of the session's messages, in their order; empty when no hook has read them. */
  readonly copies: readonly object[];
  /** The array the handler got; undefined when it did not read it. */
  readonly given: readonly unknown[] | undefined;
}

/**
 * Each handler of `context` gets the messages as the handler before left them. The session's messages are copied when
 * the first hook reads them, and never if none does.
 */
export function reduceContext(
  event: HookEventOf<'context'>,
  conversation: HookConversation | undefined,
): AnswerReducer<'context'> {
  return new ContextReducer(event, conversation);
}

/** The array of messages that each payload gave to its handler, if the handler read it. */
const handedOut = new WeakMap<object, unknown[]>();

/** The reducer to which each payload belongs; for {@link contextRecord}. */
const reducers = new WeakMap<object, ContextReducer>();

/** The lists behind a payload of `context`; undefined for any other payload. They are not copied: use them at once. */
export function contextRecord(payload: unknown): MessageLists | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  return reducers.get(payload)?.lists(handedOut.get(payload));
}

class ContextReducer implements AnswerReducer<'context'> {
  private current: AgentMessage[] | undefined;
  /** The copies of the event's messages, in their order. */
  private original: readonly AgentMessage[] = [];
  private indexes: Map<object, number> | undefined;

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
    reducers.set(payload, this);
    return payload;
  }

  lists(given: readonly unknown[] | undefined): MessageLists {
    const { messages, entryIds } = this.event;
    return { messages, entryIds, copies: this.original, given };
  }

  /** The array in the form of this hook's dialect (docs/dialects.md, C20 and C15). */
  handOut(hook: LoadedHook): unknown[] {
    const messages = this.copies();
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

  add(returned: unknown, _hook: LoadedHook, payload: object): AnswerVerdict {
    const given = handedOut.get(payload);
    const answer = answerOf(returned);
    if (answer === undefined) {
      if (given !== undefined) this.current = unwrapped(given) ?? this.current;
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
      if (given !== undefined) this.current = unwrapped(given) ?? this.current;
    }
    return reading.verdict();
  }

  /** A late handler may change its array later, so the following handlers get new copies. */
  discard(payload: object): void {
    const given = handedOut.get(payload);
    if (given === undefined) return;
    const messages = unwrapped(given) ?? this.current;
    this.current = messages === undefined ? undefined : copyMessages(messages);
    this.indexes = undefined;
    this.original = [];
  }

  result(): { readonly messages: readonly AgentMessage[] } {
    return { messages: this.current ?? this.event.messages };
  }

  private copies(): AgentMessage[] {
    if (this.current === undefined) {
      this.current = copyMessages(this.event.messages);
      this.original = [...this.current];
    }
    return this.current;
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
    this.indexes ??= this.indexByMessage();
    return this.indexes.get(message) ?? null;
  }

  private indexByMessage(): Map<object, number> {
    const indexOfId = new Map(this.entries().map((entry, index) => [entry.id, index]));
    const indexes = new Map<object, number>();
    this.original.forEach((copy, place) => {
      const index = indexOfId.get(this.event.entryIds[place] ?? undefined);
      if (index !== undefined) indexes.set(copy, index);
    });
    return indexes;
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
