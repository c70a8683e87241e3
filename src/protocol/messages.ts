import { Changes, ChangesToHost, FileDiff } from './panels/changes';
import { ChatItem, ErrorHelp, Image, NestedLine, NoticeCommand, ToolState } from './items/chat-item';
import { ComposerToHost, ComposerToPage, Delivery, TextFile } from './composer/composer';
import { EditorChipsToHost, EditorChipsToPage } from './composer/editor-chip';
import {
  either,
  boolean,
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
} from './base/shape';
import { ContextBreakdown, ContextToHost } from './panels/context';
import { ComponentToHost, ComponentToPage } from './items/hook-component';
import { CommandsToHost, RunningRow } from './panels/running-commands';
import { Todos } from './panels/todos';

const amounts = { input: number, output: number, cacheRead: number, cacheWrite: number };

/**
 * How the row that shows that the agent works looks. `hidden`: there is no row. `frames` follow each other as its sign:
 * absent for the usual sign, empty for none.
 */
export const WorkingIndicator = object({ hidden: boolean, frames: optional(list(text)), intervalMs: number });
export type WorkingIndicator = Of<typeof WorkingIndicator>;

/** What the agent is doing, for the header and the composer. */
export const RunStatus = object({
  phase: tagged('type', {
    idle: {},
    /** `silentSince` is set when the model has sent nothing for long: since when, in ms since 1970. */
    running: { message: text, silentSince: optional(number) },
    /** The run waits for the user's answer; `message` says for which, if a hook told. */
    asking: { message: text },
    compacting: {},
    retrying: { attempt: number, maxAttempts: number, at: number, error: text },
  }),
  /** How a hook changed the row that shows that the agent works; absent when none did. */
  indicator: optional(WorkingIndicator),
  /** The label that a hook set for folded thoughts; absent for the usual one. */
  thinkingLabel: optional(text),
  /** Set when hooks complete typed text: the characters that begin a word which they complete. */
  completes: optional(text),
  /** Name of the model as shown; empty when none is chosen. */
  model: text,
  /** True for the built-in demo model, which the page labels as such. */
  demo: boolean,
  /** `locked`: the mode cannot be changed, as the folder is not trusted. Absent: only hooks decide about tool calls. */
  approvals: optional(object({ mode: oneOf('ask', 'edits', 'auto', 'plan'), locked: boolean })),
  thinkingLevel: text,
  thinkingLevels: list(text),
  /** Name of the session, or the beginning of its first message; empty for a new session. */
  title: text,
  /** Title that a hook set for the chat. */
  hookTitle: optional(text),
  context: optional(
    object({
      /** Null right after a compaction, when the number is not known yet. */
      tokens: nullable(number),
      /** How many tokens the model accepts. */
      window: number,
      estimated: boolean,
      /** Number of tokens beyond which the conversation is compacted automatically; absent when it never is. */
      compactsAt: optional(number),
    }),
  ),
  /** US dollars spent in this session; absent when unknown. */
  cost: optional(number),
  /** What the answers of this session used, in tokens and US dollars; absent before the first answer. */
  usage: optional(
    object({
      ...amounts,
      cost: object({ ...amounts, total: number }),
      answers: number,
      /** Some numbers are estimates, because a provider sent none. */
      estimated: boolean,
      /** Earlier answers of a long session are not counted. */
      partial: boolean,
    }),
  ),
  /**
   * Number of hooks by state. `broken`: the file does not load, and its last good version runs. `live` includes those of
   * `waiting` whose approved version runs.
   */
  hooks: object({
    live: number,
    broken: number,
    failed: number,
    stopped: number,
    heldBack: number,
    waiting: number,
  }),
  /** The texts that hooks set with `setStatus`, sorted by key. */
  hookStatus: list(text),
});
export type RunStatus = Of<typeof RunStatus>;

export const SlashCommand = object({
  name: text,
  description: text,
  source: oneOf('built-in', 'hook', 'prompt', 'skill'),
});
export type SlashCommand = Of<typeof SlashCommand>;

/** `asking`: a hook waits for the user. `unread`, `failed`: a run has ended since the conversation was last shown. */
export const ConversationState = oneOf('idle', 'running', 'asking', 'unread', 'failed');
export type ConversationState = Of<typeof ConversationState>;

/** A conversation that is open in the window. */
export const ConversationTab = object({
  id: text,
  /** Name of its session, or the beginning of its first message; empty for a new session. */
  title: text,
  state: ConversationState,
  /** The side bar shows this conversation. */
  shown: boolean,
});
export type ConversationTab = Of<typeof ConversationTab>;

/** The first visible item and its distance from the top edge, in pixels. */
export const ScrollPlace = object({ id: text, offset: number });
export type ScrollPlace = Of<typeof ScrollPlace>;

/** What the user has typed as the answer to a question so far; `id` is that of its card. It may be a secret. */
export const TypedAnswer = object({
  id: text,
  text,
  /** Title of the editor tab in which the user edits the text. While it is open, the card has no field of its own. */
  tab: optional(text),
});
export type TypedAnswer = Of<typeof TypedAnswer>;

/** A sent message that the user is editing. */
export const EditedMessage = object({
  /** Id of its entry in the session. */
  entry: text,
  /** The text as it was sent. */
  was: text,
  /** How many files the agent has changed since then; absent when there are none. */
  files: optional(number),
});
export type EditedMessage = Of<typeof EditedMessage>;

/** A part of an item that contains the search text. Lists are in the order of the conversation. */
export const FoundItem = object({
  id: text,
  /** The part of the item, which may be folded: see `searchableParts`. */
  part: text,
  /** How often the part contains the text. */
  count: number,
});
export type FoundItem = Of<typeof FoundItem>;

/** Where a command brings the user in a page; `composer` means a component of a hook that is in its place as well. */
export const PageStep = oneOf('composer', 'nextMessage', 'previousMessage', 'find', 'context');
export type PageStep = Of<typeof PageStep>;

/** The changes that a conversation reports. When they are sent, each also has a `revision`. */
export const ChatChange = {
  /** Adds the item, or replaces the one with its id. */
  item: { item: ChatItem },
  remove: { id: text },
  /** Appends to a block of an assistant item; creates it from `blockType` and `startedAt` if it is the next one. */
  text: {
    id: text,
    block: number,
    blockType: oneOf('text', 'thinking'),
    append: text,
    startedAt: optional(number),
  },
  /** A `thinking` block has ended. */
  thought: { id: text, block: number, durationMs: number },
  /** Changes the shown text of a block where hooks change texts: the first `keep` characters stay, `append` follows. */
  displayText: { id: text, block: number, keep: number, append: text },
  /** Appends to the output of a tool or bash item; with `reset`, replaces it. */
  output: { id: text, append: text, reset: boolean },
  toolState: { id: text, state: ToolState },
  /** Adds a line to the nested calls of a tool item, or replaces the line with its id. */
  nestedCall: { id: text, call: NestedLine },
  status: { status: RunStatus },
  commands: { commands: list(SlashCommand) },
  /**
   * Puts text into the composer: the message of a branch, the text of a hook's setEditorText or pasteToEditor, or a
   * message that could not be sent.
   */
  composer: {
    text,
    /** `before`: the text goes in front of what is typed, which the host may not know yet. `insert`: at the cursor. */
    mode: oneOf('replace', 'before', 'insert'),
    /** The images and files are put before those already attached; with `onlyThese`, they replace them. */
    images: optional(list(Image)),
    files: optional(list(TextFile)),
    onlyThese: optional(literal(true)),
    /** The sent message that the text replaces; null when it replaces none. When absent, this does not change. */
    editing: optional(nullable(EditedMessage)),
    /** The text of the draft as the host has it after this change. */
    draft: text,
  },
  /** The draft was changed, but not by this page: another page shows the conversation, too. What is absent did not change. */
  draft: {
    text: optional(text),
    images: optional(list(Image)),
    files: optional(list(TextFile)),
    /** Null: the text does not replace a sent message any more. */
    editing: optional(nullable(EditedMessage)),
  },
  /** Brings an item into view and gives it the focus. */
  reveal: { id: text },
  changes: { changes: Changes },
  /** All commands that run on after their calls. */
  runningCommands: { running: list(RunningRow) },
  fileDiff: { diff: FileDiff },
  todos: { todos: Todos },
};
export type ChatChange = MessageOf<typeof ChatChange>;

const Numbered = numbered({
  ...ChatChange,
  /** Items to put before those that the page has; `earlier` is how many items are before these. */
  earlier: { items: list(ChatItem), earlier: number },
});
/** A change of the conversation. The page applies a change only if its `revision` is the next one. */
export type NumberedChange = MessageOf<typeof Numbered>;

/**
 * Host to page. The first message after `ready` is a snapshot; all later ones are changes. `revision` increases by one
 * with each change: a page that misses one asks for a new snapshot with `ready`.
 */
export const HostToWebview = {
  snapshot: {
    revision: number,
    conversation: text,
    /** The end of the conversation; the items before are sent when the page asks for them with `earlier`. */
    items: list(ChatItem),
    /** How many items are before these. */
    earlier: number,
    status: RunStatus,
    commands: list(SlashCommand),
    draft: text,
    /** Images attached to the draft. */
    attachments: optional(list(Image)),
    /** Texts attached to the draft. */
    files: optional(list(TextFile)),
    /** Absent when there are none. */
    changes: optional(Changes),
    /** Absent when there are none. */
    running: optional(list(RunningRow)),
    /** Absent when there are none. */
    todos: optional(Todos),
    editing: optional(EditedMessage),
    /** Where the page was scrolled to; absent when it was at the end. */
    scroll: optional(ScrollPlace),
    /** What was typed as answers to questions that still wait. */
    typed: optional(list(TypedAnswer)),
  },
  ...Numbered,
  ...ComposerToPage,
  /** What was typed elsewhere as the answer to a question: in a box of VS Code or in an editor tab. */
  typed: { typed: TypedAnswer },
  /** The answer to `find`. */
  found: { request: number, matches: list(FoundItem) },
  /** The answer to `loadContext`; `conversation` as in the snapshot. */
  context: { conversation: text, context: ContextBreakdown },
  /** The user ran a command that moves within the page, or opens its search or the breakdown of the context. */
  navigate: { to: PageStep },
  /** All conversations of the window. The message belongs to none of them and is therefore not numbered. */
  conversations: { conversations: list(ConversationTab) },
  ...EditorChipsToPage,
  ...ComponentToPage,
};
export type HostToWebview = MessageOf<typeof HostToWebview>;

/** Page to host. */
export const WebviewToHost = {
  ready: {},
  /** The page got or lost the keyboard focus. */
  focused: { focused: boolean },
  /** Asks for items before those that the page has: the next few, or with `through`, all back to that item. */
  earlier: { through: optional(text) },
  find: { request: number, text, matchCase: boolean },
  submit: {
    text,
    delivery: Delivery,
    images: list(Image),
    files: optional(list(TextFile)),
    /** Id of the entry of the message that the text replaces. */
    edits: optional(text),
    /** Files are to be brought back to before that message as well. */
    restoresFiles: optional(literal(true)),
    /** `conversation` of the snapshot that the page has drawn; when absent, the conversation that the page shows is meant. */
    conversation: optional(text),
  },
  stop: {},
  /** Repeats the request to which the model does not answer. */
  askAgain: {},
  /**
   * `was` is the draft that the page changed: one that it got from the host, or sent before. If the host has another one by
   * now, both changes count. `ofEarlierPage`: an earlier page wrote the text, and it replaces only `was`.
   */
  draft: { text, conversation: text, was: text, ofEarlierPage: optional(literal(true)) },
  /** Everything that is attached to the draft now. */
  attachments: { images: list(Image), files: optional(list(TextFile)), conversation: text },
  /** When `scroll` is absent, the page is at the end and follows it. */
  scrolled: { conversation: text, scroll: optional(ScrollPlace) },
  showConversation: { id: text },
  closeConversation: { id: text },
  /** Opens a new conversation; the open ones stay open. */
  newConversation: {},
  /** Begins to edit a sent message; `id` is that of its item. */
  editMessage: { id: text },
  cancelEdit: {},
  /** Shows the branch that continues from another version of a sent message; `id` is that of its item. */
  /** Answers the message again that an answer answers, as another version of it. */
  answerAgain: { id: text },
  showVersion: { id: text, by: oneOf('previous', 'next') },
  newSession: {},
  resumeSession: {},
  pickModel: {},
  showHooks: {},
  setThinkingLevel: { level: text },
  setApprovalMode: { mode: oneOf('ask', 'edits', 'auto', 'plan') },
  notice: { id: text, command: NoticeCommand },
  /** Lets the model continue where a run was stopped or interrupted. */
  continueRun: {},
  /** The user chose `help` for an answer that failed; `id` is that of its item. */
  help: { id: text, help: ErrorHelp },
  /** `answer` is a boolean for `confirm` and a text for the other kinds; absent when the user cancelled. */
  answer: { id: text, answer: optional(either(text, boolean)) },
  /** The user has changed the text on the card of a question. */
  typed: { id: text, text },
  /** Opens the editor tab in which the user can edit the answer to the open question, or brings it to the front. */
  showAnswerTab: {},
  /** Answers a question with the text in its editor tab. */
  answerFromTab: { id: text },
  /** Opens VS Code's diff of the write about which this question is, if it is the one that is open. */
  showWriteDiff: { id: text },
  /** Answers no to a hook's question about a tool call and sends `message` to the model as the reason. */
  deny: { id: text, message: text },
  /** Runs a tool call once more; `id` is that of its item. */
  runAgain: { id: text },
  /** Shows a file in the explorer. */
  revealFile: { path: text },
  /** Puts a command into a terminal without running it. */
  openTerminal: { command: text },
  openFile: { path: text, line: optional(number), column: optional(number) },
  openLink: { href: text },
  openText: { text, language: text },
  /** Opens Mermaid source as a picture. */
  openDiagram: { text },
  /** Opens a plan, which is Markdown, as a preview in an editor. */
  openPlan: { text },
  /** Opens code of an answer as a change of a file; `path` is a path that the answer has near the code. */
  applyCode: { text, language: text, path: optional(text) },
  insertAtCursor: { text },
  copy: { text },
  showDiff: { id: text },
  branchFrom: { id: text },
  ...ComposerToHost,
  ...EditorChipsToHost,
  ...ChangesToHost,
  ...CommandsToHost,
  ...ContextToHost,
  ...ComponentToHost,
};
export type WebviewToHost = MessageOf<typeof WebviewToHost>;

export const readHostMessage = messageReader(HostToWebview);
export const readPageMessage = messageReader(WebviewToHost);

/** Adds a `revision` to each of the messages. */
function numbered<V extends Readonly<Record<string, Members>>>(
  changes: V,
): { readonly [N in keyof V]: V[N] & { readonly revision: typeof number } } {
  const entries = Object.entries(changes).map(([type, members]) => [type, { revision: number, ...members }]);
  return Object.fromEntries(entries) as { readonly [N in keyof V]: V[N] & { readonly revision: typeof number } };
}
