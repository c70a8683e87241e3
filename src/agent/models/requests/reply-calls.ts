import type { AssistantMessage, AssistantMessageEvent, ToolCall } from '@mariozechner/pi-ai';
import { withObjectArguments } from '../../call-arguments';

type Content = AssistantMessage['content'];

/**
 * The content of a reply, where each call has an object as its arguments and an id of its own: results, cards and providers tell
 * calls apart by their ids. Returns the same list if nothing changes. Blocks are never changed in place, because the client may
 * still use them.
 */
export function soundContent(content: Content): Content {
  if (!Array.isArray(content)) return content; // A message from a hook may have no content.
  let changed: Content | undefined;
  const ids = new Set<string>();
  for (const [index, block] of content.entries()) {
    if (block.type !== 'toolCall') continue;
    const sound = withOwnId(withObjectArguments(block), ids);
    ids.add(sound.id);
    if (sound !== block) (changed ??= [...content])[index] = sound;
  }
  return changed ?? content;
}

/** The event with {@link soundContent}. */
export function soundEvent<T extends AssistantMessageEvent>(event: T): T {
  if (!('partial' in event)) return event;
  const content = soundContent(event.partial.content);
  if (content === event.partial.content) return event;
  const partial = { ...event.partial, content };
  const toolCall = event.type === 'toolcall_end' ? content[event.contentIndex] : undefined;
  return { ...event, partial, ...(toolCall?.type === 'toolCall' ? { toolCall } : {}) };
}

/** Ids of the responses APIs are of the form `call|item`; the part in front is what results name. */
function withOwnId(call: ToolCall, taken: ReadonlySet<string>): ToolCall {
  if (!taken.has(call.id)) return call;
  const [name = '', ...item] = call.id.split('|');
  let id = call.id;
  for (let count = 2; taken.has(id); count++) id = [`${name}_${count}`, ...item].join('|');
  return { ...call, id };
}
