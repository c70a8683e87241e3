import type { Api, AssistantMessage, AssistantMessageEvent, Model, ToolCall } from '@mariozechner/pi-ai';
import { defined } from '../../../base/defined';
import { messageOf } from '../../../base/errors';
import { hideSecrets, hideSecretsIn } from '../../../base/text/redact';
import { withObjectArguments } from '../../call-arguments';
import { MISSING_KEY_DIAGNOSTIC, MissingKeyError, type KeyAdvice } from '../keys/missing-key';
import type { PiAi } from '../pi-ai';
import { emptyMessage } from './empty-message';
import { explainError } from './explain-error';
import type { MessageStream } from './message-stream';
import { ReplySize, TOO_LONG } from './reply-bounds';
import type { ReplyEnd } from './reply-end';
import { isDeclined, noteFailure, notedFailure, readFailure, requestFailure } from './request-failure';
import { nameCalls } from './sendable';
import { ToolArgumentsWatch, withoutDeepArguments } from './tool-arguments-watch';

/** A reply that was asked for and has not ended. */
export interface OpenReply {
  /** The model that replies; never a virtual one once events come. */
  model: Model<Api>;
  readonly signal: AbortSignal | undefined;
  readonly stream: MessageStream;
  /** What texts about this reply must not tell. */
  secrets: readonly (string | undefined)[];
  /** The reply so far; what the message of an aborted reply contains. */
  partial: AssistantMessage | undefined;
}

/** The HTTP response as far as the client shows it; some throw before they show one that failed. */
export interface LastResponse {
  status: number | undefined;
}

interface Surroundings {
  readonly piAi: PiAi;
  readonly advice: KeyAdvice | undefined;
  readonly response: LastResponse;
  readonly end: ReplyEnd;
  /** Aborted when the rest of the reply is not wanted. */
  readonly over: AbortController;
}

/**
 * Passes the events of a client on until the reply ends, with calls that are sound. A reply that is too long, was cut, or whose
 * stream ends without a result ends as an error.
 */
export async function forwardReply(
  reply: OpenReply,
  source: AsyncIterable<AssistantMessageEvent>,
  { piAi, advice, response, end, over }: Surroundings,
): Promise<void> {
  const { model, signal, stream } = reply;
  const watch = new ToolArgumentsWatch(model.api, piAi.parseToolCallArguments);
  const size = new ReplySize();
  let started = false;
  for await (const event of source) {
    const place = { model, started, response, end, piAi, advice, signal };
    nameCalls(event);
    if (event.type === 'done') {
      if (end.lacksMark) pushEnd(reply, cutEvent(event.message, place));
      else pushEnd(reply, watch.check(event.message));
      return;
    }
    if (event.type === 'error') {
      pushEnd(reply, errorOf(event.error, place));
      return;
    }
    const problem = size.isTooLongWith(event) ? TOO_LONG : watch.see(event);
    if (problem !== undefined) {
      const error: AssistantMessage = { ...abortedCopy(event.partial), stopReason: 'error', errorMessage: problem };
      withoutDeepArguments(error);
      noteFailure(error, requestFailure('unknown'));
      pushEnd(reply, { type: 'error', reason: 'error', error });
      over.abort();
      return;
    }
    started = true;
    const sound = soundEvent(event);
    reply.partial = sound.partial;
    stream.push(sound);
  }
  const ended = errorEvent(model, `Provider "${model.provider}" ended its stream without a result.`);
  if (ended.type === 'error') noteFailure(ended.error, requestFailure('cut'));
  pushEnd(reply, ended);
}

/** The event with {@link soundContent}. */
function soundEvent<T extends AssistantMessageEvent>(event: T): T {
  if (!('partial' in event)) return event;
  const content = soundContent(event.partial.content);
  if (content === event.partial.content) return event;
  const partial = { ...event.partial, content };
  const toolCall = event.type === 'toolcall_end' ? content[event.contentIndex] : undefined;
  return { ...event, partial, ...(toolCall?.type === 'toolCall' ? { toolCall } : {}) };
}

/**
 * The content of a reply, where each call has an object as its arguments and an id of its own: results, cards and providers tell
 * calls apart by their ids. Returns the same list if nothing changes. Blocks are never changed in place, because the client may
 * still use them.
 */
function soundContent(content: AssistantMessage['content']): AssistantMessage['content'] {
  if (!Array.isArray(content)) return content; // A message from a hook may have no content.
  let changed: AssistantMessage['content'] | undefined;
  const ids = new Set<string>();
  for (const [index, block] of content.entries()) {
    if (block.type !== 'toolCall') continue;
    const sound = withOwnId(withObjectArguments(block), ids);
    ids.add(sound.id);
    if (sound !== block) (changed ??= [...content])[index] = sound;
  }
  return changed ?? content;
}

/** Ids of the responses APIs are of the form `call|item`; the part in front is what results name. */
function withOwnId(call: ToolCall, taken: ReadonlySet<string>): ToolCall {
  if (!taken.has(call.id)) return call;
  const [name = '', ...item] = call.id.split('|');
  let id = call.id;
  for (let count = 2; taken.has(id); count++) id = [`${name}_${count}`, ...item].join('|');
  return { ...call, id };
}

interface ErrorPlace {
  readonly model: Model<Api>;
  readonly started: boolean;
  readonly response: LastResponse;
  readonly end: ReplyEnd;
  readonly piAi: PiAi;
  readonly advice: KeyAdvice | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What the provider itself reported comes before what its client made of that. */
function errorOf(message: AssistantMessage, place: ErrorPlace): AssistantMessageEvent {
  const { reported, isTorn } = place.end;
  if (reported === undefined) return isTorn ? cutEvent(message, place) : explained(message, place);
  const { message: words, text } = reported;
  const isTooLong = overflowTest(message, place)(words);
  if (place.signal?.aborted !== true) noteFailure(message, readFailure({ text, isOverflow: () => isTooLong }));
  if (message.errorMessage?.includes(words) !== true) message.errorMessage = words;
  return explained(message, place);
}

function overflowTest(message: AssistantMessage, { piAi }: ErrorPlace): (text: string) => boolean {
  return errorMessage => piAi.isContextOverflow({ ...message, stopReason: 'error', errorMessage });
}

/** The reply, or its last event, was cut off. It is kept, and none of its calls run. */
function cutEvent(message: AssistantMessage, place: ErrorPlace): AssistantMessageEvent {
  const text = message.errorMessage ?? 'The stream ended without a finish reason and without its last mark.';
  const error: AssistantMessage = { ...message, stopReason: 'error', errorMessage: text };
  if (place.signal?.aborted !== true) noteFailure(error, requestFailure('cut'));
  return explained(error, place);
}

function explained(message: AssistantMessage, place: ErrorPlace): AssistantMessageEvent {
  const { model, started, response, end, advice, signal } = place;
  // Some clients report the abort of a fetch as a failed connection.
  if (message.stopReason === 'aborted' || signal?.aborted === true) {
    message.stopReason = 'aborted';
    return { type: 'error', reason: 'aborted', error: message };
  }
  const isOverflow = overflowTest(message, place);
  const text = message.errorMessage ?? 'Unknown error';
  const status = response.status !== undefined && response.status >= 400 ? response.status : undefined;
  const read = isDeclined(message) ? requestFailure('unknown') : readFailure({ text, status, started, isOverflow });
  const failure = notedFailure(message) ?? read;
  noteFailure(message, { ...failure, ...defined({ retryAfterMs: end.retryAfterMs }) });
  message.errorMessage = explainError({ model, failure, text, isOverflow, advice });
  return { type: 'error', reason: 'error', error: message };
}

/** Ends a reply because it could not be asked for. */
export function failReply(reply: OpenReply, error: unknown): void {
  const event = errorEvent(reply.model, messageOf(error));
  if (event.type === 'error' && error instanceof MissingKeyError) {
    noteFailure(event.error, requestFailure('missing-key'));
    event.error.diagnostics = [
      {
        type: MISSING_KEY_DIAGNOSTIC,
        timestamp: event.error.timestamp,
        error: { name: error.name, message: error.message },
        details: { provider: error.provider, variables: [...error.variables] },
      },
    ];
  }
  pushEnd(reply, event);
}

/** Ends a reply as one that was aborted, with what came of it. */
export function abortReply({ model, partial, stream }: OpenReply): void {
  stream.push({ type: 'error', reason: 'aborted', error: abortedCopy(partial ?? emptyMessage(model)) });
}

/** Ends a reply. Providers repeat a key that they refuse, and addresses may contain one. */
function pushEnd({ stream, secrets }: OpenReply, event: AssistantMessageEvent): void {
  const message = event.type === 'done' ? event.message : event.type === 'error' ? event.error : undefined;
  if (message !== undefined) message.content = soundContent(message.content);
  if (event.type === 'error') {
    const { error } = event;
    if (error.errorMessage !== undefined) error.errorMessage = hideSecrets(error.errorMessage, secrets);
    if (error.diagnostics !== undefined) error.diagnostics = hideSecretsIn(error.diagnostics);
  }
  stream.push(event);
}

function errorEvent(model: Model<Api>, text: string): AssistantMessageEvent {
  const error = emptyMessage(model);
  error.stopReason = 'error';
  error.errorMessage = text;
  return { type: 'error', reason: 'error', error };
}

/** A copy that a client cannot change, even if it still runs. */
function abortedCopy(partial: AssistantMessage): AssistantMessage {
  const content = partial.content.map(block => ({ ...block }));
  return { ...partial, content, stopReason: 'aborted', errorMessage: 'Request was aborted' };
}
