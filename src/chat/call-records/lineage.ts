import { closeSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { openRegularSync } from '../../base/files/regular-file';
import type { Ancestors } from '../../agent/changes/net-changes';
import { SessionDecoder } from '../../agent/session/file/codec';
import type { SessionHeader } from '../../agent/session/entry';

/** More than any header needs, bytes. */
const HEAD_BYTES = 64 * 1024;
/** Forks of forks that are followed; a file that names itself as its parent must not keep us. */
const MOST_PARENTS = 100;

/** The part of a session store that tells where the session comes from. */
export interface Descendant {
  getSessionId(): string;
  getHeader(): Pick<SessionHeader, 'parentSession' | 'timestamp'> | null | undefined;
}

/** Which sessions a session was forked from: only they share tool calls with it. Looked up once per session. */
export class Lineage {
  private known: { readonly session: string; readonly ancestors: Ancestors } | undefined;

  of(store: Descendant): Ancestors {
    const session = store.getSessionId();
    if (this.known?.session !== session) this.known = { session, ancestors: ancestorsOf(store) };
    return this.known.ancestors;
  }
}

/** The chain of `parentSession`, each until the moment the next one was forked off. Never throws. */
function ancestorsOf(store: Descendant): Ancestors {
  const found = new Map<string, number>();
  let child: Pick<SessionHeader, 'parentSession' | 'timestamp'> | undefined = store.getHeader() ?? undefined;
  while (child?.parentSession !== undefined && found.size < MOST_PARENTS) {
    const header = headerOf(child.parentSession);
    const id = header?.id ?? idIn(child.parentSession);
    if (id === undefined || found.has(id)) break;
    const forked = Date.parse(child.timestamp);
    found.set(id, Number.isNaN(forked) ? Number.POSITIVE_INFINITY : forked);
    child = header;
  }
  return found;
}

function headerOf(file: string): SessionHeader | undefined {
  try {
    const fd = openRegularSync(file);
    try {
      const buffer = Buffer.allocUnsafe(HEAD_BYTES);
      const text = buffer.toString('utf8', 0, readSync(fd, buffer, 0, HEAD_BYTES, 0));
      const reader = new SessionDecoder();
      reader.read(text.split('\n', 1)[0] ?? '', 1);
      return reader.header;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined; // It was deleted, or has no line yet: its name still tells who it was.
  }
}

/** The id that a session file has in its name. */
function idIn(file: string): string | undefined {
  return /_([^_]+)\.jsonl$/.exec(basename(file))?.[1];
}
