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

/** The records of a session file, unchanged; lines that are not JSON are left out. */
export function parseSessionEntries(content: string): unknown[] {
  return content.split('\n').flatMap((line): unknown[] => {
    try {
      return line.trim() === '' ? [] : [JSON.parse(line)];
    } catch {
      return []; // pi also skips such lines.
    }
  });
}

/** Converts records of an older session version to the current version, in place. */
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

/** The messages that the model gets for one entry; none for an entry that is not valid. */
export function sessionEntryToContextMessages(entry: StoredEntry): AgentMessage[] {
  const usable = usableEntry(entry);
  return usable === undefined ? [] : messagesOfEntry(usable);
}

/**
 * The entries from which the context of a leaf is built, the latest compaction first. If `leafId` is undefined or
 * unknown, the last entry is the leaf; if it is null, the context is empty.
 */
export function buildContextEntries(
  entries: readonly StoredEntry[],
  leafId?: string | null,
  byId?: ById,
): readonly StoredEntry[] {
  const { path, read, given } = pathTo(entries, leafId, byId);
  return contextEntriesOn(path, read).map(given);
}

/** The context of a leaf, with the messages of each entry; `leafId` as in {@link buildContextEntries}. */
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

/** The context of a leaf; `leafId` as in {@link buildContextEntries}. */
export function buildSessionContext(
  entries: readonly StoredEntry[],
  leafId?: string | null,
  byId?: ById,
): Omit<SessionProjection, 'entries'> {
  const { messages, model, thinkingLevel } = buildSessionProjection(entries, leafId, byId);
  return { messages, model, thinkingLevel };
}

/**
 * The path to a leaf through entries that a hook passed. Each entry is validated once; an invalid one adds no messages.
 */
function pathTo(
  entries: readonly StoredEntry[],
  leafId: string | null | undefined,
  known: ById | undefined,
): {
  readonly path: readonly EntryNode[];
  readonly read: ReadEntry;
  /** Returns the hook's own object for an entry. */
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
