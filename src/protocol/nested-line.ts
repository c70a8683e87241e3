import type { NestedLine, ToolItem } from './chat-item';

/** Returns the tool item with this line among its nested calls: it replaces the line with the same id, or is added. */
export function withNested(item: ToolItem, call: NestedLine): ToolItem {
  const { nested = [] } = item;
  const at = nested.findIndex(({ id }) => id === call.id);
  return { ...item, nested: at < 0 ? [...nested, call] : nested.with(at, call) };
}
