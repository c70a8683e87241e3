import type { NestedLine, ToolItem } from './chat-item';

/** A tool item with a line among its calls: a new one, or in the place of the one with its id. */
export function withNested(item: ToolItem, call: NestedLine): ToolItem {
  const { nested = [] } = item;
  const at = nested.findIndex(({ id }) => id === call.id);
  return { ...item, nested: at < 0 ? [...nested, call] : nested.with(at, call) };
}
