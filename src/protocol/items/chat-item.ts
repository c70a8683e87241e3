import { CommandState } from '../panels/running-commands';
import { boolean, list, literal, number, object, oneOf, optional, tagged, text, type Of } from '../base/shape';

/** What the chat draws: plain JSON, without types of models or sessions. Every item has an id that never changes. */

/** A hook that did something, as the user sees it. */
export const HookRef = object({
  /** Absolute path of the hook's entry file. */
  path: text,
  /** File name, for display. */
  name: text,
  /** 1-based line of the handler, when known. */
  line: optional(number),
});
export type HookRef = Of<typeof HookRef>;

/** Why the built-in gate allowed or blocked a call. */
export const ApprovalReason = tagged('by', {
  reading: {},
  plainReading: {},
  hook: {},
  rule: { rule: text },
  session: { rule: text },
  person: { rule: optional(text), edited: optional(literal(true)), says: optional(text) },
  auto: { hooks: boolean },
  edits: {},
  editor: {},
  plan: {},
  place: {},
  nobody: {},
});
export type ApprovalReason = Of<typeof ApprovalReason>;

/** What one handler contributed to a decision. Lists of verdicts are in the order in which the handlers ran. */
export const HookVerdict = object({
  hook: HookRef,
  /** Event name under which the hook registered the handler. */
  event: text,
  durationMs: number,
  /** How much of `durationMs` the handler waited for the user; absent when it did not wait. */
  askedMs: optional(number),
  /** `allowed`: the built-in gate allowed the call, and `approvalReason` says why. `nothing`: no decision. */
  outcome: oneOf('nothing', 'allowed', 'modified', 'blocked', 'failed', 'late'),
  /** Block reason, error text, or what was changed. */
  detail: optional(text),
  /** How the handler changed the input or the result, as line differences. */
  changes: optional(list(object({ member: text, diff: text }))),
  /** What the handler asked the user; `answer` is absent when the question was cancelled. */
  asked: optional(list(object({ question: text, answer: optional(text) }))),
  /** The handler changed the input after the user had answered an earlier hook; the user was not asked again. */
  afterApproval: optional(literal(true)),
  /** Why the built-in gate decided as it did; absent for other hooks. */
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

/** `durationMs` is how long the tool itself ran; it is absent when the tool never began or its time is unknown. */
export const ToolState = tagged('type', {
  /** The model writes the arguments. */
  writing: {},
  /** It may run, or be checked, when it is its turn. */
  waiting: {},
  checking: {},
  /** `isShown`: the question shows what is called, so the card does not. */
  asking: { hook: HookRef, isShown: optional(literal(true)) },
  running: { startedAt: number },
  done: { durationMs: optional(number) },
  failed: { durationMs: optional(number) },
  /** The user stopped it. */
  stopped: { durationMs: optional(number) },
  /** There is no such tool. */
  notFound: {},
  /** `denied`: the user denied it in the question of the built-in gate; `says`: what they said with that. */
  blocked: { by: optional(HookRef), reason: text, denied: optional(object({ says: optional(text) })) },
  skipped: { reason: text },
  /** It waits or runs in another window or program, which has the session open. */
  elsewhere: {},
});
export type ToolState = Of<typeof ToolState>;

/** The reason that the card of a call shows; empty without one. */
function shownReason(state: ToolState): string {
  if (state.type === 'blocked' && state.denied !== undefined) return state.denied.says ?? '';
  return 'reason' in state ? state.reason : '';
}

/** What the summary of a call is. */
const SummaryKind = oneOf('command', 'path', 'text');

/** A call that a tool made while it ran, or a call that such a nested call made. */
export const NestedLine = object({
  /** Id of the call. */
  id: text,
  name: text,
  icon: text,
  summary: text,
  summaryKind: SummaryKind,
  /** 1 for calls that the tool of the card made, 2 for calls that those made, and so on. */
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
  displayPath: text,
});
export type TouchedFile = Of<typeof TouchedFile>;

/** What a hook draws for an item: terminal lines with escape sequences that fit the width of the page. */
export const Drawing = object({
  /** The lines for a tool call; `lines` then has its result, and is empty before there is a result. */
  head: optional(list(text)),
  lines: list(text),
  /** For a tool call: a hook draws the result, possibly as no lines; when absent, the result is shown as usual. */
  hasResult: optional(literal(true)),
  /** For a tool call: the page draws no card around the drawing. */
  unframed: optional(literal(true)),
  /** The hook drew the unfolded item. */
  expanded: boolean,
});
export type Drawing = Of<typeof Drawing>;

/** What became of a plan that the model presented. */
export const PlanEnd = tagged('type', {
  approved: {
    /** How the agent goes on. Unknown in sessions of earlier versions. */
    mode: optional(oneOf('ask', 'edits', 'auto')),
    /** The plan as the user edited it. */
    edited: optional(text),
  },
  sentBack: { wish: text },
  refused: {},
});
export type PlanEnd = Of<typeof PlanEnd>;

export const NoticeCommand = oneOf(
  'compact',
  'compactWith',
  'setApiKey',
  'pickModel',
  'trustWorkspace',
  'decideTrust',
  'chooseFolder',
  'openFolder',
  'showLog',
  'takeOverSession',
  'compareHook',
  'approveHook',
  'rejectHook',
  'reviewHeldFiles',
  'reviewUnfinishedWrites',
  'runHookAgain',
  'showHooks',
  'getStarted',
  'logIn',
  'openSettings',
);
export type NoticeCommand = Of<typeof NoticeCommand>;
/** Those that the editor runs; the chat itself runs the others. */
export type EditorCommand = Exclude<NoticeCommand, 'compact' | 'compactWith'>;

/** A step that the user can take now; the host knows what `command` runs. It applies to the hook of the notice. */
export const NoticeAction = object({ label: text, command: NoticeCommand });
export type NoticeAction = Of<typeof NoticeAction>;

/** What the user can do about an answer that failed or was stopped, besides copying the text of an error. */
export const ErrorHelp = oneOf(
  'continue',
  'retry',
  'editMessage',
  'compact',
  'setApiKey',
  'logIn',
  'pickModel',
  'openSettings',
);
export type ErrorHelp = Of<typeof ErrorHelp>;

/** What an option of Hookline's own questions does. `goesOn` decides nothing: a further question follows. */
export const ChoiceMeaning = oneOf('allowOnce', 'allowInSession', 'allowAlways', 'refuse', 'goesOn');
export type ChoiceMeaning = Of<typeof ChoiceMeaning>;

export const DialogKind = tagged('type', {
  select: {
    options: list(text),
    /** One for each option. Options of hooks have no known meaning. */
    meanings: optional(list(ChoiceMeaning)),
    /** The option that is active at first; when absent, the one that clearly refuses. */
    usual: optional(text),
    /** The option that means the same as a cancellation. */
    cancels: optional(text),
  },
  confirm: {},
  input: { placeholder: text },
  editor: { prefill: text },
});
export type DialogKind = Of<typeof DialogKind>;

/** What a question of the built-in gate is about, as data. */
export const GateSubject = tagged('type', {
  call: {
    /** Name of the tool. */
    tool: text,
    /** What a tool for commands runs. */
    command: optional(text),
    /** The folder of the call, where it is not that of the conversation: from there on, or absolute if it is elsewhere. */
    cwd: optional(text),
    /** The file that the call changes, in the same way. */
    path: optional(text),
    /** What the call changes in its file, as differences in cards are. */
    diff: optional(text),
    /** The arguments of a call that neither runs a command nor changes a file. */
    args: optional(list(object({ name: text, value: text }))),
    /** What the user should know before they decide, besides the call itself; texts. */
    remarks: list(text),
  },
  plan: {
    /** Markdown. */
    plan: text,
  },
});
export type GateSubject = Of<typeof GateSubject>;
export type GateCall = Extract<GateSubject, { readonly type: 'call' }>;

export const ChatItem = tagged('kind', {
  user: {
    id: text,
    text,
    /** The text that hooks want shown instead; absent when no hook changed it. */
    displayText: optional(text),
    images: list(Image),
    /** Files and other texts that were sent with the message; `path` and `line` are of those that can be opened. */
    attached: optional(list(object({ name: text, path: optional(text), line: optional(number) }))),
    /** Present when the message was edited or sent again: the number of this version (from 1), and of all versions. */
    version: optional(object({ at: number, of: number })),
    /** A message that is not `sent` waits for the running turn (steer) or for the end of the run (followUp). */
    state: oneOf('sent', 'steer', 'followUp'),
  },
  assistant: {
    id: text,
    /** In their final order; a `thinking` block is shown folded. */
    blocks: list(
      object({
        type: oneOf('text', 'thinking'),
        text,
        displayText: optional(text),
        /** When the model began to think, in ms since 1970; absent when that was not observed. */
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
    summaryKind: SummaryKind,
    /** All arguments as indented JSON, cut at 20,000 characters. */
    args: text,
    /** The arguments as the model gave them; absent when no hook changed them. */
    modelArgs: optional(text),
    /** The user made the call, not the model. */
    byUser: optional(literal(true)),
    state: ToolState,
    /** The last 50 KB of the output so far, with ANSI codes. */
    output: text,
    images: list(Image),
    /** Unified diff text for edits. */
    diff: optional(text),
    /** The whole new text of the file that the call writes, cut at 20,000 characters. */
    content: optional(text),
    /** The plan that the call presents, as Markdown. */
    plan: optional(text),
    planEnd: optional(PlanEnd),
    /** File with the full output, when `output` was cut. */
    fullOutputPath: optional(text),
    /** File the tool works on, absolute. */
    path: optional(text),
    /** The call changes the file at `path`. */
    changesPath: optional(literal(true)),
    verdicts: list(HookVerdict),
    /** Only the session file knows the call: which hooks were asked and how long it took is unknown. */
    unrecorded: optional(literal(true)),
    /** Files that the call changed, as far as that is known. */
    touched: optional(list(TouchedFile)),
    /** The user has seen what the call changed, and keeps it. */
    kept: optional(literal(true)),
    /** How hooks draw the call and its result. */
    drawing: optional(Drawing),
    /** What became of the command that the call runs, where `state` does not say it. */
    command: optional(CommandState),
    /** Calls that the tool made and the calls nested in those, in the order in which they began. */
    nested: optional(list(NestedLine)),
  },
  /** An item from neither the user nor the model: a hook's notification, a problem, a session mark, a summary. */
  notice: {
    id: text,
    level: oneOf('info', 'warning', 'error'),
    text,
    /** Shown on request only (a summary, a stack). */
    detail: optional(text),
    hook: optional(HookRef),
    /** The place in a file that the notice is about; a click opens it. */
    file: optional(object({ path: text, line: optional(number), column: optional(number) })),
    /** What the user can do now, the most useful first. */
    actions: optional(list(NoticeAction)),
    /** A run was interrupted here and can be continued now. */
    canContinue: optional(boolean),
  },
  /** A message a hook put into the conversation with `display: true`. */
  custom: {
    id: text,
    customType: text,
    text,
    displayText: optional(text),
    /** How a hook draws the message; when absent, the text is shown. */
    drawing: optional(Drawing),
  },
  /** Data that a hook keeps in the session and that no model sees; it is shown only as the hook draws it. */
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
    /** The user typed `!!`: the command and its output are not sent to the model. */
    hidden: boolean,
  },
  /** A question of a hook. The user can answer it here or in VS Code's own UI; the first answer counts. */
  gate: {
    id: text,
    hook: HookRef,
    /** Id of the tool item that the question is about. */
    toolItem: optional(text),
    /** The question is about a call that was made within the one of that item. */
    isNested: optional(literal(true)),
    /**
     * The call that the question is about, as its card shows it. `isCommand`: the summary is a command that waits for the answer,
     * and the question shows it.
     */
    about: optional(object({ tool: text, summary: text, isCommand: optional(literal(true)) })),
    title: text,
    /** Says the subject in words, too. */
    message: text,
    /** Absent for questions of hooks, and for questions that follow another one about the same subject. */
    subject: optional(GateSubject),
    dialog: DialogKind,
    /** VS Code's diff of the write about which the question is can be opened; false: it is not known yet. */
    opensDiff: optional(boolean),
    /** The question is about a tool call, so the user can deny it with a message to the model. */
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

/** A text of an item, as the page draws it. */
export interface ItemText {
  /** The key under which the page folds it; empty for one that is always open. */
  readonly part: string;
  readonly text: string;
  readonly isMarkdown?: boolean;
}

/** The texts of an item that are searched, in the order in which they are drawn. */
export function searchedTexts(item: ChatItem): readonly ItemText[] {
  switch (item.kind) {
    case 'user':
    case 'custom':
      return [{ part: '', text: item.displayText ?? item.text, isMarkdown: true }];
    case 'assistant':
      return item.blocks.map(({ type, text, displayText }, index) => ({
        part: type === 'text' ? '' : `thinking/${index}`,
        text: displayText ?? text,
        isMarkdown: true,
      }));
    case 'tool':
      return [
        { part: '', text: `${item.name} ${item.summary}` },
        { part: '', text: shownReason(item.state) },
        { part: 'arguments', text: item.args },
        item.diff ? { part: 'diff', text: item.diff } : { part: 'content', text: item.content ?? '' },
        { part: 'plan', text: shownPlan(item) ?? '', isMarkdown: true },
        { part: 'output', text: withoutEscapes(item.output) },
        ...(item.nested ?? []).map(({ name, summary, error = '' }) => ({
          part: 'calls',
          text: `${name} ${summary} ${error}`,
        })),
      ];
    case 'bash':
      return [
        { part: '', text: item.command },
        { part: 'output', text: withoutEscapes(item.output) },
      ];
    case 'notice':
      return [
        { part: '', text: item.text },
        { part: 'detail', text: item.detail ?? '' },
      ];
    case 'entry':
      return [{ part: '', text: withoutEscapes(item.drawing?.lines.join('\n') ?? '') }];
    case 'gate':
      return [
        { part: '', text: `${item.title} ${item.message}` },
        { part: '', text: item.subject?.type === 'plan' ? item.subject.plan : '', isMarkdown: true },
      ];
  }
}

/** The plan that a card shows: as the user edited it, if they did; undefined for calls that present none. */
export function shownPlan({ plan, planEnd }: ToolItem): string | undefined {
  return plan === undefined ? undefined : ((planEnd?.type === 'approved' ? planEnd.edited : undefined) ?? plan);
}

/** Output without terminal codes, which can be in the middle of words. */
function withoutEscapes(text: string): string {
  // eslint-disable-next-line no-control-regex -- escape sequences are what is left out
  return text.replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\r\n]*(?:\u0007|\u001b\\)?)/g, '');
}
