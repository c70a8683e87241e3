import type { AssistantItem, ChatItem, NestedLine, ToolItem } from './items/chat-item';
import type { ChatChange } from './messages';

type ChangeOf<T extends ChatChange['type']> = Extract<ChatChange, { readonly type: T }>;

/** A change of one item that is there. */
export type ItemChange = ChangeOf<'text' | 'thought' | 'displayText' | 'output' | 'toolState' | 'nestedCall'>;

/** The item after a change; undefined when the change does not fit it. An item is never changed in place. */
export function changedItem(item: ChatItem, change: ItemChange): ChatItem | undefined {
  switch (change.type) {
    case 'text':
      return item.kind === 'assistant' ? withText(item, change) : undefined;
    case 'thought':
      return item.kind === 'assistant' ? withDuration(item, change) : undefined;
    case 'displayText':
      return item.kind === 'assistant' ? withShown(item, change) : undefined;
    case 'output':
      return item.kind === 'tool' || item.kind === 'bash'
        ? { ...item, output: change.reset ? change.append : item.output + change.append }
        : undefined;
    case 'toolState':
      return item.kind === 'tool' ? { ...item, state: change.state } : undefined;
    case 'nestedCall':
      return item.kind === 'tool' ? withNested(item, change.call) : undefined;
  }
}

function withText(item: AssistantItem, change: ChangeOf<'text'>): AssistantItem | undefined {
  if (change.block > item.blocks.length || change.block < 0) return undefined;
  const block = item.blocks[change.block];
  if (block === undefined) {
    const { blockType: type, append: text, startedAt } = change;
    return { ...item, blocks: [...item.blocks, { type, text, ...(startedAt === undefined ? {} : { startedAt }) }] };
  }
  return { ...item, blocks: item.blocks.with(change.block, { ...block, text: block.text + change.append }) };
}

function withDuration(item: AssistantItem, change: ChangeOf<'thought'>): AssistantItem | undefined {
  const block = item.blocks[change.block];
  if (block === undefined) return undefined;
  return { ...item, blocks: item.blocks.with(change.block, { ...block, durationMs: change.durationMs }) };
}

function withShown(item: AssistantItem, change: ChangeOf<'displayText'>): AssistantItem | undefined {
  const block = item.blocks[change.block];
  if (block === undefined) return undefined;
  const displayText = (block.displayText ?? '').slice(0, change.keep) + change.append;
  return { ...item, blocks: item.blocks.with(change.block, { ...block, displayText }) };
}

/** The line of a nested call replaces the one with its id, or is added. */
function withNested(item: ToolItem, call: NestedLine): ToolItem {
  const { nested = [] } = item;
  const at = nested.findIndex(({ id }) => id === call.id);
  return { ...item, nested: at < 0 ? [...nested, call] : nested.with(at, call) };
}
