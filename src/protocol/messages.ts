import { Changes, ChangesToHost, FileDiff } from './changes';
import { ChatItem, ErrorHelp, Image, NestedLine, ToolState } from './chat-item';
import { ComposerToHost, ComposerToPage, Delivery, TextFile } from './composer';
import {
  either,
  flag,
  list,
  literal,
  messageReader,
  nullable,
  number,
  object,
  oneOf,
  optional,
  tagged,
  text,
  type Members,
  type MessageOf,
  type Of,
} from './shape';
import { ComponentToHost, ComponentToPage } from './hook-component';

const amounts = { input: number, output: number, cacheRead: number, cacheWrite: number };

/** Pictures of the working row, one after the other in turn. None: the row has no picture; `hidden`: no row at all. */
export const WorkingIndicator = object({ hidden: flag, frames: optional(list(text)), intervalMs: number });
export type WorkingIndicator = Of<typeof WorkingIndicator>;

/** What the agent is doing, for the header and the composer. */
export const RunStatus = object({
  phase: tagged('type', {
    idle: {},
    /** `silentSince`: the model says nothing for long, ms since 1970. */
    running: { message: text, silentSince: optional(number) },
    compacting: {},
    retrying: { attempt: number, maxAttempts: number, at: number, error: text },
  }),
  /** What a hook made of the row that says that the agent works; absent: as usual. */
  indicator: optional(WorkingIndicator),
  /** What a hook calls folded thoughts; absent: the usual words. */
  thinkingLabel: optional(text),
  /** Hooks complete what is typed: characters that begin a word of theirs. Absent: none does. */
  completes: optional(text),
  /** Name of the model as shown; empty when none is chosen. */
  model: text,
  /** True for the embedded demo model: the page labels it. */
  demo: flag,
  /** Who decides about tool calls; `locked`: it cannot be changed, as the folder is not trusted. Absent: hooks alone. */
  approvals: optional(object({ mode: oneOf('ask', 'auto', 'plan'), locked: flag })),
  thinkingLevel: text,
  thinkingLevels: list(text),
  /** Name of the session, or how its first message begins; empty for a new one. */
  title: text,
  /** What a hook calls the chat; absent: nothing. */
  hookTitle: optional(text),
  context: optional(
    object({
      /** Null right after a compaction. */
      tokens: nullable(number),
      /** How many the model takes. */
      window: number,
      estimated: flag,
      /** Tokens beyond which the conversation is summarized by itself; absent: never. */
      compactsAt: optional(number),
    }),
  ),
  /** US dollars spent in this session; absent when unknown. */
  cost: optional(number),
  /** What the answers of this session used, in tokens and US dollars; absent before the first one. */
  usage: optional(
    object({
      ...amounts,
      cost: object({ ...amounts, total: number }),
      answers: number,
      /** Some of it was guessed, because the provider gave no numbers. */
      estimated: flag,
      /** Earlier answers of a long session are not in it. */
      partial: flag,
    }),
  ),
  /** `outdated`: those of `live` whose file does not load, so that their last version runs on. */
  hooks: object({ live: number, outdated: number, broken: number, heldBack: number, waiting: number }),
  /** Texts set by hooks with `setStatus`, sorted by key. */
  hookStatus: list(text),
});
export type RunStatus = Of<typeof RunStatus>;

export const SlashCommand = object({
  name: text,
  description: text,
  source: oneOf('built-in', 'hook', 'prompt', 'skill'),
});
export type SlashCommand = Of<typeof SlashCommand>;

/** `asking`: a hook waits for the user. `unread`, `failed`: its run has ended since it was last shown. */
export const ConversationState = oneOf('idle', 'running', 'asking', 'unread', 'failed');
export type ConversationState = Of<typeof ConversationState>;

/** One of the conversations that are open in the window. */
export const ConversationTab = object({
  id: text,
  /** Name of its session, or how its first message begins; empty for a new one. */
  title: text,
  state: ConversationState,
  /** It is the one that pages show. */
  shown: flag,
});
export type ConversationTab = Of<typeof ConversationTab>;

/** First visible item and its distance in px from the top edge. */
export const ScrollPlace = object({ id: text, offset: number });
export type ScrollPlace = Of<typeof ScrollPlace>;

/** A sent message that is being edited. */
export const EditedMessage = object({
  /** Its entry in the session. */
  entry: text,
  /** As it was sent. */
  was: text,
  /** How many files the agent changed since; absent: none. */
  files: optional(number),
});
export type EditedMessage = Of<typeof EditedMessage>;

/** Where a search text stands: in order of the conversation, one entry per part of an item that holds it. */
export const FoundItem = object({
  id: text,
  /** Part of the item that may be folded: see `searchableParts`. */
  part: text,
  /** How often. */
  count: number,
});
export type FoundItem = Of<typeof FoundItem>;

export const PageStep = oneOf('nextMessage', 'previousMessage', 'find');
export type PageStep = Of<typeof PageStep>;

/** Changes of a conversation as it reports them. Sent, each has a `revision` beside these members. */
export const ChatChange = {
  /** Adds the item, or replaces the one with its id. */
  item: { item: ChatItem },
  remove: { id: text },
  /** Appends to block `block` of an assistant item, creating it with `blockType` and `startedAt` when it is the next one. */
  text: {
    id: text,
    block: number,
    blockType: oneOf('text', 'thinking'),
    append: text,
    startedAt: optional(number),
  },
  /** A block of thoughts has ended. */
  thought: { id: text, block: number, durationMs: number },
  /** What is shown of a block, where hooks change texts: the first `keep` characters stay, `append` follows. */
  shown: { id: text, block: number, keep: number, append: text },
  /** Appends to a tool or bash item's output; `reset` replaces what was there. */
  output: { id: text, append: text, reset: flag },
  toolState: { id: text, state: ToolState },
  /** Adds a line to a tool item's calls, or replaces the one of its id. */
  nestedCall: { id: text, call: NestedLine },
  status: { status: RunStatus },
  commands: { commands: list(SlashCommand) },
  /** Puts text into the composer: a branch's message, a hook's setEditorText or pasteToEditor, what was not sent. */
  composer: {
    text,
    mode: oneOf('replace', 'insert'),
    /** Come before those that are attached already, or take their place. */
    images: optional(list(Image)),
    files: optional(list(TextFile)),
    onlyThese: optional(literal(true)),
    /** The text is to take the place of a sent message; null: it is not. Absent: as before. */
    editing: optional(nullable(EditedMessage)),
  },
  focusComposer: {},
  /** Brings an item into view and gives it the focus. */
  reveal: { id: text },
  changes: { changes: Changes },
  fileDiff: { diff: FileDiff },
};
export type ChatChange = MessageOf<typeof ChatChange>;

const Numbered = numbered({
  ...ChatChange,
  /** Comes before the items that the page has; `earlier` are left. */
  earlier: { items: list(ChatItem), earlier: number },
});
/** A change of the conversation in its order; only the next in line counts. */
export type NumberedChange = MessageOf<typeof Numbered>;

/**
 * Host to page. The first message after `ready` is a snapshot; all later ones are changes. `revision` counts up by
 * one per message after the snapshot: a page that misses one asks for a new snapshot with `ready`.
 */
export const HostToWebview = {
  snapshot: {
    revision: number,
    conversation: text,
    /** The end of the conversation; what comes before is sent when the page asks for it with `earlier`. */
    items: list(ChatItem),
    /** How many items there are before these. */
    earlier: number,
    status: RunStatus,
    commands: list(SlashCommand),
    draft: text,
    /** Images attached to the draft. */
    attachments: optional(list(Image)),
    /** Texts attached to the draft. */
    files: optional(list(TextFile)),
    /** Absent: none. */
    changes: optional(Changes),
    editing: optional(EditedMessage),
    /** Where a page was scrolled to; absent: at the end. */
    scroll: optional(ScrollPlace),
  },
  ...Numbered,
  ...ComposerToPage,
  /** The answer to `find`. */
  found: { request: number, matches: list(FoundItem) },
  /** A command of the user that is about the page itself. */
  go: { to: PageStep },
  /** All conversations of the window; no part of one, and therefore not numbered. */
  conversations: { conversations: list(ConversationTab) },
  ...ComponentToPage,
};
export type HostToWebview = MessageOf<typeof HostToWebview>;

/** Page to host. */
export const WebviewToHost = {
  ready: {},
  /** The page has the keyboard, or has it no more. */
  focused: { focused: flag },
  /** Wants items before those it has: the next page of them, or all up to and with one item. */
  earlier: { through: optional(text) },
  find: { request: number, text, matchCase: flag },
  submit: {
    text,
    delivery: Delivery,
    images: list(Image),
    files: optional(list(TextFile)),
    /** Entry of the message whose place the text takes. */
    edits: optional(text),
    /** Files go back to before that message, too. */
    restoresFiles: optional(literal(true)),
    /** `conversation` of the snapshot that the page has drawn; absent: the one that is shown. */
    conversation: optional(text),
  },
  stop: {},
  /** Makes the request once more to which the model says nothing. */
  askAgain: {},
  draft: { text, conversation: optional(text) },
  /** What is attached to the draft now. */
  attachments: { images: list(Image), files: optional(list(TextFile)), conversation: optional(text) },
  /** Without a place: the page follows the end. */
  scrolled: { conversation: text, scroll: optional(ScrollPlace) },
  showConversation: { id: text },
  closeConversation: { id: text },
  /** Beside those that are open. */
  newConversation: {},
  /** Opens a drawn message of the user for editing. */
  editMessage: { id: text },
  cancelEdit: {},
  /** Shows what became of another version of a drawn message of the user. */
  showVersion: { id: text, by: oneOf('previous', 'next') },
  newSession: {},
  resumeSession: {},
  pickModel: {},
  showHooks: {},
  setThinkingLevel: { level: text },
  setApprovalMode: { mode: oneOf('ask', 'auto', 'plan') },
  notice: { id: text },
  /** Lets the model go on where a run was stopped or interrupted. */
  continueRun: {},
  /** Does what helps against the failure of an answer; the id of its item. */
  help: { id: text, help: ErrorHelp },
  /** True or false for `confirm`, a text for the other kinds; absent: cancelled. */
  answer: { id: text, answer: optional(either(text, flag)) },
  /** Denies what a hook asks about a tool call, and lets the model know why. */
  deny: { id: text, message: text },
  /** Runs a tool call once more; the id of its item. */
  runAgain: { id: text },
  /** Shows a file in the explorer. */
  revealFile: { path: text },
  /** Puts a command into a terminal, without running it. */
  openTerminal: { command: text },
  openFile: { path: text, line: optional(number), column: optional(number) },
  openLink: { href: text },
  openText: { text, language: text },
  /** Mermaid source, to be shown as a picture. */
  openDiagram: { text },
  /** Code of an answer, to be shown as a change of a file; `path` is what is written near it. */
  applyCode: { text, language: text, path: optional(text) },
  insertAtCursor: { text },
  copy: { text },
  showDiff: { id: text },
  branchFrom: { id: text },
  ...ComposerToHost,
  ...ChangesToHost,
  ...ComponentToHost,
};
export type WebviewToHost = MessageOf<typeof WebviewToHost>;

export const readHostMessage = messageReader(HostToWebview);
export const readPageMessage = messageReader(WebviewToHost);

/** The same messages with a `revision`. */
function numbered<V extends Readonly<Record<string, Members>>>(
  changes: V,
): { readonly [N in keyof V]: V[N] & { readonly revision: typeof number } } {
  const entries = Object.entries(changes).map(([type, members]) => [type, { revision: number, ...members }]);
  return Object.fromEntries(entries) as { readonly [N in keyof V]: V[N] & { readonly revision: typeof number } };
}
