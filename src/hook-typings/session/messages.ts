import type {
  AssistantMessage,
  ImageContent,
  SystemMessage,
  TextContent,
  ToolResultMessage,
  UserMessage,
} from '@mariozechner/pi-ai';

/** Text and images: what messages and tool results consist of. */
export type ContentPart = TextContent | ImageContent;

/**
 * What a hook gives to `pi.sendMessage` and returns from `before_agent_start`.
 *
 * The model always sees `content`, as a message of the user. `display` only says whether the chat shows it.
 */
export interface CustomMessageDraft<T = unknown> {
  /** Your own name for this kind of message; filters, renderers and other hooks go by it. */
  customType: string;
  content: string | ContentPart[];
  /** `false` hides the message from the chat, not from the model. */
  display: boolean;
  /** Stored with the message, never sent to the model. */
  details?: T;
}

/**
 * A hook's message, as it is in the conversation.
 *
 * The role is `custom`; files of the **tree** dialect see it as `hookMessage`, and may return either.
 */
export interface CustomMessage<T = unknown> extends CustomMessageDraft<T> {
  role: 'custom' | 'hookMessage';
  /** ms since 1970 */
  timestamp: number;
}

/** The name that **tree** gave to {@link CustomMessage}. */
export type HookMessage<T = unknown> = CustomMessage<T>;

/** What a `!command` of the user printed; `!!` sets `excludeFromContext`, and the model never sees it. */
export interface BashExecutionMessage {
  role: 'bashExecution';
  command: string;
  output: string;
  exitCode: number | undefined;
  cancelled: boolean;
  truncated: boolean;
  /** File with the whole output, when `output` was cut. */
  fullOutputPath?: string;
  excludeFromContext?: boolean;
  timestamp: number;
}

/** Stands for a branch that was left with a summary. */
export interface BranchSummaryMessage {
  role: 'branchSummary';
  summary: string;
  /** Entry the branch hung on. */
  fromId: string;
  timestamp: number;
}

/** Stands for everything before the last compaction. */
export interface CompactionSummaryMessage {
  role: 'compactionSummary';
  summary: string;
  tokensBefore: number;
  timestamp: number;
}

/** Everything that can be in the agent's context; tell the kinds apart by `role`. */
export type AgentMessage =
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | CustomMessage
  | BashExecutionMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage;

/** What `context_with_system` handles: the conversation and the system messages. */
export type TranscriptMessage = AgentMessage | SystemMessage;

/** The name that **v1**, **v2** and **tree** gave to {@link AgentMessage}. */
export type AppMessage = AgentMessage;

/**
 * A message with its place in the session, as **v2** hooks get and return them in `context`.
 */
export interface ContextMessage {
  message: AgentMessage;
  /** Index in `event.entries`; `null` for a message that a hook made. */
  entryIndex: number | null;
}

/**
 * An element of `event.messages` in `context`. Files of the **v2** dialect get {@link ContextMessage} objects, all others
 * the messages themselves; read the half that your dialect documents.
 */
export type ContextElement = AgentMessage & ContextMessage;

/** A file given to **v1**'s `pi.send`. */
export interface Attachment {
  id: string;
  type: 'image' | 'document';
  fileName: string;
  mimeType: string;
  /** bytes */
  size: number;
  /** Base64, without a `data:` prefix. */
  content: string;
  /** Text of a document; this is what the model gets of it. */
  extractedText?: string;
  preview?: string;
}
