import type { AssistantMessageEvent } from '@mariozechner/pi-ai';
import type { AgentMessage, AssistantMessage, ToolResultMessage } from '../messages';
import type { ToolOutcome, ToolResult } from '../tools/tool';

/**
 * What one run of the agent reports, in order: `agent_start`, then per turn `turn_start`,
 * messages and tool executions, `turn_end`, and at last `agent_end`, also after errors and aborts.
 */
export type AgentEvent =
  | { readonly type: 'agent_start' }
  | { readonly type: 'agent_end'; readonly messages: readonly AgentMessage[] }
  | { readonly type: 'turn_start'; readonly turnIndex: number; readonly timestamp: number }
  | {
      readonly type: 'turn_end';
      readonly turnIndex: number;
      readonly message: AssistantMessage;
      readonly toolResults: readonly ToolResultMessage[];
    }
  | { readonly type: 'message_start'; readonly message: AgentMessage }
  | {
      readonly type: 'message_update';
      readonly message: AssistantMessage;
      readonly assistantMessageEvent: AssistantMessageEvent;
    }
  | { readonly type: 'message_end'; readonly message: AgentMessage }
  | ({
      readonly type: 'tool_execution_start';
      readonly args: Readonly<Record<string, unknown>>;
    } & CallName)
  | ({
      readonly type: 'tool_execution_update';
      readonly args: Readonly<Record<string, unknown>>;
      readonly partialResult: ToolResult;
    } & CallName)
  | ({
      readonly type: 'tool_execution_end';
      readonly result: ToolResult;
      readonly isError: boolean;
      /** How long the tool ran, in whole ms; absent when it did not. */
      readonly durationMs?: number;
      /** For the cards; see {@link PiEvent}. */
      readonly outcome: ToolOutcome;
    } & CallName);

/** The call that an event is about. */
export interface CallName {
  readonly toolCallId: string;
  readonly toolName: string;
  /** The call whose tool made this one; absent: the model made it. */
  readonly parentToolCallId?: string;
}

type ToolEnd = Extract<AgentEvent, { readonly type: 'tool_execution_end' }>;

/** The events of a run as pi emits them: without the outcome of a tool call. */
export type PiEvent = Exclude<AgentEvent, ToolEnd> | Omit<ToolEnd, 'outcome'>;

export function toPiEvent(event: AgentEvent): PiEvent {
  return event.type === 'tool_execution_end' ? withoutOutcome(event) : event;
}

function withoutOutcome({ outcome: _outcome, ...piEvent }: ToolEnd): PiEvent {
  return piEvent;
}
