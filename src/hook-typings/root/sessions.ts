import type { Usage } from '@mariozechner/pi-ai';
import type { ContentPart, AgentMessage } from '../session/messages';
import type { SessionEntry, SessionHeader, StoredCompactionEntry } from '../session/entries';
import type { SessionManager as OpenSession } from '../session/session-manager';

/** A line of a session file. */
export type FileEntry = SessionHeader | SessionEntry;

export interface NewSessionOptions {
  id?: string;
  parentSession?: string;
}

/** A session as {@link SessionManager.list} tells it. */
export interface SessionInfo {
  path: string;
  id: string;
  cwd: string;
  name?: string;
  parentSessionPath?: string;
  created: Date;
  modified: Date;
  messageCount: number;
  firstMessage: string;
  allMessagesText: string;
}

export type SessionListProgress = (loaded: number, total: number, sessions?: readonly SessionInfo[]) => void;

/** What the model gets, and which model at which thinking level. */
export interface SessionContext {
  messages: AgentMessage[];
  thinkingLevel: string;
  model: { provider: string; modelId: string } | null;
}

/** A {@link SessionContext}, entry by entry. */
export interface SessionProjection extends SessionContext {
  entries: { sourceEntry: SessionEntry; messages: AgentMessage[] }[];
}

export interface SessionManager extends OpenSession {
  setSessionFile(path: string): void;
  newSession(options?: NewSessionOptions): string | undefined;
  isPersisted(): boolean;
  getEntryCount(): number;
  getChildren(parentId: string | null): SessionEntry[];
  appendUsage(kind: string, provider: string, model: string, usage: Usage, note?: string): SessionEntry;
  /** `null` keeps nothing. */
  appendCompaction(
    summary: string,
    firstKeptEntryId: string | null,
    tokensBefore: number,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): string;
  /** Changes what the model gets of an earlier entry: nothing for `null`. */
  appendContextEdit(targetId: string, replacement: { content: string | ContentPart[] } | null): string;
  branchWithSummary(
    entryId: string | null,
    summary: string,
    details?: unknown,
    fromHook?: boolean,
    usage?: Usage,
  ): string;
  /** The path to an entry as a session of its own, which this one is from then on. */
  createBranchedSession(leafId: string): string | undefined;
  buildContextEntries(): SessionEntry[];
  buildSessionProjection(): SessionProjection;
  buildSessionContext(): SessionContext;
}

/** A session of your own, read and written at once. It takes no lock: the window that has the file open joins your lines. */
export declare const SessionManager: {
  readonly prototype: SessionManager;
  create(cwd: string, sessionDir?: string, options?: NewSessionOptions): SessionManager;
  open(path: string, sessionDir?: string, cwdOverride?: string): SessionManager;
  continueRecent(cwd: string, sessionDir?: string): SessionManager;
  inMemory(cwd?: string, options?: NewSessionOptions, entries?: readonly FileEntry[]): SessionManager;
  forkFrom(sourcePath: string, targetCwd: string, sessionDir?: string, options?: NewSessionOptions): SessionManager;
  findById(cwd: string, id: string, sessionDir?: string): string | undefined;
  list(
    cwd: string,
    sessionDir?: string,
    onProgress?: SessionListProgress,
    signal?: AbortSignal,
  ): Promise<SessionInfo[]>;
  listAll(onProgress?: SessionListProgress, signal?: AbortSignal): Promise<SessionInfo[]>;
  listAll(sessionDir?: string, onProgress?: SessionListProgress, signal?: AbortSignal): Promise<SessionInfo[]>;
};

/** The records of a session file; lines that are none are left out. */
export declare function parseSessionEntries(content: string): FileEntry[];
/** Brings records of an older version up to date, in place. */
export declare function migrateSessionEntries(entries: FileEntry[]): void;
export declare function getLatestCompactionEntry(entries: readonly SessionEntry[]): StoredCompactionEntry | null;
/** What the model gets of one entry. */
export declare function sessionEntryToContextMessages(entry: SessionEntry): AgentMessage[];
type Build<Result> = (
  entries: readonly SessionEntry[],
  leafId?: string | null,
  byId?: ReadonlyMap<string, SessionEntry>,
) => Result;
/** The entries that the context of a leaf rests on, the latest compaction first. */
export declare const buildContextEntries: Build<SessionEntry[]>;
export declare const buildSessionProjection: Build<SessionProjection>;
export declare const buildSessionContext: Build<SessionContext>;
