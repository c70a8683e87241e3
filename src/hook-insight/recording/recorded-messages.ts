import { same } from '../../hook-contract/copy';
import { snapshot, type Snapshot } from './snapshot';
import type { MessageLists } from '../../hook-contract/events/answers/context-answers';

export interface RecordedMessages {
  readonly payload: Snapshot;
  readonly changes: readonly { readonly member: string; readonly before: Snapshot; readonly after: Snapshot }[];
}

/**
 * A message list as ids of entries; only messages that differ from the session are stored in full. A log with the full
 * history of each turn would grow quadratically.
 */
export function recordedMessages(lists: MessageLists, returned: unknown): RecordedMessages {
  const { messages, entryIds, given } = lists;
  const before = entryIds.map((id, place) => id ?? `[${messages[place]?.role ?? 'message'} without an entry]`);
  const payload = snapshot({ type: 'context', messages: before });
  const after = messageList(returned) ?? given;
  if (after === undefined) return { payload: snapshot({ type: 'context', count: before.length }), changes: [] };
  if (after === given && !lists.isChangedInPlace) return { payload, changes: [] };
  const elements = elementsOf(after, lists);
  if (elements.length === before.length && elements.every((element, place) => element === before[place])) {
    return { payload, changes: [] };
  }
  return {
    payload,
    changes: [{ member: 'messages', before: snapshot(before), after: snapshot(elements) }],
  };
}

/** For each element: the id of its entry if the message is unchanged, otherwise the message. */
function elementsOf(after: readonly unknown[], { messages, entryIds, places }: MessageLists): readonly unknown[] {
  return after.map(element => {
    const message = messageIn(element);
    const place = message === undefined ? undefined : places.get(message);
    if (place === undefined) return message ?? element;
    const original = messages[place];
    const id = entryIds[place] ?? `[${original?.role ?? 'message'} without an entry]`;
    return same(message, original) ? id : { entry: id, message };
  });
}

function messageList(returned: unknown): readonly unknown[] | undefined {
  if (typeof returned !== 'object' || returned === null || !('messages' in returned)) return undefined;
  return Array.isArray(returned.messages) ? returned.messages : undefined;
}

/** Hooks of v2 wrap each message. */
function messageIn(element: unknown): object | undefined {
  if (typeof element !== 'object' || element === null) return undefined;
  if ('role' in element) return element;
  return 'message' in element && typeof element.message === 'object' ? (element.message ?? undefined) : element;
}
