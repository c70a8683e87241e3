import type { AssistantMessageEvent, Context, JsonObject } from '@mariozechner/pi-ai';
import type { StreamFn } from '../../src/agent/run/loop';
import type { AssistantMessage } from '../../src/agent/messages';

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** What a scripted model says in one answer. */
export interface Reply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: Record<string, unknown> }[];
  readonly stopReason?: AssistantMessage['stopReason'];
  readonly errorMessage?: string;
  readonly totalTokens?: number;
}

/** An answer, or what to do instead of one. */
export type Script = Reply | 'throw' | 'hang' | 'end without result';

export function answer(reply: Reply): AssistantMessage {
  const total = reply.totalTokens ?? 15;
  return {
    role: 'assistant',
    content: [
      ...(reply.thinking === undefined ? [] : [{ type: 'thinking' as const, thinking: reply.thinking }]),
      ...(reply.text === undefined ? [] : [{ type: 'text' as const, text: reply.text }]),
      ...(reply.calls ?? []).map(call => ({
        type: 'toolCall' as const,
        id: call.id,
        name: call.name,
        arguments: call.args as JsonObject,
      })),
    ],
    api: 'scripted',
    provider: 'test',
    model: 'scripted',
    usage: { input: total - 5, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: total, cost: NO_COST },
    stopReason: reply.stopReason ?? (reply.calls === undefined ? 'stop' : 'toolUse'),
    ...(reply.errorMessage === undefined ? {} : { errorMessage: reply.errorMessage }),
    timestamp: 1,
  };
}

/** A model that says what the script tells it, one entry per request, and records what it was asked. */
export class ScriptedStream {
  readonly requests: Context[] = [];
  private readonly script: Script[];

  constructor(...script: readonly Script[]) {
    this.script = [...script];
  }

  readonly stream: StreamFn = (_model, context, options) => {
    this.requests.push({ ...context, messages: [...context.messages] });
    const next = this.script.shift();
    if (next === undefined) throw new Error('The script has no answer for this request.');
    if (next === 'throw') throw new Error('provider exploded');
    return this.play(next, options.signal);
  };

  private async *play(
    script: Exclude<Script, 'throw'>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<AssistantMessageEvent> {
    if (script === 'end without result') return;
    if (script === 'hang') {
      yield { type: 'start', partial: answer({}) };
      await new Promise<void>(resolve => {
        if (signal?.aborted === true) resolve();
        signal?.addEventListener('abort', () => resolve(), { once: true });
      });
      yield { type: 'error', reason: 'aborted', error: answer({ stopReason: 'aborted', errorMessage: 'aborted' }) };
      return;
    }
    const message = answer(script);
    if (message.stopReason === 'error' || message.stopReason === 'aborted') {
      yield { type: 'error', reason: message.stopReason, error: message };
      return;
    }
    yield { type: 'start', partial: message };
    for (const [contentIndex, part] of message.content.entries()) {
      if (part.type === 'text') yield { type: 'text_delta', contentIndex, delta: part.text, partial: message };
      if (part.type === 'thinking') {
        yield { type: 'thinking_delta', contentIndex, delta: part.thinking, partial: message };
      }
      if (part.type === 'toolCall') {
        yield { type: 'toolcall_start', contentIndex, partial: message };
        yield { type: 'toolcall_end', contentIndex, toolCall: part, partial: message };
      }
    }
    if (message.stopReason === 'pending') throw new Error('An answer that is over is not pending.');
    yield { type: 'done', reason: message.stopReason, message };
  }
}

export const scriptedModel = {
  id: 'scripted',
  name: 'Scripted',
  api: 'scripted',
  provider: 'test',
  baseUrl: '',
  reasoning: true,
  input: ['text' as const],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1000,
  maxTokens: 100,
};
