import { defined } from '../../base/defined';
import { wellFormed } from '../../base/json/well-formed';
import { messageOf } from '../../base/errors';
import type { GuardedEvent, GuardedEventOf, EventAnswer, WrittenAnswer } from './agent';
import { CannotChangeError } from './tool-calls';

/** The answer of an agent, as members of one JSON object; without members it is no decision. */
export type AnswerObject = Readonly<Record<string, unknown>>;

/** How an agent's answers are made. Each method takes out of `parts` what it wrote. */
export interface AnswerWriter {
  /** The refusal of an event of this name; undefined where none can be refused. The reason is not empty. */
  refusal(eventName: string, reason: string): AnswerObject | undefined;
  /** @throws {DeniedError} and {@link CannotChangeError} where the answer must become a denial */
  call(event: GuardedEventOf<'tool_call'>, parts: AnswerParts): AnswerObject;
  /** The same, of a result. */
  result(event: GuardedEventOf<'tool_result'>, parts: AnswerParts): AnswerObject;
  /** Text for the model. */
  context(event: GuardedEvent, text: string): AnswerObject;
  /** The agent goes on with this text in place of stopping; absent: by a block with it as the reason. */
  goOn?(text: string): AnswerObject;
}

/** The parts of an answer. A writer takes what its agent can express; what is left is not supported. */
export class AnswerParts {
  /** See {@link WrittenAnswer.resultId}. */
  resultId: string | undefined;
  private readonly left: Map<keyof EventAnswer, unknown>;

  constructor(answer: EventAnswer) {
    this.left = new Map(
      Object.entries(answer).filter(
        ([, value]) => value !== undefined && !(typeof value === 'string' && value.trim() === ''),
      ) as [keyof EventAnswer, unknown][],
    );
  }

  take<K extends keyof EventAnswer>(name: K): EventAnswer[K] | undefined {
    const value = this.left.get(name) as EventAnswer[K] | undefined;
    this.left.delete(name);
    return value;
  }

  get unsupported(): readonly string[] {
    return [...this.left.keys()].map(name => IN_WORDS[name]);
  }
}

const IN_WORDS: { readonly [K in keyof Required<EventAnswer>]: string } = {
  deny: 'a refusal',
  ask: 'a question of the agent',
  input: 'changed arguments',
  context: 'added text',
  result: 'a replaced result',
  goOn: 'a run that goes on',
};

/** The answer must become a denial, for the reason in the message. */
export class DeniedError extends Error {}

/**
 * Writes an answer, and never throws: where the agent would ignore a part that guards something, and where writing fails, the
 * answer is the refusal of the event.
 */
export function writeAnswer(event: GuardedEvent, answer: EventAnswer, writer: AnswerWriter): WrittenAnswer {
  const parts = new AnswerParts(answer);
  try {
    if (answer.deny !== undefined) {
      const output = refusalText(writer, event.name, answer.deny);
      return { output, unsupported: output === '' ? [IN_WORDS.deny] : [] };
    }
    const members = membersFor(event, parts, writer);
    const output = Object.keys(members).length === 0 ? '' : outputText(members);
    return { output, unsupported: parts.unsupported, ...defined({ resultId: parts.resultId }) };
  } catch (error) {
    const isMeant = error instanceof DeniedError || error instanceof CannotChangeError;
    const denied = isMeant ? error.message : `Hookline could not write the answer of its hooks: ${messageOf(error)}`;
    const refusal = refusalText(writer, event.name, denied);
    return refusal === '' ? { output: '', unsupported: [denied] } : { output: refusal, unsupported: [], denied };
  }
}

function membersFor(event: GuardedEvent, parts: AnswerParts, writer: AnswerWriter): AnswerObject {
  switch (event.type) {
    case 'tool_call':
      return writer.call(event, parts);
    case 'tool_result':
      return writer.result(event, parts);
    case 'session_start':
    case 'prompt':
    case 'subagent_start': {
      const context = parts.take('context');
      return context === undefined ? {} : writer.context(event, context);
    }
    case 'stop':
    case 'subagent_stop': {
      const reason = parts.take('goOn');
      return reason === undefined ? {} : (writer.goOn?.(reason) ?? { decision: 'block', reason });
    }
    case 'before_compact':
    case 'after_compact':
    case 'session_end':
    case 'other':
      return {};
  }
}

/** The refusal of an event as text; empty where none can be refused. */
export function refusalText(writer: AnswerWriter, eventName: string, reason: string): string {
  const refusal = writer.refusal(eventName, orDefault(reason));
  return refusal === undefined ? '' : outputText(refusal);
}

/** As a cut through an emoji may leave halves of characters: Codex reads no JSON that has one, and then runs the call. */
function outputText(output: AnswerObject): string {
  return JSON.stringify(wellFormed(output));
}

/** The text that a hook only added to a result, so that the result itself need not be replaced; undefined if it did more. */
export function addedText(
  { text, isError }: GuardedEventOf<'tool_result'>,
  result: NonNullable<EventAnswer['result']>,
): string | undefined {
  if (result.isWithheld === true || result.isError !== isError || !result.text.startsWith(text)) return undefined;
  return result.text.slice(text.length).trim();
}

/** Joins texts for the model; undefined without any. */
export function joined(...texts: readonly (string | undefined)[]): string | undefined {
  const given = texts.filter(text => text !== undefined && text !== '');
  return given.length === 0 ? undefined : given.join('\n\n');
}

/** Members about an event, where Claude Code looks for them, and the agents that took over its form. */
export function forEvent(hookEventName: string, members: AnswerObject): AnswerObject {
  return Object.keys(members).length === 0 ? {} : { hookSpecificOutput: { hookEventName, ...members } };
}

/** Text for the model in the form of {@link forEvent}; empty without any. */
export function contextOf({ name }: GuardedEvent, additionalContext: string | undefined): AnswerObject {
  return forEvent(name, defined({ additionalContext }));
}

function orDefault(reason: string): string {
  return reason.trim() === '' ? 'A hook of Hookline refused this.' : reason;
}
