import type { Changes, ChangesToHost, FileDiff } from './changes';
import type { ChatItem, ImageRef, ToolState } from './chat-item';
import type { ComposerToHost, ComposerToPage, TextFile } from './composer';
import type { SurfaceToHost, SurfaceToPage } from './surface';

/** What the agent is doing, for the header and the composer. */
export interface RunStatus {
  readonly phase:
    | { readonly type: 'idle' }
    | { readonly type: 'running'; readonly message: string }
    | { readonly type: 'compacting' }
    | {
        readonly type: 'retrying';
        readonly attempt: number;
        readonly maxAttempts: number;
        readonly at: number;
        readonly error: string;
      };
  /** Name of the model as shown; empty when none is chosen. */
  readonly model: string;
  /** True for the embedded demo model: the page labels it. */
  readonly demo: boolean;
  readonly thinkingLevel: string;
  readonly thinkingLevels: readonly string[];
  /** Name of the session, or how its first message begins; empty for a new one. */
  readonly title: string;
  /** Tokens in context (null right after a compaction) and the window's size. */
  readonly context?: {
    readonly tokens: number | null;
    readonly window: number;
    readonly estimated: boolean;
    /** Tokens beyond which the conversation is summarised by itself; absent: never. */
    readonly compactsAt?: number;
  };
  /** US dollars spent in this session; absent when unknown. */
  readonly cost?: number;
  /** What the answers of this session used, in tokens and US dollars; absent before the first one. */
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly cost: {
      readonly input: number;
      readonly output: number;
      readonly cacheRead: number;
      readonly cacheWrite: number;
      readonly total: number;
    };
    readonly answers: number;
    /** Some of it was guessed, because the provider gave no numbers. */
    readonly estimated: boolean;
    /** Earlier answers of a long session are not in it. */
    readonly partial: boolean;
  };
  readonly hooks: {
    readonly live: number;
    readonly broken: number;
    readonly heldBack: number;
    readonly waiting: number;
  };
  /** Texts set by hooks with `setStatus`, sorted by key. */
  readonly hookStatus: readonly string[];
  /** Why nothing can be sent, when so (read-only session, no folder). */
  readonly blocked?: string;
}

export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  readonly source: 'built-in' | 'hook' | 'prompt' | 'skill';
}

/**
 * Host to page. The first message after `ready` is a snapshot; all later ones are changes. `revision` counts up by
 * one per message after the snapshot: a page that misses one asks for a new snapshot with `ready`.
 */
export type HostToWebview =
  | {
      readonly type: 'snapshot';
      readonly revision: number;
      readonly conversation: string;
      /** The end of the conversation; what comes before is sent when the page asks for it with `earlier`. */
      readonly items: readonly ChatItem[];
      /** How many items there are before these. */
      readonly earlier: number;
      readonly status: RunStatus;
      readonly commands: readonly SlashCommand[];
      readonly draft: string;
      /** Images attached to the draft. */
      readonly attachments?: readonly ImageRef[];
      /** Texts attached to the draft. */
      readonly files?: readonly TextFile[];
      /** Absent: none. */
      readonly changes?: Changes;
      readonly editing?: EditedMessage;
      /** Where a page was scrolled to; absent: at the end. */
      readonly scroll?: ScrollPlace;
    }
  /** Comes before the items that the page has; `earlier` are left. */
  | {
      readonly type: 'earlier';
      readonly revision: number;
      readonly items: readonly ChatItem[];
      readonly earlier: number;
    }
  /** Adds the item, or replaces the one with its id. */
  | { readonly type: 'item'; readonly revision: number; readonly item: ChatItem }
  | { readonly type: 'remove'; readonly revision: number; readonly id: string }
  /** Appends to block `block` of an assistant item, creating it with `blockType` when it is the next one. */
  | {
      readonly type: 'text';
      readonly revision: number;
      readonly id: string;
      readonly block: number;
      readonly blockType: 'text' | 'thinking';
      readonly append: string;
    }
  /** Appends to a tool or bash item's output; `reset` replaces what stood there. */
  | {
      readonly type: 'output';
      readonly revision: number;
      readonly id: string;
      readonly append: string;
      readonly reset: boolean;
    }
  | { readonly type: 'toolState'; readonly revision: number; readonly id: string; readonly state: ToolState }
  | { readonly type: 'status'; readonly revision: number; readonly status: RunStatus }
  | { readonly type: 'commands'; readonly revision: number; readonly commands: readonly SlashCommand[] }
  /** Puts text into the composer: a branch's message, a hook's setEditorText or pasteToEditor, what was not sent. */
  | {
      readonly type: 'composer';
      readonly revision: number;
      readonly text: string;
      readonly mode: 'replace' | 'insert';
      /** Come before those that are attached already, or take their place. */
      readonly images?: readonly ImageRef[];
      readonly files?: readonly TextFile[];
      readonly onlyThese?: true;
      /** The text is to take the place of a sent message; null: it is not. Absent: as before. */
      readonly editing?: EditedMessage | null;
    }
  | { readonly type: 'focusComposer'; readonly revision: number }
  /** Brings an item into view and gives it the focus. */
  | { readonly type: 'reveal'; readonly revision: number; readonly id: string }
  | ComposerToPage
  /** The answer to `find`. */
  | { readonly type: 'found'; readonly request: number; readonly matches: readonly FoundItem[] }
  /** A command of the person that is about the page itself. */
  | { readonly type: 'go'; readonly to: PageStep }
  | { readonly type: 'changes'; readonly revision: number; readonly changes: Changes }
  | { readonly type: 'fileDiff'; readonly revision: number; readonly diff: FileDiff }
  /** All conversations of the window; no part of one, and therefore not numbered. */
  | { readonly type: 'conversations'; readonly conversations: readonly ConversationTab[] }
  | SurfaceToPage;

/** One of the conversations that are open in the window. */
export interface ConversationTab {
  readonly id: string;
  /** Name of its session, or how its first message begins; empty for a new one. */
  readonly title: string;
  readonly state: ConversationState;
  /** It is the one that pages show. */
  readonly shown: boolean;
}

/** `asking`: a hook waits for the person. `unread`, `failed`: its run has ended since it was last shown. */
export type ConversationState = 'idle' | 'running' | 'asking' | 'unread' | 'failed';

/** First visible item and its distance in px from the top edge. */
export interface ScrollPlace {
  readonly id: string;
  readonly offset: number;
}

/** A sent message that is being edited. */
export interface EditedMessage {
  /** Its entry in the session. */
  readonly entry: string;
  /** As it was sent. */
  readonly was: string;
}

/** Where a search text stands: in order of the conversation, one entry per part of an item that holds it. */
export interface FoundItem {
  readonly id: string;
  /** Part of the item that may be folded: see `searchableParts`. */
  readonly part: string;
  /** How often. */
  readonly count: number;
}

export type PageStep = 'nextMessage' | 'previousMessage' | 'find';

/** A change of the conversation in its order; only the next in line counts. */
export type NumberedChange = Exclude<Extract<HostToWebview, { readonly revision: number }>, { type: 'snapshot' }>;

/** A change as the conversation reports it; the controller adds the revision. */
export type ChatChange = WithoutRevision<Exclude<NumberedChange, { type: 'earlier' }>>;
type WithoutRevision<T> = T extends unknown ? Omit<T, 'revision'> : never;

/** How a submitted text is delivered while the agent is running. */
export type Delivery = 'steer' | 'followUp';

/** Page to host. */
export type WebviewToHost =
  | { readonly type: 'ready' }
  /** The page has the keyboard, or has it no more. */
  | { readonly type: 'focused'; readonly focused: boolean }
  /** Wants items before those it has: the next page of them, or all up to and with one item. */
  | { readonly type: 'earlier'; readonly through?: string }
  | { readonly type: 'find'; readonly request: number; readonly text: string; readonly matchCase: boolean }
  | {
      readonly type: 'submit';
      readonly text: string;
      readonly delivery: Delivery;
      readonly images: readonly { mimeType: string; data: string }[];
      readonly files?: readonly TextFile[];
      /** Entry of the message whose place the text takes. */
      readonly edits?: string;
      /** `conversation` of the snapshot that the page has drawn; absent: the one that is shown. */
      readonly conversation?: string;
    }
  | { readonly type: 'stop' }
  | { readonly type: 'draft'; readonly text: string; readonly conversation?: string }
  /** What is attached to the draft now. */
  | {
      readonly type: 'attachments';
      readonly images: readonly { mimeType: string; data: string }[];
      readonly files?: readonly TextFile[];
      readonly conversation?: string;
    }
  /** Without a place: the page follows the end. */
  | { readonly type: 'scrolled'; readonly conversation: string; readonly scroll?: ScrollPlace }
  | { readonly type: 'showConversation'; readonly id: string }
  | { readonly type: 'closeConversation'; readonly id: string }
  /** Beside those that are open. */
  | { readonly type: 'newConversation' }
  /** Opens a drawn message of the user for editing. */
  | { readonly type: 'editMessage'; readonly id: string }
  | { readonly type: 'cancelEdit' }
  | { readonly type: 'newSession' }
  | { readonly type: 'resumeSession' }
  | { readonly type: 'pickModel' }
  | { readonly type: 'showHooks' }
  | { readonly type: 'setThinkingLevel'; readonly level: string }
  | { readonly type: 'notice'; readonly id: string }
  /** `answer` null cancels. For confirm the answers are "Yes" and "No". */
  | { readonly type: 'answer'; readonly id: string; readonly answer: string | null }
  /** Denies what a hook asks about a tool call, and lets the model know why. */
  | { readonly type: 'deny'; readonly id: string; readonly message: string }
  /** Runs a tool call once more; the id of its item. */
  | { readonly type: 'runAgain'; readonly id: string }
  /** Shows a file in the explorer. */
  | { readonly type: 'revealFile'; readonly path: string }
  /** Puts a command into a terminal, without running it. */
  | { readonly type: 'openTerminal'; readonly command: string }
  | { readonly type: 'openFile'; readonly path: string; readonly line?: number; readonly column?: number }
  | { readonly type: 'openLink'; readonly href: string }
  | { readonly type: 'openText'; readonly text: string; readonly language: string }
  /** Mermaid source, to be shown as a picture. */
  | { readonly type: 'openDiagram'; readonly text: string }
  /** Code of an answer, to be shown as a change of a file; `path` is what is written near it. */
  | { readonly type: 'applyCode'; readonly text: string; readonly language: string; readonly path?: string }
  | { readonly type: 'insertAtCursor'; readonly text: string }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'showDiff'; readonly id: string }
  | { readonly type: 'branchFrom'; readonly id: string }
  | ComposerToHost
  | ChangesToHost
  | SurfaceToHost;
