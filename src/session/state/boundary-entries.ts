import { estimateContext } from '../../agent/compaction/tokens';
import type { StoredEntry } from '../../agent/session/entry';
import { SessionStore } from '../../agent/session/store';
import { isRecord } from '../../base/json/is-record';
import { isUsage } from '../../hook-contract/events/answers/answer';

/** The path of a session with these entries after it, in memory; the session itself if there are none. */
export function withDrafts(store: SessionStore, drafts: readonly unknown[]): SessionStore {
  if (!Array.isArray(drafts)) throw new Error('entries must be an array');
  if (drafts.length === 0) return store;
  const preview = SessionStore.inMemory(store.getCwd());
  // Nothing is written, so no line is needed.
  for (const entry of store.getBranch()) preview.importEntry(entry, '');
  appendDrafts(preview, drafts);
  return preview;
}

/**
 * Adds entries as hooks describe them, each hanging on the one before. Throws for one of a wrong shape, those before it
 * being added: to be tried with {@link withDrafts}.
 */
export function appendDrafts(store: SessionStore, drafts: readonly unknown[]): StoredEntry[] {
  return drafts.flatMap(draft => store.getEntry(appendDraft(store, draft)) ?? []);
}

function appendDraft(store: SessionStore, draft: unknown): string {
  if (!isRecord(draft)) throw new Error('an entry must be an object');
  const { type, customType, content, display, details, data } = draft;
  switch (type) {
    case 'custom':
      return store.appendRaw({ type, customType, ...stored({ data }) });
    case 'custom_message':
      return store.appendRaw({
        type,
        customType,
        content: stored({ content }).content ?? [],
        display: Boolean(display),
        ...stored({ details }),
      });
    case 'context_edit':
      return store.appendContextEdit(String(draft['targetId']), stored(draft)['replacement'] as never);
    case 'compaction':
      return appendCompaction(store, draft);
    default:
      throw new Error(`an entry cannot be of the type ${JSON.stringify(type)}`);
  }
}

function appendCompaction(store: SessionStore, draft: Readonly<Record<string, unknown>>): string {
  const { summary, firstKeptEntryId, details, usage } = draft;
  if (typeof summary !== 'string') throw new Error('a compaction needs a "summary"');
  if (firstKeptEntryId !== null && !store.getPathIds().some(({ id }) => id === firstKeptEntryId)) {
    throw new Error(`Entry ${JSON.stringify(firstKeptEntryId)} is not on the active branch`);
  }
  const { tokens } = estimateContext(store.buildSessionContext().messages);
  return store.appendCompaction({
    summary,
    firstKeptEntryId: typeof firstKeptEntryId === 'string' ? firstKeptEntryId : null,
    tokensBefore: tokens,
    fromHook: true,
    ...(details === undefined ? {} : stored({ details })),
    ...(isUsage(usage) ? { usage: stored({ usage }).usage } : {}),
  });
}

/**
 * A copy as the file stores it, so that later changes by the hook are not in the entry. Throws for values that are not
 * JSON.
 */
function stored<V extends object>(value: V): V {
  return JSON.parse(JSON.stringify(value)) as V;
}
