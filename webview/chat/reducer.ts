import { NO_CHANGES, type Changes, type FileDiff } from '../../src/protocol/changes';
import type { ChatItem } from '../../src/protocol/chat-item';
import type {
  ConversationTab,
  HostToWebview,
  NumberedChange,
  RunStatus,
  SlashCommand,
} from '../../src/protocol/messages';
import { withNested } from '../../src/protocol/nested-line';

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
  /** Diffs that the host sent, by the path of the file. */
  readonly diffs: Readonly<Record<string, FileDiff>>;
  /** All open conversations of the window. */
  readonly tabs: readonly ConversationTab[];
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
  diffs: {},
  tabs: [],
};

type Change = NumberedChange;

/**
 * Applies one message of the host. A snapshot replaces the conversation. A change is applied only when its revision is the
 * next one: an earlier revision is ignored, and a gap (or a change of an unknown item) makes the state `lost`.
 */
export function reduce(state: ChatState, message: HostToWebview): ChatState {
  if (message.type === 'snapshot') {
    const { revision, conversation, items, earlier, status, commands, changes = NO_CHANGES } = message;
    const { tabs } = state;
    return { sync: 'live', revision, conversation, items, earlier, status, commands, changes, diffs: {}, tabs };
  }
  if (message.type === 'conversations') return { ...state, tabs: message.conversations };
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
      return changeItem(state, message.id, item => withText(item, message));
    case 'thought':
      return changeItem(state, message.id, item => withDuration(item, message));
    case 'displayText':
      return changeItem(state, message.id, item => withShown(item, message));
    case 'output':
      return changeItem(state, message.id, item =>
        item.kind === 'tool' || item.kind === 'bash'
          ? { ...item, output: message.reset ? message.append : item.output + message.append }
          : undefined,
      );
    case 'toolState':
      return changeItem(state, message.id, item =>
        item.kind === 'tool' ? { ...item, state: message.state } : undefined,
      );
    case 'nestedCall':
      return changeItem(state, message.id, item => (item.kind === 'tool' ? withNested(item, message.call) : undefined));
    case 'status':
      return { ...state, status: message.status };
    case 'commands':
      return { ...state, commands: message.commands };
    case 'changes':
      return { ...state, changes: message.changes };
    case 'fileDiff':
      return { ...state, diffs: { ...state.diffs, [message.diff.path]: message.diff } };
    case 'composer':
    case 'focusComposer':
    case 'reveal':
      // The composer's text and the scroll position are not a part of this state; the page handles these messages.
      return state;
  }
}

/** Replaces one item. The search starts at the end, because nearly always one of the last items changes. */
function changeItem(
  state: ChatState,
  id: string,
  update: (item: ChatItem) => ChatItem | undefined,
): ChatState | undefined {
  const index = state.items.findLastIndex(item => item.id === id);
  const item = state.items[index];
  const updated = item && update(item);
  return updated && { ...state, items: state.items.with(index, updated) };
}

function withItem(items: readonly ChatItem[], item: ChatItem): readonly ChatItem[] {
  const index = items.findLastIndex(({ id }) => id === item.id);
  return index < 0 ? [...items, item] : items.with(index, item);
}

function withText(item: ChatItem, message: Extract<Change, { type: 'text' }>): ChatItem | undefined {
  if (item.kind !== 'assistant' || message.block > item.blocks.length || message.block < 0) return undefined;
  const block = item.blocks[message.block];
  if (!block) {
    const { blockType: type, append: text, startedAt } = message;
    return { ...item, blocks: [...item.blocks, { type, text, ...(startedAt === undefined ? {} : { startedAt }) }] };
  }
  return { ...item, blocks: item.blocks.with(message.block, { ...block, text: block.text + message.append }) };
}

function withDuration(item: ChatItem, message: Extract<Change, { type: 'thought' }>): ChatItem | undefined {
  const block = item.kind === 'assistant' ? item.blocks[message.block] : undefined;
  if (item.kind !== 'assistant' || block === undefined) return undefined;
  const { durationMs } = message;
  return { ...item, blocks: item.blocks.with(message.block, { ...block, durationMs }) };
}

function withShown(item: ChatItem, message: Extract<Change, { type: 'displayText' }>): ChatItem | undefined {
  const block = item.kind === 'assistant' ? item.blocks[message.block] : undefined;
  if (item.kind !== 'assistant' || block === undefined) return undefined;
  const displayText = (block.displayText ?? '').slice(0, message.keep) + message.append;
  return { ...item, blocks: item.blocks.with(message.block, { ...block, displayText }) };
}
