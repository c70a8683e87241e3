import type { ImageContent } from '../../../agent/messages';
import type { CustomMessageDraft, HookEventOf, HookResults } from '../../events/hook-event';
import type { LoadedHook } from '../../loaded-hook';
import { answerOf, isContent, noAnswer, Reading } from './answers';
import { NOTHING, type Merging, type Verdict } from './merging';

/** Transforms chain, `handled` ends the dispatch; oh-my-pi's `{ handled, text, images }` means the same (C31). */
export function mergeInput(original: HookEventOf<'input'>): Merging<'input'> {
  let event = original;
  let handledBy: string | undefined;
  return {
    get event() {
      return event;
    },
    take(returned, hook): Verdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new Reading(answer);
      const action = reading.get('action');
      if (action === 'handled' || (action === undefined && reading.get('handled') === true)) {
        handledBy = hook.path;
        return reading.verdict({ type: 'handled' }, true);
      }
      if (action === 'continue') return NOTHING;
      if (action !== undefined && action !== 'transform') {
        reading.problems.push('"action" must be "continue", "transform" or "handled"');
      } else event = { ...event, ...readTransform(reading) };
      return reading.verdict();
    },
    result(): HookResults['input'] {
      if (handledBy !== undefined) return { action: 'handled', by: handledBy };
      return { action: 'continue', text: event.text, ...(event.images === undefined ? {} : { images: event.images }) };
    },
  };
}

function readTransform(reading: Reading): { text?: string; images?: readonly ImageContent[] } {
  const text = reading.text('text');
  const images = reading.typed('images', 'an array of images', (value): value is ImageContent[] => isContent(value));
  if (text !== undefined) reading.changed.push('text');
  if (images !== undefined) reading.changed.push('images');
  return { ...(text === undefined ? {} : { text }), ...(images === undefined ? {} : { images }) };
}

/**
 * All messages of dialects that accumulate, and the first one of those where the first wins (C16); the system prompt
 * chains, and an empty one counts as not set (edge 40).
 */
export function mergeBeforeAgentStart(original: HookEventOf<'before_agent_start'>): Merging<'before_agent_start'> {
  let event = original;
  let firstTaken = false;
  const messages: CustomMessageDraft[] = [];
  return {
    get event() {
      return event;
    },
    take(returned, hook): Verdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new Reading(answer);
      const message = readMessage(reading);
      if (message !== undefined && (hook.dialect.injects === 'all' || !firstTaken)) {
        messages.push(message);
        reading.changed.push('message');
        firstTaken ||= hook.dialect.injects === 'first';
      }
      const systemPrompt = readSystemPrompt(reading, event.systemPrompt);
      if (systemPrompt !== undefined) event = { ...event, systemPrompt };
      return reading.verdict();
    },
    result: () => ({ messages, systemPrompt: event.systemPrompt }),
  };
}

function readSystemPrompt(reading: Reading, current: string): string | undefined {
  const whole = reading.text('systemPrompt');
  const appended = reading.text('systemPromptAppend');
  const base = whole === undefined || whole === '' ? current : whole;
  const next = appended === undefined || appended === '' ? base : `${base}\n\n${appended}`;
  if (next === current) return undefined;
  reading.changed.push('systemPrompt');
  return next;
}

function readMessage(reading: Reading): CustomMessageDraft | undefined {
  const given = reading.object('message');
  if (given === undefined) return undefined;
  const problems: string[] = [];
  const draft = draftOf(given, problems);
  reading.problems.push(...problems.map(problem => `"message": ${problem}`));
  return draft;
}

/** Checks a message that a hook made (reference section 6, `Msg`); tells in `problems` what is wrong. */
export function draftOf(given: Readonly<Record<string, unknown>>, problems: string[]): CustomMessageDraft | undefined {
  const { customType, content, display, details } = given;
  if (typeof customType !== 'string' || customType === '') problems.push('"customType" must be a string');
  if (typeof content !== 'string' && !isContent(content)) {
    problems.push('"content" must be a string or an array of text and image parts');
  }
  if (problems.length > 0) return undefined;
  return {
    customType: customType as string,
    content: content as CustomMessageDraft['content'],
    display: Boolean(display),
    ...(details === undefined ? {} : { details }),
  };
}

/** What a hook returns replaces the request, and the next hook sees that. */
export function mergeProviderRequest(
  original: HookEventOf<'before_provider_request'>,
): Merging<'before_provider_request'> {
  let event = original;
  return {
    get event() {
      return event;
    },
    take(returned: unknown, _hook: LoadedHook): Verdict {
      const payload = answerOf(returned);
      if (payload === undefined) return noAnswer(returned);
      event = { ...event, payload };
      return { outcome: { type: 'returned', changed: ['payload'] } };
    },
    result: () => ({ payload: event.payload }),
  };
}
