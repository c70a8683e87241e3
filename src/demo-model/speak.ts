import { createHash } from 'node:crypto';
import { setImmediate as nextTick, setTimeout as pause } from 'node:timers/promises';
import type { AssistantMessage, AssistantMessageEvent, Context, JsonObject, ToolCall } from '@mariozechner/pi-ai';
import { CHARS_PER_TOKEN, estimateTokens } from '../agent/compaction/tokens';
import type { DemoReply } from './reply';

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
export async function speak({ thinking, text, call }: DemoReply, speech: Speech): Promise<void> {
  const { message, push, context } = speech;
  message.usage.input = inputTokens(context);
  await nextTick(undefined, { signal: speech.signal });
  push({ type: 'start', partial: message });
  if (thinking !== '') {
    const block = { type: 'thinking' as const, thinking: '' };
    const contentIndex = message.content.push(block) - 1;
    push({ type: 'thinking_start', contentIndex, partial: message });
    for await (const delta of piecesOf(thinking, speech)) {
      block.thinking += delta;
      push({ type: 'thinking_delta', contentIndex, delta, partial: message });
    }
    push({ type: 'thinking_end', contentIndex, content: thinking, partial: message });
  }
  if (text !== '') {
    const block = { type: 'text' as const, text: '' };
    const contentIndex = message.content.push(block) - 1;
    push({ type: 'text_start', contentIndex, partial: message });
    for await (const delta of piecesOf(text, speech)) {
      block.text += delta;
      push({ type: 'text_delta', contentIndex, delta, partial: message });
    }
    push({ type: 'text_end', contentIndex, content: text, partial: message });
  }
  if (call !== undefined) {
    const toolCall: ToolCall = { type: 'toolCall', id: callId(context), name: call.name, arguments: {} };
    const contentIndex = message.content.push(toolCall) - 1;
    push({ type: 'toolcall_start', contentIndex, partial: message });
    for await (const delta of piecesOf(JSON.stringify(call.args), speech)) {
      push({ type: 'toolcall_delta', contentIndex, delta, partial: message });
    }
    toolCall.arguments = { ...call.args } as JsonObject; // It was written out as JSON just now.
    push({ type: 'toolcall_end', contentIndex, toolCall, partial: message });
  }
  const reason = call === undefined ? 'stop' : 'toolUse';
  message.stopReason = reason;
  push({ type: 'done', reason, message });
}

/**
 * About a word at a time, each after its pause and counted as output: blanks included, long words in pieces, never between the
 * halves of a surrogate pair.
 */
async function* piecesOf(text: string, { message, signal, pauseMs }: Speech): AsyncGenerator<string> {
  const { usage } = message;
  const before = usage.output;
  let length = 0;
  for (const [index, piece] of (text.match(/\s*\S{1,24}\s?|\s+/gsu) ?? []).entries()) {
    signal?.throwIfAborted();
    if (pauseMs > 0) await pause(pauseMs, undefined, { signal });
    else if (index % PIECES_PER_TICK === 0) await nextTick(undefined, { signal });
    length += piece.length;
    usage.output = before + Math.ceil(length / CHARS_PER_TOKEN);
    usage.totalTokens = usage.input + usage.output;
    yield piece;
  }
}

function inputTokens({ systemPrompt = '', messages, tools = [] }: Context): number {
  const beside = tools.reduce(
    (chars, { name, description }) => chars + name.length + description.length,
    systemPrompt.length,
  );
  return messages.reduce((tokens, message) => tokens + estimateTokens(message), Math.ceil(beside / CHARS_PER_TOKEN));
}

/**
 * An id for the next tool call: the same for the same conversation, different at every point of it. Timestamps of
 * messages are part of it, so a request that is made again, in another branch for example, gets another id.
 */
function callId({ messages }: Context): string {
  const hash = createHash('sha256');
  for (const message of messages.slice(-8)) {
    hash.update(`${message.role} ${message.timestamp} ${estimateTokens(message)}\n`);
  }
  return `demo_${messages.length}_${hash.digest('hex').slice(0, 12)}`;
}
