import { flag, list, literal, number, object, oneOf, optional, tagged, text, type Of } from './shape';

/** The view model the chat draws: plain JSON, no model or session types. Every item has an id that never changes. */

/** Which hook did something, as the user sees it. */
export const HookRef = object({
  /** Absolute path of the hook's entry file. */
  path: text,
  /** File name, for display. */
  name: text,
  /** 1-based line of the handler, when known. */
  line: optional(number),
});
export type HookRef = Of<typeof HookRef>;

/** Why the built-in gate let a call pass, or did not. */
export const ApprovalReason = tagged('by', {
  reading: {},
  hook: {},
  rule: { rule: text },
  session: { rule: text },
  person: { rule: optional(text) },
  auto: { hooks: flag },
  editor: {},
  plan: {},
  place: {},
  nobody: {},
});
export type ApprovalReason = Of<typeof ApprovalReason>;

/** One handler's part in a decision, in the order in which handlers ran. */
export const HookVerdict = object({
  hook: HookRef,
  /** Event name as the hook registered it. */
  event: text,
  durationMs: number,
  /** ms of it that waited for the user; absent: none */
  askedMs: optional(number),
  outcome: oneOf('nothing', 'allowed', 'modified', 'blocked', 'failed', 'late'),
  /** Block reason, error text, or what was changed. */
  detail: optional(text),
  /** What it made of the input or of the result, as line differences. */
  changes: optional(list(object({ member: text, diff: text }))),
  /** What it asked the user; no `answer` when the question was cancelled. */
  asked: optional(list(object({ question: text, answer: optional(text) }))),
  /** It changed the input after the user had answered an earlier hook, who was not asked again. */
  afterApproval: optional(literal(true)),
  /** Why the built-in gate decided; absent for other hooks. */
  approvalReason: optional(ApprovalReason),
});
export type HookVerdict = Of<typeof HookVerdict>;

/** An image as messages of the session hold it. */
export const Image = object({
  type: literal('image'),
  mimeType: text,
  /** base64, without a data-URL prefix */
  data: text,
});
export type Image = Of<typeof Image>;

/** `durationMs` is how long the tool itself ran; absent: it never began, or nobody noted it. */
export const ToolState = tagged('type', {
  writing: {},
  checking: { hook: optional(HookRef) },
  asking: { hook: HookRef },
  running: { startedAt: number },
  done: { durationMs: optional(number) },
  failed: { durationMs: optional(number) },
  blocked: { by: optional(HookRef), reason: text },
  skipped: { reason: text },
});
export type ToolState = Of<typeof ToolState>;

/** A call that a tool made itself, or one that it called. */
export const NestedLine = object({
  /** Id of the call. */
  id: text,
  name: text,
  icon: text,
  summary: text,
  /** 1 for calls of the tool whose card it is. */
  depth: number,
  state: ToolState,
  /** The error that the tool got instead of a result. */
  error: optional(text),
});
export type NestedLine = Of<typeof NestedLine>;

/** A file that a call changed. */
export const TouchedFile = object({
  /** Absolute. */
  path: text,
  shown: text,
});
export type TouchedFile = Of<typeof TouchedFile>;

/** What a hook draws for an item: terminal lines with escape sequences, made for the page's width. */
export const Drawing = object({
  /** The lines of a call; `lines` then has its result, or is empty before there is one. */
  head: optional(list(text)),
  lines: list(text),
  /** For a call: a hook draws the result, possibly with no line at all; absent: the result is shown as usual. */
  hasResult: optional(literal(true)),
  /** For a call: the drawing has its own frame. */
  unframed: optional(literal(true)),
  /** Drawn with all there is to see. */
  expanded: flag,
});
export type Drawing = Of<typeof Drawing>;

export const NoticeCommand = oneOf(
  'setApiKey',
  'pickModel',
  'trustWorkspace',
  'decideTrust',
  'chooseFolder',
  'openFolder',
  'showLog',
  'takeOverSession',
  'approveHooks',
  'runHookAgain',
  'getStarted',
  'logIn',
  'openSettings',
);
export type NoticeCommand = Of<typeof NoticeCommand>;

/** What helps against an answer that failed or was stopped; what an error says can always be copied. */
export const ErrorHelp = oneOf('continue', 'retry', 'compact', 'setApiKey', 'logIn', 'pickModel', 'openSettings');
export type ErrorHelp = Of<typeof ErrorHelp>;

export const DialogKind = tagged('type', {
  select: { options: list(text) },
  confirm: {},
  input: { placeholder: text },
  editor: { prefill: text },
});
export type DialogKind = Of<typeof DialogKind>;

export const ChatItem = tagged('kind', {
  user: {
    id: text,
    text,
    /** How hooks want the text shown, where they do. */
    shown: optional(text),
    images: list(Image),
    /** Names of files and other texts that were sent along. */
    attached: optional(list(text)),
    /** Where it was edited or sent again: which of how many versions this is, 1-based. */
    version: optional(object({ at: number, of: number })),
    /** A message that is not `sent` waits for the running turn (steer) or for the end of the run (followUp). */
    state: oneOf('sent', 'steer', 'followUp'),
  },
  assistant: {
    id: text,
    /** In their final order; `thinking` is shown folded. */
    blocks: list(
      object({
        type: oneOf('text', 'thinking'),
        text,
        shown: optional(text),
        /** When the model began to think, in ms since the epoch; absent when that was not observed. */
        startedAt: optional(number),
        /** How long the model thought, in ms; absent when the end was not observed. */
        durationMs: optional(number),
      }),
    ),
    /** Name of the model as shown, `Demo (offline)` included. */
    model: text,
    state: oneOf('streaming', 'done', 'aborted', 'error'),
    /** What went wrong, when `state` is `error`. */
    error: optional(text),
    /** What the user can do now about an answer that failed or was stopped, the most useful first. */
    help: optional(list(ErrorHelp)),
  },
  tool: {
    id: text,
    toolCallId: text,
    name: text,
    /** Name of a codicon. */
    icon: text,
    /** The argument that matters: command, path, pattern. */
    summary: text,
    summaryKind: oneOf('command', 'path', 'text'),
    /** All arguments as indented JSON, cut at 20,000 characters. */
    args: text,
    /** The arguments as the model gave them, when hooks changed them since. */
    modelArgs: optional(text),
    /** The user ran it. */
    byUser: optional(literal(true)),
    state: ToolState,
    /** Output so far, ANSI codes included, the last 50 KB. */
    output: text,
    images: list(Image),
    /** Unified diff text for edits. */
    diff: optional(text),
    /** What a call writes as the whole of its file, cut at 20,000 characters. */
    content: optional(text),
    /** File with the full output, when `output` was cut. */
    fullOutputPath: optional(text),
    /** File the tool works on, absolute. */
    path: optional(text),
    /** That file is the one that the call changes. */
    changesPath: optional(literal(true)),
    verdicts: list(HookVerdict),
    /** All that is known of it is what the session says: not which hooks were asked, nor how long it took. */
    unrecorded: optional(literal(true)),
    /** Files it changed, as far as that is known. */
    touched: optional(list(TouchedFile)),
    /** How hooks draw the call and its result. */
    drawing: optional(Drawing),
    /** Calls that the tool made, and those that they made, in the order in which they began. */
    nested: optional(list(NestedLine)),
  },
  /** Something that is neither user nor model: notifications of hooks, problems, session marks, summaries. */
  notice: {
    id: text,
    level: oneOf('info', 'warning', 'error'),
    text,
    /** Shown on request only (a summary, a stack). */
    detail: optional(text),
    hook: optional(HookRef),
    /** A place the notice is about; a click opens it. */
    file: optional(object({ path: text, line: optional(number), column: optional(number) })),
    /** A step the user can take now; the host maps the id to a command. */
    action: optional(object({ label: text, command: NoticeCommand })),
    /** A run was interrupted here, and can be continued now. */
    canContinue: optional(flag),
  },
  /** A message a hook put into the conversation with `display: true`. */
  custom: {
    id: text,
    customType: text,
    text,
    shown: optional(text),
    /** How a hook draws it; the text is shown when absent. */
    drawing: optional(Drawing),
  },
  /** What a hook keeps in the session, which no model sees: shown only as the hook draws it. */
  entry: {
    id: text,
    drawing: optional(Drawing),
  },
  /** A command the user ran with `!`. */
  bash: {
    id: text,
    command: text,
    output: text,
    exitCode: optional(number),
    state: oneOf('running', 'done', 'cancelled'),
    /** `!!`: not sent to the model. */
    hidden: flag,
  },
  /** A question of a hook, answerable here and in VS Code's own UI; the first answer wins. */
  gate: {
    id: text,
    hook: HookRef,
    /** Id of the tool item the question is about. */
    toolItem: optional(text),
    title: text,
    message: text,
    dialog: DialogKind,
    /** A denial may carry a message to the model: it is about a tool call. */
    canDeny: optional(literal(true)),
    state: tagged('type', { open: {}, queued: {}, answered: { answer: text }, cancelled: {} }),
  },
});
export type ChatItem = Of<typeof ChatItem>;

type ItemOf<K extends ChatItem['kind']> = Extract<ChatItem, { readonly kind: K }>;
export type UserItem = ItemOf<'user'>;
export type AssistantItem = ItemOf<'assistant'>;
export type AssistantBlock = AssistantItem['blocks'][number];
export type ToolItem = ItemOf<'tool'>;
export type NoticeItem = ItemOf<'notice'>;
export type CustomItem = ItemOf<'custom'>;
export type EntryItem = ItemOf<'entry'>;
export type BashItem = ItemOf<'bash'>;
export type GateItem = ItemOf<'gate'>;
