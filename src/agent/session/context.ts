import { setImmediate } from 'node:timers/promises';
import type { AgentMessage } from '../messages';
import { contextEditsIn, editedMessage, type ContextEdits } from './context-edits';
import { isSessionEntry, type CompactionEntry, type EntryId, type StoredEntry } from './entry';
import type { EntryNode } from './tree';

const SLICE_MS = 8;

/** The context that a path through the session gives the model. */
export interface SessionContext {
  readonly messages: AgentMessage[];
  /** The entry each message comes from; a compaction summary names its compaction. */
  readonly entryIds: readonly EntryId[];
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  /** `off` when the path sets none. */
  readonly thinkingLevel: string;
}

/** Gives the entry of a node, or undefined when it cannot be used. */
export type ReadEntry = (node: EntryNode) => StoredEntry | undefined;

/** The message of an entry; undefined for entries that the model does not see. */
export function messageOfEntry(entry: StoredEntry): AgentMessage | undefined {
  if (!isSessionEntry(entry)) return undefined;
  const timestamp = Date.parse(entry.timestamp) || 0;
  switch (entry.type) {
    case 'message':
      return entry.message;
    case 'custom_message': {
      const { customType, content, display, details } = entry;
      return { role: 'custom', customType, content, display, details, timestamp };
    }
    case 'branch_summary':
      if (entry.summary === '') return undefined;
      return { role: 'branchSummary', summary: entry.summary, fromId: entry.fromId, timestamp };
    case 'compaction':
      return { role: 'compactionSummary', summary: entry.summary, tokensBefore: entry.tokensBefore, timestamp };
    case 'thinking_level_change':
    case 'model_change':
    case 'usage':
    case 'context_edit':
    case 'custom':
    case 'label':
    case 'session_info':
      return undefined;
  }
}

/** The latest compaction on a path with its place, when there is one. */
export function latestCompaction(
  path: readonly EntryNode[],
  read: ReadEntry,
): { readonly entry: CompactionEntry; readonly index: number } | undefined {
  for (let index = path.length - 1; index >= 0; index--) {
    const node = path[index];
    if (node?.type !== 'compaction') continue;
    const entry = read(node);
    if (entry && isSessionEntry(entry) && entry.type === 'compaction') return { entry, index };
  }
  return undefined;
}

/**
 * The context of a path from the root to a leaf: prompt and summary of the latest compaction, the messages that it
 * kept, and all later ones, with their edits (docs/sessions.md). Reads only the entries it needs.
 */
export function buildContext(path: readonly EntryNode[], read: ReadEntry = node => node.entry): SessionContext {
  const steps = assemble(path, read);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Like {@link buildContext}, but lets the event loop run every few milliseconds, for sessions that are too long to read at once.
 */
export async function loadContext(path: readonly EntryNode[], read: ReadEntry): Promise<SessionContext> {
  const steps = assemble(path, read);
  let pause = performance.now() + SLICE_MS;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < pause) continue;
    await setImmediate();
    pause = performance.now() + SLICE_MS;
  }
}

/** Yields after each entry it reads. */
function* assemble(path: readonly EntryNode[], read: ReadEntry): Generator<undefined, SessionContext> {
  const messages: AgentMessage[] = [];
  const entryIds: EntryId[] = [];
  const edits = contextEditsOn(path, read);
  const add = (entry: StoredEntry | undefined): void => {
    const stored = entry && messageOfEntry(entry);
    const message = stored && editedMessage(stored, entry.id, edits);
    if (!message) return;
    messages.push(message);
    entryIds.push(entry.id);
  };
  const compaction = latestCompaction(path, read);
  if (compaction) {
    const { entry } = compaction;
    const summary = messagesOfEntry(entry);
    messages.push(...summary);
    entryIds.push(...summary.map(() => entry.id));
  }
  const first = firstNeeded(path, compaction);
  for (const [index, node] of path.slice(first).entries()) {
    if (!hasMessage(node.type)) continue;
    const entry = read(node);
    const isBefore = compaction !== undefined && first + index < compaction.index;
    if (!isBefore || (entry && !isSystem(entry))) add(entry);
    yield;
  }
  const { model, thinkingLevel = 'off' } = selectionOn(path, read);
  return { messages, entryIds, model, thinkingLevel };
}

/**
 * The entries of the context, as in today's pi: the latest compaction, what it kept except the prompt, and all later
 * entries, whether the model sees them or not.
 */
export function contextEntriesOn(path: readonly EntryNode[], read: ReadEntry): StoredEntry[] {
  const all = (nodes: readonly EntryNode[]): StoredEntry[] => nodes.flatMap(node => read(node) ?? []);
  const compaction = latestCompaction(path, read);
  if (compaction === undefined) return all(path);
  const { entry, index } = compaction;
  const kept = all(path.slice(firstNeeded(path, compaction), index)).filter(each => !isSystem(each));
  return [entry, ...kept, ...all(path.slice(index + 1))];
}

/** System messages before a compaction no longer count: it has the full prompt, or a message after it has. */
function isSystem(entry: StoredEntry): boolean {
  return isSessionEntry(entry) && entry.type === 'message' && entry.message.role === 'system';
}

/** One entry of the context and its messages for the model; none for settings and for removed entries. */
export interface ProjectedEntry {
  readonly sourceEntry: StoredEntry;
  readonly messages: readonly AgentMessage[];
}

/** The context of a path, entry by entry (pi's `SessionProjection`). */
export interface SessionProjection extends Omit<SessionContext, 'entryIds'> {
  readonly entries: readonly ProjectedEntry[];
}

/** Like {@link buildContext}, with the entry of each message. */
export function projectContext(path: readonly EntryNode[], read: ReadEntry = node => node.entry): SessionProjection {
  const kept = contextEntriesOn(path, read);
  const edits = contextEditsIn(kept);
  const entries = kept.map((sourceEntry, index) => {
    // An older compaction among the kept entries no longer counts.
    const stored = sourceEntry.type === 'compaction' && index > 0 ? [] : messagesOfEntry(sourceEntry);
    return { sourceEntry, messages: stored.flatMap(message => editedMessage(message, sourceEntry.id, edits) ?? []) };
  });
  const { model, thinkingLevel = 'off' } = selectionOn(path, read);
  return { entries, messages: entries.flatMap(({ messages }) => messages), model, thinkingLevel };
}

/** The messages of an entry at the beginning of a context: for a compaction, also the prompt at that time. */
export function messagesOfEntry(entry: StoredEntry): AgentMessage[] {
  const message = messageOfEntry(entry);
  if (message === undefined) return [];
  const prompt = isSessionEntry(entry) && entry.type === 'compaction' ? entry.systemMessage : undefined;
  return prompt === undefined ? [message] : [{ ...prompt, role: 'system' }, message];
}

/** The edits on a path, from the root to the leaf; reads no other entries. */
export function contextEditsOn(path: readonly EntryNode[], read: ReadEntry): ContextEdits {
  return contextEditsIn(path.filter(({ type }) => type === 'context_edit').map(read));
}

/** The model and thinking level that a path selects; reads only the entries about them. */
export function selectionOn(
  path: readonly EntryNode[],
  read: ReadEntry,
): Pick<SessionContext, 'model'> & { readonly thinkingLevel: string | undefined } {
  return { model: lastModel(path, read), thinkingLevel: lastThinkingLevel(path, read) };
}

/** Index on the path of the first entry that the context needs besides the compaction itself. */
function firstNeeded(path: readonly EntryNode[], compaction: ReturnType<typeof latestCompaction>): number {
  if (!compaction) return 0;
  const kept = path.findIndex(node => node.id === compaction.entry.firstKeptEntryId);
  return kept >= 0 && kept < compaction.index ? kept : compaction.index + 1;
}

function hasMessage(type: string): boolean {
  return type === 'message' || type === 'custom_message' || type === 'branch_summary';
}

function lastModel(path: readonly EntryNode[], read: ReadEntry): SessionContext['model'] {
  for (let index = path.length - 1; index >= 0; index--) {
    const node = path[index];
    if (node?.type !== 'model_change' && node?.type !== 'message') continue;
    const entry = read(node);
    if (!entry || !isSessionEntry(entry)) continue;
    if (entry.type === 'model_change') return { provider: entry.provider, modelId: entry.modelId };
    if (entry.type === 'message' && entry.message.role === 'assistant') {
      return { provider: entry.message.provider, modelId: entry.message.model };
    }
  }
  return null;
}

function lastThinkingLevel(path: readonly EntryNode[], read: ReadEntry): string | undefined {
  const node = path.findLast(candidate => candidate.type === 'thinking_level_change');
  const entry = node && read(node);
  return entry && isSessionEntry(entry) && entry.type === 'thinking_level_change' ? entry.thinkingLevel : undefined;
}
