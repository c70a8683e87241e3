import { Value } from '@sinclair/typebox/value';
import type { AgentMessage } from '../../../agent/messages';
import { messageSchema } from '../../../agent/session/entry';
import { defined } from '../../../base/defined';
import { messageOf } from '../../../base/errors';
import { isRecord } from '../../../base/json/is-record';
import type { BoundaryContextPreview, SessionBoundaryDraft } from '../../../hook-typings/session/event-parts';
import type { HookConversation } from '../../conversation-port';
import { copyData } from '../../copy';
import type { DialectId } from '../../dialect-id';
import type { LoadedHook } from '../../loaded-hook';
import { answerOf, AnswerReader, noAnswer } from '../answers/answer';
import type { AnswerReducer, AnswerVerdict, EventRows } from '../event-row';
import type { HookEventOf, HookResult, HookResults, Payloads } from '../../hook-event';
import { isVisibleMessage, lazy, messageFor, messagesFor } from '../payload-parts';
import { SAMPLE_ENTRY, sampleAnswer, sampleMessages } from '../sample-parts';

type Boundary = 'turn_end' | 'agent_before_settle';

const EXT: readonly DialectId[] = ['ext', 'pi'];
const NOTHING_YET = { entries: [], continue: false, outcome: 'completed' } as const;

/** Events whose answers can change how a run goes on: the end of a message, of a turn, and before the agent stops. */
export const STEP_EVENTS: EventRows<'message_end' | Boundary | 'session_stop'> = {
  message_end: {
    names: [
      {
        name: 'message_end',
        of: EXT,
        reaches: (event, hook) => isVisibleMessage(hook, event.message),
        payload: (event, { hook }) => lazy({ type: event.type }, { message: () => messageFor(hook, event.message) }),
      },
    ],
    endsWithRun: true,
    answers: replacedMessage,
    members: { message: true },
    samples: facts => [{ type: 'message_end', message: sampleAnswer(facts) }],
  },
  turn_end: {
    names: [
      {
        name: 'turn_end',
        of: ['v1', 'v2', 'tree', 'omp', 'ext', 'pi'],
        payload: (event, { hook, conversation }): Payloads['turn_end'] => {
          const { type, turnIndex, message, toolResults, ...boundary } = event;
          const messages = {
            message: () => messageFor(hook, message),
            toolResults: () => messagesFor(hook, toolResults),
          };
          // Older dialects have only these members.
          if (!hook.dialect.decidesTurns) return lazy({ type, turnIndex }, messages) as Payloads['turn_end'];
          const members = { type, turnIndex, ...boundary, entries: boundary.entries as SessionBoundaryDraft[] };
          const toolResultEntryIds = [...boundary.toolResultEntryIds];
          return lazy({ ...members, toolResultEntryIds }, { ...messages, ...contextOf(event, conversation) });
        },
      },
    ],
    endsWithRun: true,
    answers: proposals,
    members: {
      turnIndex: true,
      message: true,
      toolResults: true,
      messageEntryId: true,
      toolResultEntryIds: true,
      outcome: true,
      entries: true,
      continue: true,
    },
    samples: facts => [
      {
        type: 'turn_end',
        turnIndex: 0,
        message: sampleAnswer(facts),
        toolResults: [],
        messageEntryId: 'a1b2c3d4',
        toolResultEntryIds: [],
        ...NOTHING_YET,
      },
    ],
  },
  agent_before_settle: {
    names: [
      {
        name: 'agent_before_settle',
        of: ['pi'],
        payload: (event, { conversation }) =>
          lazy({ ...event, entries: event.entries as SessionBoundaryDraft[] }, contextOf(event, conversation)),
      },
    ],
    endsWithRun: true,
    answers: proposals,
    members: { outcome: true, entries: true, continue: true },
    samples: () => [{ type: 'agent_before_settle', ...NOTHING_YET }],
  },
  session_stop: {
    names: [
      {
        name: 'session_stop',
        of: ['omp'],
        payload: ({ messages, last_assistant_message: last, ...event }, { hook }) =>
          lazy(event, {
            messages: () => messagesFor(hook, messages),
            last_assistant_message: () => last && messageFor(hook, last),
          }),
      },
    ],
    endsWithRun: true,
    answers: stopAnswer,
    members: {
      messages: true,
      turn_id: true,
      last_assistant_message: true,
      session_id: true,
      session_file: true,
      stop_hook_active: true,
      signal: true,
    },
    samples: facts => [
      {
        type: 'session_stop',
        messages: sampleMessages(facts),
        turn_id: 0,
        last_assistant_message: sampleAnswer(facts),
        session_id: SAMPLE_ENTRY,
        ...defined({ session_file: facts.sessionFile }),
        stop_hook_active: false,
        signal: new AbortController().signal,
      },
    ],
  },
};

/** The context of the next request, computed when a hook reads it. Invalid proposals are left out. */
function contextOf(
  { type, entries }: HookEventOf<Boundary>,
  conversation: HookConversation | undefined,
): { readonly context: () => BoundaryContextPreview } {
  return {
    context: () => {
      try {
        return conversation?.boundaryContext(type, entries) ?? NO_CONTEXT;
      } catch {
        return conversation?.boundaryContext(type, []) ?? NO_CONTEXT; // `add` reported the invalid entries.
      }
    },
  };
}

const NO_CONTEXT: BoundaryContextPreview = {
  contextEntries: [],
  contextMessages: [],
  llmMessages: [],
  pendingMessages: [],
  canContinue: false,
};

/** A proposal replaces the one before. If the last entries are invalid, neither entries nor `continue` count. */
function proposals<T extends Boundary>(
  original: HookEventOf<T>,
  conversation: HookConversation | undefined,
): AnswerReducer<T> {
  let event = original;
  let isValid = true;
  let by: string | undefined;
  const propose = (reading: AnswerReader, hook: LoadedHook): void => {
    const entries = reading.get('entries');
    const goesOn = reading.boolean('continue');
    if (entries !== undefined) reading.changed.push('entries');
    if (goesOn !== undefined) reading.changed.push('continue');
    if (goesOn === true) by = hook.path;
    event = {
      ...event,
      ...defined({ entries: entries as readonly SessionBoundaryDraft[] | undefined, continue: goesOn }),
    };
  };
  return {
    get event() {
      return event;
    },
    add(returned, hook): AnswerVerdict {
      const answer = answerOf(returned);
      if (answer === undefined || !hook.dialect.decidesTurns) return noAnswer(returned);
      const reading = new AnswerReader(answer);
      propose(reading, hook);
      try {
        isValid = false;
        conversation?.boundaryContext(event.type, event.entries);
        isValid = true;
      } catch (error) {
        throw new Error(`Invalid boundary entries: ${messageOf(error)}`, { cause: error });
      }
      return reading.verdict();
    },
    result: () => {
      const proposed: HookResults[Boundary] = isValid
        ? { entries: event.entries, continue: event.continue, ...defined({ by }) }
        : { entries: [], continue: false };
      return proposed as HookResult<T>;
    },
  };
}

/** The first block counts and ends the question; without one, the first answer that continues with a text. */
function stopAnswer(event: HookEventOf<'session_stop'>): AnswerReducer<'session_stop'> {
  let result: HookResults['session_stop'] = { isBlock: false };
  return {
    event,
    add(returned, { path: by }): AnswerVerdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new AnswerReader(answer);
      const isBlock = reading.get('decision') === 'block';
      const goesOn = reading.boolean('continue');
      const [context, reason] = [reading.text('additionalContext'), reading.text('reason')];
      if (isBlock) {
        result = { text: [reason, context].find(isText) ?? BLOCKED, isBlock, by };
        reading.changed.push('decision');
      } else if (goesOn === true) {
        const text = [context, reason].find(isText);
        if (text === undefined) reading.problems.push('"continue" needs a text in "additionalContext"');
        else if (result.text === undefined) {
          result = { text, isBlock, by };
          reading.changed.push('continue');
        }
      }
      return reading.verdict(undefined, isBlock);
    },
    result: () => result,
  };
}

function isText(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

const BLOCKED = 'A hook does not let you stop yet and gave no reason. Check whether your task is done, and go on.';

/** Each handler gets the message as the one before replaced it; the returned message is copied. */
function replacedMessage(original: HookEventOf<'message_end'>): AnswerReducer<'message_end'> {
  let event = original;
  return {
    get event() {
      return event;
    },
    add(returned): AnswerVerdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new AnswerReader(answer);
      const given = reading.object('message');
      if (given === undefined) return reading.verdict();
      const { role } = event.message;
      if (given['role'] !== role && !(role === 'custom' && given['role'] === 'hookMessage')) {
        throw new Error('message_end handlers must return a message with the same role');
      }
      const message = replacementOf(event.message, given);
      if (message === undefined) reading.problems.push(`"message" is not a complete message of the role "${role}"`);
      else {
        event = { ...event, message };
        reading.changed.push('message');
      }
      return reading.verdict();
    },
    result: () => ({ message: event.message }),
  };
}

/**
 * The message that a hook returned. A missing `content` becomes an empty list; other missing members that are required
 * keep their old values. Undefined if the result is not a valid message.
 */
function replacementOf(message: AgentMessage, given: Readonly<Record<string, unknown>>): AgentMessage | undefined {
  const kept: Record<string, unknown> = { ...copyData(given), role: message.role };
  if ('content' in message) kept['content'] ??= [];
  for (const name of NEEDED) {
    const value: unknown = Reflect.get(message, name);
    if (value !== undefined && kept[name] === undefined) kept[name] = value;
  }
  if ('usage' in message && !isRecord(kept['usage'])) kept['usage'] = message.usage;
  return Value.Check(messageSchema(message.role), kept) ? (kept as unknown as AgentMessage) : undefined;
}

const NEEDED = [
  'api',
  'provider',
  'model',
  'usage',
  'stopReason',
  'timestamp',
  'toolCallId',
  'toolName',
  'isError',
  'customType',
  'display',
] as const;
