import { hideSecretsIn } from '../base/text/redact';
import { encodeLine } from '../agent/session/file/codec';
import { SESSION_VERSION, type EntryId } from '../agent/session/entry';
import type { ReadableSession } from '../agent/session/readable-session';

/**
 * The current path of a session as a session file of its own, line by line, as pi's `/export` to JSONL writes it: with
 * the id and the folder of the session and the time of the export, without the path of the session it was forked from.
 * All entries, also unknown ones, keep their ids and their content except secrets (docs/sessions.md).
 */
export function* sessionToJsonl(store: ReadableSession, now: Date): Generator<string> {
  yield encodeLine({
    type: 'session',
    version: store.getHeader()?.version ?? SESSION_VERSION,
    id: store.getSessionId(),
    timestamp: now.toISOString(),
    cwd: store.getCwd(),
  });
  let parentId: EntryId | null = null;
  for (const { id } of store.getPathIds()) {
    const entry = store.getEntryOnce(id);
    if (entry === undefined) continue;
    yield encodeLine(hideSecretsIn({ ...entry, parentId }));
    parentId = entry.id;
  }
}
