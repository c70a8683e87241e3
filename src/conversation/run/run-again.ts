import * as l10n from '@vscode/l10n';
import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { AgentMessage, AssistantMessage, CustomMessage, ToolResultMessage } from '../../agent/messages';
import { runToolCalls, toolCallsOf } from '../../agent/tool-calls';
import type { AnyTool, ToolResult } from '../../agent/tools/tool';
import { parse } from '../../base/schema';
import type { CustomMessageDraft } from '../../hooks/events/hook-event';
import type { ChatModel } from '../cards/chat-model';
import type { Presenter } from '../cards/presenter';
import type { RunControl } from './run-control';

/** Kind of the session entry that records a tool call of the person. */
const RUN_AGAIN = 'hookline.runAgain';

const Details = Type.Object({
  toolCallId: Type.String(),
  toolName: Type.String(),
  args: Type.Record(Type.String(), Type.Unknown()),
  isError: Type.Boolean(),
});

export interface RunAgainParts {
  readonly chat: Pick<ChatModel, 'get'>;
  readonly presenter: Pick<Presenter, 'apply'>;
  readonly control: Pick<RunControl, 'beside' | 'isIdle'>;
  /** Drawn messages, compacted ones included. */
  readonly messages: () => readonly AgentMessage[];
  /** With hooks around them. */
  readonly tools: () => readonly AnyTool[];
  readonly record: (message: CustomMessageDraft) => Promise<void>;
}

/**
 * Runs the model's tool call that a card shows once more for the person: the same arguments as the model gave them, through all
 * `tool_call` and `tool_result` handlers. It is no step of the model, so no other event is sent; the session records it
 * as a message of ours that the model reads with the next prompt. Throws when it cannot begin.
 */
export async function runAgain(itemId: string, parts: RunAgainParts): Promise<void> {
  if (!parts.control.isIdle) throw new Error(l10n.t('The agent is at work. Stop it first, or wait.'));
  const item = parts.chat.get(itemId);
  const found = item?.kind === 'tool' ? findCall(parts.messages(), item.toolCallId) : undefined;
  if (found === undefined) throw new Error(l10n.t('This call is not in the session any more.'));
  const { message, call } = found;
  const again = { ...call, id: `again-${randomUUID()}` };
  const answer: AssistantMessage = { ...message, content: [again], stopReason: 'toolUse' };
  const result = await parts.control.beside(
    { type: 'running', message: l10n.t('Running {0} again', call.name) },
    async signal => {
      let last: ToolResultMessage | undefined;
      for await (const event of runToolCalls(answer, parts.tools(), signal, () => false)) {
        if ('role' in event) last = event;
        else parts.presenter.apply(event, true);
      }
      return last;
    },
  );
  if (result === undefined) return;
  const details = { toolCallId: again.id, toolName: call.name, args: call.arguments, isError: result.isError };
  await parts.record({ customType: RUN_AGAIN, content: textFor(details, result), display: false, details });
}

/** The recorded call, to be drawn as a card; undefined when the entry is none of ours. */
export function recordedCall({ customType, details, content }: CustomMessage):
  | {
      readonly id: string;
      readonly name: string;
      readonly args: Record<string, unknown>;
      readonly isError: boolean;
      readonly result: ToolResult;
    }
  | undefined {
  if (customType !== RUN_AGAIN) return undefined;
  const read = parse(Details, details);
  if (!read.ok) return undefined;
  const { toolCallId, toolName, args, isError } = read.value;
  const text = typeof content === 'string' ? content : '';
  const output = text.slice(text.indexOf('\n\n') + 2);
  return {
    id: toolCallId,
    name: toolName,
    args,
    isError,
    result: { content: [{ type: 'text', text: output }], details: undefined },
  };
}

function findCall(
  messages: readonly AgentMessage[],
  id: string,
): { readonly message: AssistantMessage; readonly call: ReturnType<typeof toolCallsOf>[number] } | undefined {
  for (const message of messages.toReversed()) {
    const call = message.role === 'assistant' ? toolCallsOf(message).find(one => one.id === id) : undefined;
    if (message.role === 'assistant' && call !== undefined) return { message, call };
  }
  return undefined;
}

function textFor(
  { toolName, args }: { toolName: string; args: unknown },
  { content }: Pick<ToolResult, 'content'>,
): string {
  const output = content.map(part => (part.type === 'text' ? part.text : '[image]')).join('\n');
  return `The user ran ${toolName} again with ${JSON.stringify(args)}. The result:\n\n${output}`;
}
