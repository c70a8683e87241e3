import type {
  AssistantMessage,
  ImageContent,
  Message,
  TextContent,
  Tool as ModelTool,
  ToolResultMessage,
  UserMessage,
} from '@mariozechner/pi-ai';

export type { AssistantMessage, ImageContent, Message, TextContent, ToolResultMessage, UserMessage };
export type ContentPart = TextContent | ImageContent;

/** A tool as it is declared to the model. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: object;
  /** How a provider makes a model follow `parameters`, if the provider can do that. */
  readonly constrainedSampling?: ModelTool['constrainedSampling'];
}

/**
 * The system prompt and the tools for the model from here on: the first one of a conversation declares all, later ones what
 * changed. They are applied in order (docs/sessions.md).
 */
export interface SystemMessage {
  readonly role: 'system';
  /** Text before the sections; later ones are added to it. */
  readonly content: string | TextContent[];
  /** By name, in order; `null` removes one. */
  readonly sections?: Readonly<Record<string, string | null>>;
  readonly toolsAdded?: readonly ToolDeclaration[];
  readonly toolsRemoved?: readonly { readonly name: string }[];
  readonly timestamp: number;
}

/** A message that a hook put into the conversation (docs/dialects.md, C20). */
export interface CustomMessage {
  readonly role: 'custom';
  readonly customType: string;
  readonly content: string | ContentPart[];
  /** Shown in the chat; the model sees the message either way. */
  readonly display: boolean;
  readonly details?: unknown;
  readonly timestamp: number;
}

/** What a `!command` of the user printed. */
export interface BashExecutionMessage {
  readonly role: 'bashExecution';
  readonly command: string;
  readonly output: string;
  readonly exitCode: number | undefined;
  readonly cancelled: boolean;
  readonly truncated: boolean;
  readonly fullOutputPath?: string;
  /** `!!command`: recorded, never sent to the model. */
  readonly excludeFromContext?: boolean;
  readonly timestamp: number;
}

export interface BranchSummaryMessage {
  readonly role: 'branchSummary';
  readonly summary: string;
  readonly fromId: string;
  readonly timestamp: number;
}

export interface CompactionSummaryMessage {
  readonly role: 'compactionSummary';
  readonly summary: string;
  readonly tokensBefore: number;
  readonly timestamp: number;
}

/** Everything that can be in the agent's context: messages for the model, and messages that only Hookline knows. */
export type AgentMessage =
  | SystemMessage
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | CustomMessage
  | BashExecutionMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage;

/** Whether an answer is incomplete, because its request failed or was stopped. Its usage and its calls do not count. */
export function isFailedOrAborted({ stopReason }: { readonly stopReason: string }): boolean {
  return stopReason === 'error' || stopReason === 'aborted';
}

/** Messages without the system messages. */
export type ConversationMessage = Exclude<AgentMessage, SystemMessage>;

export function isConversation(message: AgentMessage): message is ConversationMessage {
  return message.role !== 'system';
}
