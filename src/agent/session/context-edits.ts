import { Type, type Static } from '@sinclair/typebox';
import { parse } from '../../base/schema';
import type { AgentMessage, AssistantMessage, ContentPart } from '../messages';
import { isSessionEntry, type StoredEntry } from './entry';

/** Type of the entries that pi has written since 0.87, for redactions and for failed answers that it dropped. */
export const CONTEXT_EDIT = 'context_edit';

const ContextEdit = Type.Object({
  targetId: Type.String(),
  replacement: Type.Union([
    Type.Null(),
    Type.Object({ content: Type.Union([Type.String(), Type.Array(Type.Object({ type: Type.String() }))]) }),
  ]),
});
/** What the model gets in place of an entry: nothing for `null`, else this content. */
type Replacement = Static<typeof ContextEdit>['replacement'];

/** By id of the entry that is edited: the last edit on a path. */
export type ContextEdits = ReadonlyMap<string, Replacement>;

/** Collects the edits among the entries of a path, given from the root to the leaf; malformed ones do not count. */
export function contextEditsIn(entries: Iterable<StoredEntry | undefined>): ContextEdits {
  const edits = new Map<string, Replacement>();
  for (const entry of entries) {
    if (entry === undefined || isSessionEntry(entry) || entry.type !== CONTEXT_EDIT) continue;
    const edit = parse(ContextEdit, entry);
    if (edit.ok) edits.set(edit.value.targetId, edit.value.replacement);
  }
  return edits;
}

/**
 * A message as the model gets it; undefined when an edit leaves it out. What a person or a model said can be edited;
 * summaries and `!` commands cannot.
 */
export function editedMessage(message: AgentMessage, entryId: string, edits: ContextEdits): AgentMessage | undefined {
  const replacement = edits.get(entryId);
  if (replacement === undefined) return message;
  switch (message.role) {
    case 'user':
    case 'custom':
      return replacement === null ? undefined : { ...message, content: contentOf(replacement) };
    case 'toolResult':
      return replacement === null ? undefined : { ...message, content: partsOf(replacement) };
    case 'assistant':
      return replacement === null
        ? undefined
        : { ...message, content: partsOf(replacement) as AssistantMessage['content'] };
    case 'bashExecution':
    case 'branchSummary':
    case 'compactionSummary':
      return message;
  }
}

/** Parts of kinds that are not known here pass, as they do in stored messages. */
function contentOf({ content }: NonNullable<Replacement>): string | ContentPart[] {
  return content as string | ContentPart[];
}

function partsOf(replacement: NonNullable<Replacement>): ContentPart[] {
  const content = contentOf(replacement);
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
