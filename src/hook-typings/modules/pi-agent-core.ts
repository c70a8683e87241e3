export type { ThinkingLevel } from '../context';
export type * from '../messages';
export type { AgentTool, AgentToolCallOutcome, AgentToolResult, AgentToolUpdateCallback } from '../tool-definition';
export type { AssistantMessageEventStream, StreamFunction as StreamFn } from '@mariozechner/pi-ai';
