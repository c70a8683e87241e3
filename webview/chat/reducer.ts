import { NO_CHANGES, type Changes, type FileDiff } from '../../src/protocol/panels/changes';
import type { EditorChip } from '../../src/protocol/composer/editor-chip';
import type { ChatItem } from '../../src/protocol/items/chat-item';
import type { ContextBreakdown } from '../../src/protocol/panels/context';
import type { RunningRow } from '../../src/protocol/panels/running-commands';
import type {
  ConversationTab,
  HostToWebview,
  NumberedChange,
  RunStatus,
  SlashCommand,
} from '../../src/protocol/messages';
import type { Todos } from '../../src/protocol/panels/todos';
import { changedItem, type ItemChange } from '../../src/protocol/changed-item';

/** What the page knows about the conversation. An unchanged item stays the same object, so that views can compare items. */
export interface ChatState {
  /** `waiting`: the page has no snapshot yet. `lost`: the page missed a change and needs a new snapshot. */
  readonly sync: 'waiting' | 'live' | 'lost';
  readonly revision: number;
  readonly conversation: string;
  readonly items: readonly ChatItem[];
  /** How many earlier items the host has not sent. */
  readonly earlier: number;
  readonly status: RunStatus;
  readonly commands: readonly SlashCommand[];
  /** The files that the agent changed in this session. */
  readonly changes: Changes;
  /** The commands that run on after their calls. */
  readonly running: readonly RunningRow[];
  /** Diffs that the host sent, by the path of the file. */
  readonly diffs: Readonly<Record<string, FileDiff>>;
  /** What the agent plans to do. */
  readonly todos: Todos;
  /** What the context consists of, as of when the page asked last; undefined until the host answers. */
  readonly context: ContextBreakdown | undefined;
  /** All open conversations of the window. */
  readonly tabs: readonly ConversationTab[];
  /** What of the editor can be sent with the next message. */
  readonly editorChips: readonly EditorChip[];
}

export const EMPTY_STATE: ChatState = {
  sync: 'waiting',
  revision: 0,
  conversation: '',
  items: [],
  earlier: 0,
  status: {
    phase: { type: 'idle' },
    model: '',
    demo: false,
    thinkingLevel: 'off',
    thinkingLevels: [],
    title: '',
    hooks: { live: 0, broken: 0, failed: 0, stopped: 0, heldBack: 0, waiting: 0 },
    hookStatus: [],
  },
  commands: [],
  changes: NO_CHANGES,
  running: [],
  diffs: {},
  todos: [],
  context: undefined,
  tabs: [],
  editorChips: [],
};

type Change = NumberedChange;

/**
 * Applies one message of the host. A snapshot replaces the conversation. A change is applied only when its revision is the
 * next one: an earlier revision is ignored, and a gap (or a change of an unknown item) makes the state `lost`.
 */
export function reduce(state: ChatState, message: HostToWebview): ChatState {
  if (message.type === 'snapshot') {
    const { revision, conversation, items, earlier, status, commands } = message;
    const { changes = NO_CHANGES, todos = [], running = [] } = message;
    const session = { conversation, items, earlier, status, commands, changes, todos, running };
    return {
      sync: 'live',
      revision,
      ...session,
      diffs: {},
      context: undefined,
      tabs: state.tabs,
      editorChips: state.editorChips,
    };
  }
  if (message.type === 'conversations') return { ...state, tabs: message.conversations };
  if (message.type === 'context') {
    return message.conversation === state.conversation ? { ...state, context: message.context } : state;
  }
  if (message.type === 'editorChips') return { ...state, editorChips: message.chips };
  // Other messages without a revision do not change the conversation.
  if (!('revision' in message)) return state;
  if (state.sync !== 'live' || message.revision <= state.revision) return state;
  const next = message.revision === state.revision + 1 ? change(state, message) : undefined;
  return next ? { ...next, revision: message.revision } : { ...state, sync: 'lost' };
}

/** The state after a change; undefined when the change does not fit the state. */
function change(state: ChatState, message: Change): ChatState | undefined {
  switch (message.type) {
    case 'earlier':
      return { ...state, items: [...message.items, ...state.items], earlier: message.earlier };
    case 'item':
      return { ...state, items: withItem(state.items, message.item) };
    case 'remove':
      return { ...state, items: state.items.filter(item => item.id !== message.id) };
    case 'text':
    case 'thought':
    case 'displayText':
    case 'output':
    case 'toolState':
    case 'nestedCall':
      return changeItem(state, message);
    case 'status':
      return { ...state, status: message.status };
    case 'commands':
      return { ...state, commands: message.commands };
    case 'changes':
      return { ...state, changes: message.changes };
    case 'runningCommands':
      return { ...state, running: message.running };
    case 'todos':
      return { ...state, todos: message.todos };
    case 'fileDiff':
      return { ...state, diffs: { ...state.diffs, [message.diff.path]: message.diff } };
    case 'composer':
    case 'draft':
    case 'reveal':
      // The composer's text and the scroll position are not a part of this state; the page handles these messages.
      return state;
  }
}

/** Changes one item. The search starts at the end, because nearly always one of the last items changes. */
function changeItem(state: ChatState, change: ItemChange): ChatState | undefined {
  const index = state.items.findLastIndex(item => item.id === change.id);
  const item = state.items[index];
  const changed = item && changedItem(item, change);
  return changed && { ...state, items: state.items.with(index, changed) };
}

function withItem(items: readonly ChatItem[], item: ChatItem): readonly ChatItem[] {
  const index = items.findLastIndex(({ id }) => id === item.id);
  return index < 0 ? [...items, item] : items.with(index, item);
}
