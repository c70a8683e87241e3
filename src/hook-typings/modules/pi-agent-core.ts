export type { ThinkingLevel } from '../context';
export type * from '../messages';
export type { AgentToolResult, AgentToolUpdateCallback } from '../tool-definition';
export type { AgentTool } from '../values';
export type { AssistantMessageEventStream, StreamFunction as StreamFn } from '@mariozechner/pi-ai';
