import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defined } from '../../../../base/defined';
import { sessionDirFor } from '../../../../agent/session/library/session-list';
import { encodeLine } from '../../../../agent/session/file/codec';
import type { StoredUsage } from '../../../../agent/session/entry';
import { expandHome } from '../../../../agent/settings/configured-path';
import {
  foldersIn,
  isSamePath,
  listSessions,
  sessionFiles,
  type ListProgress,
  type ListedSession,
} from './session-manager-lists';
import { decodeSession, SyncSession, textOfFile, type NewSessionOptions } from './sync-session';

const SESSION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** Adds to a session the members of pi's `SessionManager` whose parameters differ from ours. */
class PiSession extends SyncSession {
  appendCompaction(
    summary: string,
    firstKeptEntryId: string | null,
    tokensBefore: number,
    details?: unknown,
    fromHook?: boolean,
    usage?: StoredUsage,
  ): string {
    return this.addCompaction({
      summary,
      firstKeptEntryId,
      tokensBefore,
      ...defined({ details, usage, fromHook }),
    });
  }
}

/**
 * pi's `SessionManager`. Session files are in `agentDir` by default; a session that names no folder belongs to `cwd`.
 */
export function sessionManagerFor({
  agentDir,
  cwd: ownFolder,
}: {
  readonly agentDir: () => string;
  readonly cwd: () => string;
}): typeof PiSession {
  const defaultDir = (cwd: string): string => sessionDirFor(agentDir(), resolve(cwd));
  const dirFor = (cwd: string, dir: string | undefined): string => (dir ? resolve(expandHome(dir)) : defaultDir(cwd));
  /** A session folder other than the default may contain sessions of several workspaces, so their `cwd` is compared. */
  const belongs = (cwd: string, dir: string | undefined): ((header: { readonly cwd: string }) => boolean) => {
    const isShared = dir !== undefined && !isSamePath(dirFor(cwd, dir), defaultDir(cwd));
    return header => !isShared || (header.cwd !== '' && isSamePath(header.cwd, cwd));
  };
  const kept = (cwd: string, dir: string): { cwd: string; dir: string; isPersisted: true } => ({
    cwd: resolve(cwd),
    dir,
    isPersisted: true,
  });

  return class SessionManager extends PiSession {
    static create(cwd: string, sessionDir?: string, options?: NewSessionOptions): SessionManager {
      checkId(options);
      return new SessionManager(kept(cwd, dirFor(cwd, sessionDir)), options);
    }

    static open(path: string, sessionDir?: string, cwdOverride?: string): SessionManager {
      const file = resolve(expandHome(path));
      const header = cwdOverride === undefined ? decodeSession(textOfFile(file) ?? '').header : undefined;
      const cwd = cwdOverride ?? (header?.cwd || ownFolder());
      const session = new SessionManager(kept(cwd, sessionDir ? dirFor(cwd, sessionDir) : resolve(file, '..')));
      session.setSessionFile(file);
      return session;
    }

    static continueRecent(cwd: string, sessionDir?: string): SessionManager {
      const session = SessionManager.create(cwd, sessionDir);
      const [latest] = sessionFiles(session.getSessionDir(), belongs(cwd, sessionDir));
      if (latest !== undefined) session.setSessionFile(latest);
      return session;
    }

    static inMemory(cwd = ownFolder(), options?: NewSessionOptions, entries?: readonly unknown[]): SessionManager {
      checkId(options);
      const session = new SessionManager({ cwd: resolve(cwd), dir: '', isPersisted: false }, options);
      if (entries !== undefined && entries.length > 0) session.holdEntries(entries);
      return session;
    }

    /** Copies a whole session for another folder. @throws Error when the file holds no session */
    static forkFrom(
      sourcePath: string,
      targetCwd: string,
      sessionDir?: string,
      options?: NewSessionOptions,
    ): SessionManager {
      const source = resolve(expandHome(sourcePath));
      const { header, tree } = decodeSession(readFileSync(source, 'utf8'));
      if (header === undefined) throw new Error(`Cannot fork: source session has no header: ${source}`);
      const copy = SessionManager.create(targetCwd, sessionDir, { ...options, parentSession: source });
      for (const { entry } of tree.nodes) if (entry !== undefined) copy.importEntry(entry, encodeLine(entry));
      copy.writeEarly();
      return copy;
    }

    static findById(cwd: string, id: string, sessionDir?: string): string | undefined {
      const isOwn = belongs(cwd, sessionDir);
      return sessionFiles(dirFor(cwd, sessionDir), header => header.id === id && isOwn(header))[0];
    }

    static async list(
      cwd: string,
      sessionDir?: string,
      onProgress?: ListProgress,
      signal?: AbortSignal,
    ): Promise<ListedSession[]> {
      const isOwn = belongs(cwd, sessionDir);
      const progress: ListProgress | undefined =
        onProgress && ((loaded, total, sessions) => onProgress(loaded, total, sessions?.filter(isOwn)));
      return (await listSessions([dirFor(cwd, sessionDir)], progress, signal)).filter(isOwn);
    }

    /** Takes `(onProgress, signal)` or `(sessionDir, onProgress, signal)`. */
    static async listAll(
      ...given: readonly (string | ListProgress | AbortSignal | undefined)[]
    ): Promise<ListedSession[]> {
      const dir = given.find(value => typeof value === 'string');
      const progress = given.find(value => typeof value === 'function');
      const signal = given.find(value => value instanceof AbortSignal);
      const dirs = dir === undefined ? await foldersIn(join(agentDir(), 'sessions')) : [resolve(expandHome(dir))];
      return listSessions(dirs, progress, signal);
    }
  };
}

function checkId(options: NewSessionOptions | undefined): void {
  if (options?.id === undefined || SESSION_ID.test(options.id)) return;
  throw new Error(
    `Session id "${options.id}" must consist of letters, digits, ".", "_" and "-", and begin and end with a letter or digit`,
  );
}
