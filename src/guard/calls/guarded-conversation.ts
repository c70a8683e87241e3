import type { ContentPart } from '../../agent/messages';
import { toDisposable } from '../../base/disposable';
import { emptyConversation } from '../../hook-contract/empty-conversation';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { ConversationApprovals } from '../../hook-contract/conversation-approvals';
import { noUi, type Answer, type HookQuestion, type HookUIContext } from '../../hook-contract/ui/ui';
import { askForApproval } from '../../session/approvals/ask-for-approval';
import type { OtherAgent } from '../../hook-typings/context/context';
import type { EventFrame } from './event-frame';
import type { SessionMessages } from './session-messages';

/** What the front of a guarded session shows of its hooks, besides questions. */
export type GuardFront = Pick<HookUIContext, 'notify' | 'setStatus'>;

/** What the conversations of one session share. */
export interface SessionOfHooks {
  readonly id: string;
  readonly cwd: string;
  readonly modelRegistry: object;
  readonly messages: SessionMessages;
  readonly front: GuardFront;
  readonly isWorking: boolean;
  /** Somebody can answer questions now: a person at a front, or at the agent. */
  readonly canBeAsked: boolean;
  /** The agent can ask its own user. */
  readonly agentCanAsk: boolean;
  /** Undefined while the built-in gate is off for the agent. */
  readonly approvals: Omit<ConversationApprovals, 'ask'> | undefined;
  /** Asks a person at a front; undefined while there is none. */
  readonly ask: ((question: HookQuestion) => Promise<Answer>) | undefined;
  takeDenial(toolCallId: string): string | undefined;
  noteNoEffect(hookPath: string, member: string): void;
}

/** The session during events that belong together: all of one tool call, or a single other event. */
export interface Scope {
  readonly session: SessionOfHooks;
  readonly agent: OtherAgent;
  /** The event that is handled now; undefined after it. */
  frame: EventFrame | undefined;
}

const NO_EFFECT = [
  ...(['setModel', 'setThinkingLevel', 'abort', 'shutdown', 'rebuildContext', 'setActiveTools', 'compact'] as const),
  ...(['newSession', 'fork', 'navigateTree', 'switchSession', 'reload'] as const),
];

const NO_UI_EFFECT = [
  ...(['setWidget', 'setWorkingMessage', 'setWorkingVisible', 'setWorkingIndicator', 'setTitle', 'custom'] as const),
  ...(['setHiddenThinkingLabel', 'setEditorText', 'pasteToEditor', 'setHeader', 'setFooter'] as const),
  ...(['setToolsExpanded', 'setEditorComponent', 'addAutocompleteProvider', 'onTerminalInput'] as const),
];

/**
 * The session of another agent as hooks see it. What can have no effect there does nothing, and is noted for the hook that
 * calls it; nothing throws. `hookPath`: the hook that calls; empty where that is not known.
 */
export function guardedConversation(scope: Scope, hookPath = ''): HookConversation {
  const { session, agent } = scope;
  const { id, cwd, modelRegistry, messages } = session;
  const { store } = messages;
  const note = (member: string): void => {
    if (hookPath !== '') session.noteNoEffect(hookPath, member);
  };
  const empty = emptyConversation({ cwd, sessionManager: store, modelRegistry });
  const send = (member: string, content: string | readonly ContentPart[], startsTurn: boolean): void => {
    const text = textOf(content);
    const place = scope.frame?.textPlace ?? 'nowhere';
    const isTaken = text !== '' && (place === 'context' || (place === 'goOn' && startsTurn));
    if (isTaken) scope.frame?.texts.push(text);
    else note(member);
  };
  const ui = uiOf(scope, note);
  const views = new Map<string, HookConversation>();
  const conversation: HookConversation = {
    ...empty,
    ...noted(empty, NO_EFFECT, note),
    id,
    agent,
    mode: 'rpc',
    ui,
    get hasUI() {
      return session.canBeAsked;
    },
    get signal() {
      return scope.frame?.signal;
    },
    get approvals() {
      return session.approvals && approvalsIn(conversation, session.approvals);
    },
    isIdle: () => !session.isWorking,
    sendUserMessage: content => {
      send('sendUserMessage', content, true);
      return Promise.resolve();
    },
    sendCustomMessage: ({ customType, content, display, details }, { triggerTurn }) => {
      messages.addOfHook(customType, content, display, details);
      send('sendMessage', content, triggerTurn);
      return Promise.resolve();
    },
    appendEntry: (customType, data) => void store.appendCustomEntry(customType, data),
    saveEntry: entry => Promise.resolve(void store.appendRaw(entry)),
    setSessionName: name => void store.appendSessionInfo(name),
    sessionName: () => store.getSessionName(),
    setLabel: (entryId, label) => void store.appendLabelChange(entryId, label),
    takeDenial: toolCallId => session.takeDenial(toolCallId),
    seenBy: path => {
      const view = views.get(path) ?? guardedConversation(scope, path);
      views.set(path, view);
      return view;
    },
  };
  return conversation;
}

/** The approvals of the session, whose questions belong to the event that is handled. */
function approvalsIn(
  conversation: HookConversation,
  approvals: Omit<ConversationApprovals, 'ask'>,
): ConversationApprovals {
  return {
    mode: approvals.mode,
    folders: approvals.folders,
    sessionRules: approvals.sessionRules,
    allowInSession: rule => approvals.allowInSession(rule),
    ask: conversation.hasUI ? question => askForApproval(question, conversation) : undefined,
  };
}

function uiOf(scope: Scope, note: (member: string) => void): HookUIContext {
  const { session } = scope;
  const nothing = toDisposable(() => undefined);
  const silent: Required<HookUIContext> = {
    ...noUi,
    setEditorComponent: () => undefined,
    addAutocompleteProvider: () => nothing,
    onTerminalInput: () => nothing,
  };
  return {
    ...silent,
    ...noted(silent, NO_UI_EFFECT, member => note(`ui.${member}`)),
    notify: (...given) => session.front.notify(...given),
    setStatus: (...given) => session.front.setStatus(...given),
    ask: question => ask(scope, question),
  };
}

async function ask({ session, frame }: Scope, question: HookQuestion): Promise<Answer> {
  if (session.ask === undefined) return frame?.leaveToAgent(question, session.agentCanAsk);
  if (frame === undefined) return session.ask(question);
  if (question.asker.type !== 'listening') frame.questions += 1;
  const since = performance.now();
  try {
    return await session.ask(question);
  } finally {
    frame.askedMs += performance.now() - since;
  }
}

/** Those methods of an object, with a note of each call. */
function noted<T extends object, K extends keyof T & string>(
  of: T,
  members: readonly K[],
  note: (member: K) => void,
): Pick<T, K> {
  const entries = members.map(member => {
    const method = of[member] as (...given: unknown[]) => unknown;
    return [
      member,
      (...given: unknown[]): unknown => {
        note(member);
        return method(...given);
      },
    ];
  });
  return Object.fromEntries(entries) as Pick<T, K>;
}

function textOf(content: string | readonly ContentPart[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}
