import {
  contextEntriesOn,
  messagesOfEntry,
  projectContext,
  type ReadEntry,
  type SessionProjection,
} from '../../../../agent/session/context';
import { SessionDecoder, toEntry } from '../../../../agent/session/file/codec';
import { SESSION_VERSION, type StoredEntry } from '../../../../agent/session/entry';
import type { EntryNode } from '../../../../agent/session/tree';
import type { AgentMessage } from '../../../../agent/messages';
import { isRecord } from '../../../../base/json/is-record';

/** A line of a session file as `JSON.parse` gives it. */
type RawEntry = Record<string, unknown> & { type: string };
type ById = ReadonlyMap<string, StoredEntry>;

/** The records of a session file, as they are written; lines that are none are left out. */
export function parseSessionEntries(content: string): unknown[] {
  return content.split('\n').flatMap((line): unknown[] => {
    try {
      return line.trim() === '' ? [] : [JSON.parse(line)];
    } catch {
      return []; // Rubbish among the lines is left out, as pi does.
    }
  });
}

/** Brings records of an older version up to date, in place. */
export function migrateSessionEntries(entries: RawEntry[]): void {
  const decoder = new SessionDecoder();
  for (const [index, entry] of entries.entries()) {
    const read = decoder.read(JSON.stringify(entry), index + 1);
    if (entry.type === 'session') entry['version'] = Math.max(SESSION_VERSION, Number(entry['version'] ?? 0));
    if (read.kind !== 'entry' || !decoder.migrates) continue;
    delete entry['firstKeptEntryIndex'];
    Object.assign(entry, read.entry);
  }
}

export function getLatestCompactionEntry(entries: readonly StoredEntry[]): StoredEntry | null {
  return entries.findLast(({ type }) => type === 'compaction') ?? null;
}

/** What the model gets of one entry. */
export function sessionEntryToContextMessages(entry: StoredEntry): AgentMessage[] {
  const usable = usableEntry(entry);
  return usable === undefined ? [] : messagesOfEntry(usable);
}

/** The entries that the context of a leaf is made of, the latest compaction first; without a leaf, that of the last entry. */
export function buildContextEntries(
  entries: readonly StoredEntry[],
  leafId?: string | null,
  byId?: ById,
): readonly StoredEntry[] {
  const { path, read, given } = pathTo(entries, leafId, byId);
  return contextEntriesOn(path, read).map(given);
}

/** The context of a leaf, entry by entry. */
export function buildSessionProjection(
  entries: readonly StoredEntry[],
  leafId?: string | null,
  byId?: ById,
): SessionProjection {
  const { path, read, given } = pathTo(entries, leafId, byId);
  const projection = projectContext(path, read);
  const projected = projection.entries.map(({ sourceEntry, messages }) => ({
    sourceEntry: given(sourceEntry),
    messages,
  }));
  return { ...projection, entries: projected };
}

/** The context of a leaf. */
export function buildSessionContext(
  entries: readonly StoredEntry[],
  leafId?: string | null,
  byId?: ById,
): Omit<SessionProjection, 'entries'> {
  const { messages, model, thinkingLevel } = buildSessionProjection(entries, leafId, byId);
  return { messages, model, thinkingLevel };
}

/** A path through entries that a hook gives: each is looked at once, and what cannot be used says nothing. */
function pathTo(
  entries: readonly StoredEntry[],
  leafId: string | null | undefined,
  known: ById | undefined,
): {
  readonly path: readonly EntryNode[];
  readonly read: ReadEntry;
  /** The hook's own object for an entry. */
  readonly given: (entry: StoredEntry) => StoredEntry;
} {
  const byId = known ?? new Map(entries.map(entry => [entry.id as string, entry]));
  const path: EntryNode[] = [];
  const usable = new Map<string, StoredEntry | undefined>();
  const leaf = leafId === undefined ? undefined : byId.get(leafId ?? '');
  let entry = leafId === null ? undefined : (leaf ?? entries.at(-1));
  while (entry !== undefined && !usable.has(entry.id)) {
    const { id, parentId, type } = entry;
    path.push({ id, parentId, type, entry });
    usable.set(id, usableEntry(entry));
    entry = parentId === null ? undefined : byId.get(parentId);
  }
  return { path: path.reverse(), read: ({ id }) => usable.get(id), given: entry => byId.get(entry.id) ?? entry };
}

function usableEntry(entry: StoredEntry): StoredEntry | undefined {
  const read = isRecord(entry) ? toEntry(entry) : undefined;
  return read?.ok === true ? read.entry : undefined;
}
