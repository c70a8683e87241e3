export type { ThinkingLevel } from '../context/context';
export type * from '../session/messages';
export type {
  AgentTool,
  AgentToolCallOutcome,
  AgentToolResult,
  AgentToolUpdateCallback,
} from '../context/tool-definition';
export type { AssistantMessageEventStream, StreamFunction as StreamFn } from '@mariozechner/pi-ai';
