import type { Usage } from '@mariozechner/pi-ai';
import type { ContentPart } from '../session/messages';

/** What was cut off a tool's output. */
export interface TruncationResult {
  content: string;
  truncated: boolean;
  truncatedBy: 'lines' | 'bytes' | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  lastLinePartial: boolean;
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

/** Limits for `truncateHead` and `truncateTail`; 2000 lines and 51200 bytes when not given. */
export interface TruncationOptions {
  maxLines?: number;
  maxBytes?: number;
}

/** `event.input` of `bash`. */
export interface BashToolInput {
  command: string;
  /** **Seconds**; none when absent. */
  timeout?: number;
  [argument: string]: unknown;
}
/** `event.input` of `powershell`. */
export type PowerShellToolInput = BashToolInput;
/** `event.input` of `read`. */
export interface ReadToolInput {
  path: string;
  /** First line, 1-based. */
  offset?: number;
  /** Number of lines. */
  limit?: number;
  [argument: string]: unknown;
}
/** One replacement of an `edit`. */
export interface TextEdit {
  oldText: string;
  newText: string;
}
/** `event.input` of `edit`. */
export interface EditToolInput {
  path: string;
  /** All replacements. Absent in v1, tree and omp hooks when there is only one. */
  edits: TextEdit[];
  /** What is replaced; of several edits all texts, to be read only. */
  oldText: string;
  /** What takes its place; of several edits all texts, to be read only. */
  newText: string;
  [argument: string]: unknown;
}
/** `event.input` of `write`. */
export interface WriteToolInput {
  path: string;
  content: string;
  [argument: string]: unknown;
}
/** `event.input` of `grep`. */
export interface GrepToolInput {
  pattern: string;
  path?: string;
  glob?: string;
  ignoreCase?: boolean;
  literal?: boolean;
  /** Lines before and after each match. */
  context?: number;
  limit?: number;
  [argument: string]: unknown;
}
/** `event.input` of `find`. */
export interface FindToolInput {
  /** A glob. */
  pattern: string;
  path?: string;
  limit?: number;
  [argument: string]: unknown;
}
/** `event.input` of `ls`. */
export interface LsToolInput {
  path?: string;
  limit?: number;
  [argument: string]: unknown;
}

/** `details` of a `bash` result; undefined when nothing was cut and the command has ended. */
export interface BashToolDetails {
  truncation?: TruncationResult;
  /** File with the whole output. */
  fullOutputPath?: string;
  /**
   * The user let the command run on: the result has its output so far. No other `tool_result` follows; a message of the type
   * `hookline.commandEnd` says how it ended.
   */
  stillRunning?: true;
}
/** `details` of a `powershell` result; undefined when nothing was cut. */
export type PowerShellToolDetails = BashToolDetails;
/** `details` of a `read` result; undefined when nothing was cut and the model sees what was read. */
export interface ReadToolDetails {
  truncation?: TruncationResult;
  /** Id of the model that was selected when a picture was read, if it cannot see pictures. */
  imageUnsupportedByModel?: string;
}
/** `details` of an `edit` result. The description of v1 says `undefined`; its code already gave the diff. */
export interface EditToolDetails {
  diff: string;
  /** The change as a unified patch. */
  patch?: string;
  /** First changed line of the new file, 1-based. */
  firstChangedLine?: number;
}
/** `details` of a `grep` result; undefined when nothing was cut. */
export interface GrepToolDetails {
  truncation?: TruncationResult;
  matchLimitReached?: number;
  linesTruncated?: boolean;
}
/** `details` of a `find` result; undefined when nothing was cut. */
export interface FindToolDetails {
  truncation?: TruncationResult;
  resultLimitReached?: number;
}
/** `details` of an `ls` result; undefined when nothing was cut. */
export interface LsToolDetails {
  truncation?: TruncationResult;
  entryLimitReached?: number;
}

/** Arguments of the built-in tools, by name. */
export interface BuiltInToolInputs {
  bash: BashToolInput;
  powershell: PowerShellToolInput;
  read: ReadToolInput;
  edit: EditToolInput;
  write: WriteToolInput;
  grep: GrepToolInput;
  find: FindToolInput;
  ls: LsToolInput;
}

interface ToolCallBase {
  type: 'tool_call';
  /** The same in `tool_result` and in the messages. */
  toolCallId: string;
  /** The call whose tool makes this one with `ctx.executeTool`; absent: the model makes it. pi. */
  parentToolCallId?: string;
}
type BuiltInToolCall = {
  [N in keyof BuiltInToolInputs]: ToolCallBase & {
    toolName: N;
    /** Checked arguments. In v1, tree and ext a change made here is what the tool gets; omp hooks get a copy. */
    input: BuiltInToolInputs[N];
  };
}[keyof BuiltInToolInputs];

/** A call of a tool that a hook registered, or of a built-in one before its name was looked at. */
export interface CustomToolCallEvent extends ToolCallBase {
  toolName: string;
  input: Record<string, unknown>;
}

/**
 * Payload of `tool_call`: a tool is about to run. Return `{ block: true, reason }` to stop it; a handler that throws
 * also stops it.
 *
 * `isToolCallEventType('bash', event)` narrows `input` to the tool's own arguments.
 */
export type ToolCallEvent = BuiltInToolCall | CustomToolCallEvent;

interface ToolResultBase {
  type: 'tool_result';
  toolCallId: string;
  /** The call whose tool made this one. pi. */
  parentToolCallId?: string;
  /** The arguments the tool ran with. */
  input: Record<string, unknown>;
  /** What the model will read; return `{ content }` to replace it. */
  content: ContentPart[];
  /** `true` when the tool failed. v1, tree and omp hooks may look at failures but not change them. */
  isError: boolean;
  /** The result as data; gone once a hook replaces `content` alone. */
  structuredContent?: unknown;
  /** What models used while the tool ran. */
  usage?: Usage;
  /** The text parts of `content`, joined: the form of hooks older than v1. */
  readonly result: string;
}
export interface BashToolResultEvent extends ToolResultBase {
  toolName: 'bash';
  details: BashToolDetails | undefined;
}
export interface PowerShellToolResultEvent extends ToolResultBase {
  toolName: 'powershell';
  details: PowerShellToolDetails | undefined;
}
export interface ReadToolResultEvent extends ToolResultBase {
  toolName: 'read';
  details: ReadToolDetails | undefined;
}
export interface EditToolResultEvent extends ToolResultBase {
  toolName: 'edit';
  details: EditToolDetails | undefined;
}
export interface WriteToolResultEvent extends ToolResultBase {
  toolName: 'write';
  details: undefined;
}
export interface GrepToolResultEvent extends ToolResultBase {
  toolName: 'grep';
  details: GrepToolDetails | undefined;
}
export interface FindToolResultEvent extends ToolResultBase {
  toolName: 'find';
  details: FindToolDetails | undefined;
}
export interface LsToolResultEvent extends ToolResultBase {
  toolName: 'ls';
  details: LsToolDetails | undefined;
}
/** The result of a tool that a hook registered; narrow `details` with a guard of your own. */
export interface CustomToolResultEvent extends ToolResultBase {
  toolName: string;
  details: unknown;
}

/**
 * Payload of `tool_result`: a tool ran, the model has not read the result yet. Return `{ content }`, `{ details }` or
 * (ext) `{ isError }` to change it; the next handler sees the change.
 *
 * `isBashToolResult(event)` and its kin narrow `details`.
 */
export type ToolResultEvent =
  | BashToolResultEvent
  | PowerShellToolResultEvent
  | ReadToolResultEvent
  | EditToolResultEvent
  | WriteToolResultEvent
  | GrepToolResultEvent
  | FindToolResultEvent
  | LsToolResultEvent
  | CustomToolResultEvent;
