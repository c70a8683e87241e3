import { setImmediate as nextTick, setTimeout as pause } from 'node:timers/promises';
import type {
  AssistantMessage,
  AssistantMessageEvent,
  Context,
  JsonObject,
  ToolCall,
  Message,
} from '@mariozechner/pi-ai';
import { CHARS_PER_TOKEN, IMAGE_CHARS } from '../compaction/tokens';
import type { DemoCall, DemoReply } from './reply';
import { createHash } from 'node:crypto';

/** Tokens by the rule of thumb that the agent's own estimates use. */
function tokensOf(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** Characters of everything a context holds. */
function contextChars({ systemPrompt = '', messages, tools = [] }: Context): number {
  let chars = systemPrompt.length;
  for (const tool of tools) chars += tool.name.length + tool.description.length;
  for (const message of messages) chars += messageChars(message);
  return chars;
}

/**
 * An id for the next tool call: the same for the same conversation, different at every point of it. Timestamps of
 * messages go in so that a request that is made again, in another branch say, gets another id.
 */
function callId({ messages }: Context): string {
  const hash = createHash('sha256');
  for (const message of messages.slice(-8)) {
    hash.update(`${message.role} ${message.timestamp} ${messageChars(message)}\n`);
  }
  return `demo_${messages.length}_${hash.digest('hex').slice(0, 12)}`;
}

function messageChars(message: Message): number {
  if (typeof message.content === 'string') return message.content.length;
  let chars = 0;
  for (const part of message.content) {
    if (part.type === 'text') chars += part.text.length;
    else if (part.type === 'thinking') chars += part.thinking.length;
    else if (part.type === 'image') chars += IMAGE_CHARS;
    else chars += part.name.length + JSON.stringify(part.arguments).length;
  }
  return chars;
}

/** The target of a streamed reply. */
export interface Speech {
  readonly context: Context;
  /** Grows while the reply streams; every event contains it. */
  readonly message: AssistantMessage;
  readonly signal: AbortSignal | undefined;
  readonly pauseMs: number;
  readonly push: (event: AssistantMessageEvent) => void;
}

/** Pieces after which the event loop gets a turn when there is no pause, so that an abort is noticed. */
const PIECES_PER_TICK = 16;

/**
 * Streams a reply as a provider does: thinking, text, tool call, each with start, deltas and end, then `done`.
 * @throws when the signal fires; the message then contains the reply so far
 */
export async function speak(reply: DemoReply, speech: Speech): Promise<void> {
  const { message, push, context } = speech;
  const pace = pacer(speech);
  message.usage.input = tokensOf(contextChars(context));
  await pace();
  push({ type: 'start', partial: message });
  if (reply.thinking !== '') await speakThinking(reply.thinking, speech, pace);
  if (reply.text !== '') await speakText(reply.text, speech, pace);
  if (reply.call !== undefined) await speakCall(reply.call, speech, pace);
  const reason = reply.call === undefined ? 'stop' : 'toolUse';
  message.stopReason = reason;
  push({ type: 'done', reason, message });
}

type Pace = () => Promise<void>;

async function speakThinking(text: string, { message, push }: Speech, pace: Pace): Promise<void> {
  const block = { type: 'thinking' as const, thinking: '' };
  const contentIndex = message.content.push(block) - 1;
  push({ type: 'thinking_start', contentIndex, partial: message });
  for (const delta of piecesOf(text)) {
    await pace();
    block.thinking += delta;
    countOutput(message, block.thinking.length, delta.length);
    push({ type: 'thinking_delta', contentIndex, delta, partial: message });
  }
  push({ type: 'thinking_end', contentIndex, content: text, partial: message });
}

async function speakText(text: string, { message, push }: Speech, pace: Pace): Promise<void> {
  const block = { type: 'text' as const, text: '' };
  const contentIndex = message.content.push(block) - 1;
  push({ type: 'text_start', contentIndex, partial: message });
  for (const delta of piecesOf(text)) {
    await pace();
    block.text += delta;
    countOutput(message, block.text.length, delta.length);
    push({ type: 'text_delta', contentIndex, delta, partial: message });
  }
  push({ type: 'text_end', contentIndex, content: text, partial: message });
}

async function speakCall({ name, args }: DemoCall, { context, message, push }: Speech, pace: Pace): Promise<void> {
  const toolCall: ToolCall = { type: 'toolCall', id: callId(context), name, arguments: {} };
  const contentIndex = message.content.push(toolCall) - 1;
  push({ type: 'toolcall_start', contentIndex, partial: message });
  let length = 0;
  for (const delta of piecesOf(JSON.stringify(args))) {
    await pace();
    length += delta.length;
    countOutput(message, length, delta.length);
    push({ type: 'toolcall_delta', contentIndex, delta, partial: message });
  }
  toolCall.arguments = { ...args } as JsonObject; // It was written out as JSON just now.
  push({ type: 'toolcall_end', contentIndex, toolCall, partial: message });
}

/** Adds the tokens that a block gained with its last `added` characters. */
function countOutput({ usage }: AssistantMessage, length: number, added: number): void {
  usage.output += tokensOf(length) - tokensOf(length - added);
  usage.totalTokens = usage.input + usage.output;
}

/** About a word each, blanks included; long words in pieces, never between the halves of a surrogate pair. */
function piecesOf(text: string): readonly string[] {
  return text.match(/\s*\S{1,24}\s?|\s+/gsu) ?? [];
}

function pacer({ signal, pauseMs }: Speech): Pace {
  let pieces = 0;
  return async () => {
    signal?.throwIfAborted();
    pieces += 1;
    if (pauseMs > 0) await pause(pauseMs, undefined, { signal });
    else if (pieces % PIECES_PER_TICK === 1) await nextTick(undefined, { signal });
  };
}
