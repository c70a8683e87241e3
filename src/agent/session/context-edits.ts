import { isRecord } from '../../base/json/is-record';
import type { AgentMessage, AssistantMessage, ContentPart } from '../messages';
import { isSessionEntry, type ContextEditEntry, type StoredEntry } from './entry';

type Replacement = ContextEditEntry['replacement'];

/** By id of the entry that is edited: the last edit on a path. */
export type ContextEdits = ReadonlyMap<string, Replacement>;

/** Collects the edits among the entries of a path, given from the root to the leaf. */
export function contextEditsIn(entries: Iterable<StoredEntry | undefined>): ContextEdits {
  const edits = new Map<string, Replacement>();
  for (const entry of entries) {
    if (entry === undefined || !isSessionEntry(entry) || entry.type !== 'context_edit') continue;
    edits.set(entry.targetId, entry.replacement);
  }
  return edits;
}

/**
 * A message as the model gets it. Undefined if an edit removed it. Messages of users, hooks, tools and models can be replaced;
 * the system prompt, summaries and `!` commands can only be removed.
 */
export function editedMessage(message: AgentMessage, entryId: string, edits: ContextEdits): AgentMessage | undefined {
  const replacement = edits.get(entryId);
  if (replacement === undefined) return message;
  if (replacement === null) return undefined;
  switch (message.role) {
    case 'user':
    case 'custom':
      return { ...message, content: replacement.content };
    case 'toolResult':
      return { ...message, content: partsOf(replacement) };
    case 'assistant':
      return { ...message, content: partsOf(replacement) as AssistantMessage['content'] };
    case 'system':
    case 'bashExecution':
    case 'branchSummary':
    case 'compactionSummary':
      return message;
  }
}

/** Whether a message is of a user, a hook, a tool or a model. */
export function isEditable({ role }: AgentMessage): boolean {
  return role === 'user' || role === 'custom' || role === 'toolResult' || role === 'assistant';
}

/** Whether a value can be a replacement; hooks and programs may give anything. */
export function isReplacement(value: unknown): value is Replacement {
  if (value === null) return true;
  if (!isRecord(value)) return false;
  const { content } = value;
  return typeof content === 'string' || Array.isArray(content);
}

/** A replacement in its stored form: answers and results have parts, so a text becomes one. */
export function asStored(replacement: Replacement, { role }: AgentMessage): Replacement {
  if (replacement === null || (role !== 'toolResult' && role !== 'assistant')) return replacement;
  return { content: partsOf(replacement) };
}

/** Answers and results cannot be plain texts. Parts of unknown kinds are kept, as in stored messages. */
function partsOf({ content }: NonNullable<Replacement>): ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
