import { defined } from '../../base/defined';
import { wholePrompt, type PromptOptions } from '../../agent/prompt/system-prompt';
import { copyData, copyMessage } from '../copy';
import type { LoadedHook } from '../loaded-hook';
import { answerOf, AnswerReader, isContent, noAnswer } from './answers/answer';
import type { AnswerReducer, AnswerVerdict } from './event-row';
import type { CustomMessageDraft, HookEventOf, Payloads } from '../hook-event';
import { lazy } from './payload-parts';

type Start = HookEventOf<'before_agent_start'>;
type Payload = Payloads['before_agent_start'];

/**
 * The payload of `before_agent_start` for a file. Files of the newest dialect also get the parts of the prompt; when
 * they change these, `systemPrompt` changes with them.
 */
export function startPayload(event: Start, { dialect }: LoadedHook): Payload {
  const { type, prompt, images, message, systemPrompt, options } = event;
  const start = {
    type,
    prompt,
    ...defined({ images }),
    messageType: 'user' as const,
    systemPrompt,
  };
  const userMessage = (): Payload['userMessage'] => ({
    role: 'user' as const,
    content: [{ type: 'text', text: prompt }, ...(images ?? [])],
    timestamp: Date.now(),
  });
  // Older dialects have only these members.
  if (!dialect.decidesTurns || options === undefined) return lazy(start, { userMessage }) as Payload;
  const payload =
    message === undefined
      ? lazy({ ...start, systemPromptOptions: options }, { userMessage })
      : { type, messageType: 'custom' as const, message: copyMessage(message), systemPromptOptions: options };
  const live = { enumerable: true, configurable: true, get: () => wholePrompt(options) };
  return Object.defineProperty(payload, 'systemPrompt', live) as Payload;
}

/**
 * In dialects that accumulate, all messages count; in the others, only the first one (docs/dialects.md, C16). Each
 * handler gets the system prompt and the options as the handler before left them. An empty system prompt counts as not
 * set. A change of the options is undone when no prompt can be made from them.
 */
export function beforeRun(original: Start): AnswerReducer<'before_agent_start'> {
  const { options } = original;
  let text = original.systemPrompt;
  let good = options === undefined ? undefined : copyData(options);
  let firstTaken = false;
  const messages: CustomMessageDraft[] = [];
  /** Updates the text from the options, and says whether it changed. For invalid options, restores them and throws. */
  const follow = (): boolean => {
    if (options === undefined) return false;
    const before = text;
    try {
      text = wholePrompt(options);
      good = copyData(options);
    } catch (error) {
      restore(options, good);
      throw error;
    }
    return text !== before;
  };
  const set = (systemPrompt: string): void => {
    text = systemPrompt;
    if (options !== undefined) options.forceSystemPrompt = systemPrompt;
  };
  return {
    get event() {
      return { ...original, systemPrompt: text };
    },
    payload: hook => startPayload({ ...original, systemPrompt: text }, hook),
    add(returned, hook): AnswerVerdict {
      const isChanged = follow();
      const answer = answerOf(returned);
      const reading = new AnswerReader(answer ?? {});
      if (isChanged) reading.changed.push('systemPromptOptions');
      if (answer === undefined) return isChanged ? reading.verdict() : noAnswer(returned);
      const message = readMessage(reading);
      if (message !== undefined && (hook.dialect.injects === 'all' || !firstTaken)) {
        messages.push(message);
        reading.changed.push('message');
        firstTaken ||= hook.dialect.injects === 'first';
      }
      const systemPrompt = readSystemPrompt(reading, text);
      if (systemPrompt !== undefined) {
        set(systemPrompt);
        follow();
      }
      return reading.verdict();
    },
    discard() {
      try {
        follow();
      } catch {
        // The runner already reported the error or the delay.
      }
    },
    result: () => ({ messages, systemPrompt: text }),
  };
}

function restore(options: PromptOptions, good: PromptOptions | undefined): void {
  for (const name of Object.keys(options)) Reflect.deleteProperty(options, name);
  Object.assign(options, copyData(good));
}

function readSystemPrompt(reading: AnswerReader, current: string): string | undefined {
  const systemPrompt = reading.text('systemPrompt');
  const appended = reading.text('systemPromptAppend');
  const base = systemPrompt === undefined || systemPrompt === '' ? current : systemPrompt;
  const next = appended === undefined || appended === '' ? base : `${base}\n\n${appended}`;
  if (next === current) return undefined;
  reading.changed.push('systemPrompt');
  return next;
}

function readMessage(reading: AnswerReader): CustomMessageDraft | undefined {
  const given = reading.object('message');
  if (given === undefined) return undefined;
  const problems: string[] = [];
  const draft = draftOf(given, problems);
  reading.problems.push(...problems.map(problem => `"message": ${problem}`));
  return draft;
}

/**
 * Checks a message that a hook made; adds to `problems` what is wrong, and returns undefined then. As in pi, missing
 * content is empty, and the type may be missing; it is then `message`.
 */
export function draftOf(given: Readonly<Record<string, unknown>>, problems: string[]): CustomMessageDraft | undefined {
  const { customType = 'message', display, details } = given;
  const content = given['content'] ?? [];
  if (typeof customType !== 'string' || customType === '') problems.push('"customType" must be a string');
  if (typeof content !== 'string' && !isContent(content)) {
    problems.push('"content" must be a string or an array of text and image parts');
  }
  if (problems.length > 0) return undefined;
  return {
    customType: customType as string,
    content: content as CustomMessageDraft['content'],
    display: Boolean(display),
    ...defined({ details }),
  };
}
