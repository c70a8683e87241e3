import { Type } from '@sinclair/typebox';
import type { ToolCall } from '@mariozechner/pi-ai';
import type { CustomMessage, ToolResultMessage } from '../agent/messages';
import type { ToolResult } from '../agent/tools/tool';
import { parse } from '../base/json/schema';
import type { CustomMessageDraft } from '../hook-contract/hook-event';
import { RUN_AGAIN } from './own-messages';

const Details = Type.Object({
  toolCallId: Type.String(),
  toolName: Type.String(),
  args: Type.Record(Type.String(), Type.Unknown()),
  isError: Type.Boolean(),
});

/** How the session records a tool call that the user ran again, and how the model reads of it. */
export function rerunMessage(
  { id, name, arguments: args }: ToolCall,
  { content, isError }: Pick<ToolResultMessage, 'content' | 'isError'>,
): CustomMessageDraft {
  const output = content.map(part => (part.type === 'text' ? part.text : '[image]')).join('\n');
  return {
    customType: RUN_AGAIN,
    content: `The user ran ${name} again with ${JSON.stringify(args)}. The result:\n\n${output}`,
    display: false,
    details: { toolCallId: id, toolName: name, args, isError },
  };
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
