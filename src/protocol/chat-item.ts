/** The view model the chat draws: plain JSON, no model or session types. Every item has an id that never changes. */

/** Which hook did something, as the user sees it. */
export interface HookRef {
  /** Absolute path of the hook's entry file. */
  readonly path: string;
  /** File name, for display. */
  readonly name: string;
  /** 1-based line of the handler, when known. */
  readonly line?: number;
}

/** One handler's part in a decision, in the order in which handlers ran. */
export interface HookVerdict {
  readonly hook: HookRef;
  /** Event name as the hook registered it. */
  readonly event: string;
  readonly durationMs: number;
  readonly outcome: 'nothing' | 'allowed' | 'modified' | 'blocked' | 'failed' | 'late';
  /** Block reason, error text, or what was changed. */
  readonly detail?: string;
  /** What it made of the input or of the result, as line differences. */
  readonly changes?: readonly { readonly member: string; readonly diff: string }[];
  /** What it asked the person; no `answer` when the question was cancelled. */
  readonly asked?: readonly { readonly question: string; readonly answer?: string }[];
  /** It changed the input after the person had answered an earlier hook, who was not asked again. */
  readonly afterApproval?: true;
}

export interface ImageRef {
  readonly mimeType: string;
  /** base64, without a data-URL prefix */
  readonly data: string;
}

export interface UserItem {
  readonly kind: 'user';
  readonly id: string;
  readonly text: string;
  readonly images: readonly ImageRef[];
  /** Names of files and other texts that were sent along. */
  readonly attached?: readonly string[];
  /** `queued`: waits for the running turn (steer) or for the end of the run (followUp). */
  readonly state: 'sent' | 'steer' | 'followUp';
}

/** Blocks of an answer in their final order; `thinking` is shown folded. */
export interface AssistantBlock {
  readonly type: 'text' | 'thinking';
  readonly text: string;
}

export interface AssistantItem {
  readonly kind: 'assistant';
  readonly id: string;
  readonly blocks: readonly AssistantBlock[];
  /** Name of the model as shown, `Demo (offline)` included. */
  readonly model: string;
  readonly state: 'streaming' | 'done' | 'aborted' | 'error';
  /** What went wrong, when `state` is `error`. */
  readonly error?: string;
}

/** `durationMs` is how long the tool itself ran; absent: it never began, or nobody noted it. */
export type ToolState =
  | { readonly type: 'writing' }
  | { readonly type: 'checking'; readonly hook?: HookRef }
  | { readonly type: 'asking'; readonly hook: HookRef }
  | { readonly type: 'running'; readonly startedAt: number }
  | { readonly type: 'done'; readonly durationMs?: number }
  | { readonly type: 'failed'; readonly durationMs?: number }
  | { readonly type: 'blocked'; readonly by?: HookRef; readonly reason: string }
  | { readonly type: 'skipped'; readonly reason: string };

/** A file that a call changed. */
export interface TouchedFile {
  /** Absolute. */
  readonly path: string;
  readonly shown: string;
}

export interface ToolItem {
  readonly kind: 'tool';
  readonly id: string;
  readonly toolCallId: string;
  readonly name: string;
  /** The argument that matters: command, path, pattern. */
  readonly summary: string;
  /** All arguments as indented JSON, cut at 20,000 characters. */
  readonly args: string;
  /** The arguments as the model gave them, when hooks changed them since. */
  readonly modelArgs?: string;
  /** The person ran it. */
  readonly byUser?: true;
  readonly state: ToolState;
  /** Output so far, ANSI codes included, the last 50 KB. */
  readonly output: string;
  readonly images: readonly ImageRef[];
  /** Unified diff text for edits. */
  readonly diff?: string;
  /** File with the full output, when `output` was cut. */
  readonly fullOutputPath?: string;
  /** File the tool works on, absolute. */
  readonly path?: string;
  readonly verdicts: readonly HookVerdict[];
  /** All that is known of it is what the session says: not which hooks were asked, nor how long it took. */
  readonly unrecorded?: true;
  /** Files it changed, as far as that is known. */
  readonly touched?: readonly TouchedFile[];
  /** How the hook that offers the tool draws the call and its result. */
  readonly drawing?: Drawing;
}

/** What a hook draws for an item: terminal lines with escape sequences, made for the page's width. */
export interface Drawing {
  /** Of a call; `lines` are its result then, or empty before there is one. */
  readonly head?: readonly string[];
  readonly lines: readonly string[];
  /** Drawn with all there is to see. */
  readonly expanded: boolean;
}

/** Something that is neither user nor model: notifications of hooks, problems, session marks, summaries. */
export interface NoticeItem {
  readonly kind: 'notice';
  readonly id: string;
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
  /** Shown on request only (a summary, a stack). */
  readonly detail?: string;
  readonly hook?: HookRef;
  /** A place the notice is about; a click opens it. */
  readonly file?: { readonly path: string; readonly line?: number; readonly column?: number };
  /** A step the user can take now; the host maps the id to a command. */
  readonly action?: { readonly label: string; readonly command: NoticeCommand };
}

export type NoticeCommand =
  | 'setApiKey'
  | 'pickModel'
  | 'trustWorkspace'
  | 'openFolder'
  | 'showLog'
  | 'takeOverSession'
  | 'approveHooks'
  | 'getStarted';

/** A message a hook put into the conversation with `display: true`. */
export interface CustomItem {
  readonly kind: 'custom';
  readonly id: string;
  readonly customType: string;
  readonly text: string;
  /** How a hook draws it; the text is shown when absent. */
  readonly drawing?: Drawing;
}

/** A command the user ran with `!`. */
export interface BashItem {
  readonly kind: 'bash';
  readonly id: string;
  readonly command: string;
  readonly output: string;
  readonly exitCode?: number;
  readonly state: 'running' | 'done' | 'cancelled';
  /** `!!`: not sent to the model. */
  readonly hidden: boolean;
}

export type DialogKind =
  | { readonly type: 'select'; readonly options: readonly string[] }
  | { readonly type: 'confirm' }
  | { readonly type: 'input'; readonly placeholder: string }
  | { readonly type: 'editor'; readonly prefill: string };

/** A question of a hook, answerable here and in VS Code's own UI; the first answer wins. */
export interface GateItem {
  readonly kind: 'gate';
  readonly id: string;
  readonly hook: HookRef;
  /** Id of the tool item the question is about. */
  readonly toolItem?: string;
  readonly title: string;
  readonly message: string;
  readonly dialog: DialogKind;
  /** A denial may carry a message to the model: it is about a tool call. */
  readonly canDeny?: true;
  readonly state:
    | { readonly type: 'open' }
    | { readonly type: 'queued' }
    | { readonly type: 'answered'; readonly answer: string }
    | { readonly type: 'cancelled' };
}

export type ChatItem = UserItem | AssistantItem | ToolItem | NoticeItem | CustomItem | BashItem | GateItem;
