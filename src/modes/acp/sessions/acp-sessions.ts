import { SessionStore } from '../../../agent/session/store';
import { SessionList } from '../../../agent/session/library/session-list';
import type { SessionTrash } from '../../../agent/session/library/trash';
import { isCode, messageOf } from '../../../base/errors';
import { emitAndReportSlow } from '../../../session/ports/wait-for-hooks';
import { clientServers } from '../../../mcp/config/client-servers';
import type { McpServerEntry } from '../../../mcp/config/read-config';
import { readOnlyRefusal } from '../../../session/state/refusal';
import type { FolderRuntime } from '../../start/folder-runtime';
import type { AcpClient } from '../client';
import { ACP_ERRORS, AcpError, invalidParams } from '../connection/acp-error';
import type { FolderTrust } from '../questions/folder-trust';
import { requireAbsolute, requireFolder } from '../require-folder';
import { AcpSession, type AcpSessionParts } from './acp-session';
import type { Folders, UsedFolder } from './folders';
import { prevented } from './prevented';
import type { StoredSessions } from './stored-sessions';

export interface AcpSessionsParts {
  readonly client: AcpClient;
  readonly folders: Folders;
  readonly stored: StoredSessions;
  readonly trash: SessionTrash;
}

/** What a client says of a session that it opens. */
export interface Wanted {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | null;
  readonly mcpServers?: readonly unknown[] | null;
}

/** The same, checked. */
interface Place {
  readonly folder: UsedFolder;
  readonly runtime: FolderRuntime;
  readonly trust: FolderTrust;
  /** Absolute paths of further folders to work in. */
  readonly folders: readonly string[];
  readonly mcpServers: readonly McpServerEntry[];
}

/** A session that is open, and its folder. */
interface Open {
  readonly session: AcpSession;
  readonly folder: UsedFolder;
  readonly stopListening: () => void;
}

/** The sessions of one client. Errors are those of the protocol, for the client. */
export class AcpSessions {
  private readonly opened = new Map<string, Open>();
  /**
   * Sessions that are being opened or closed, by id; a new one, whose id is not known, by an object. These never reject.
   */
  private readonly underWay = new Map<unknown, Promise<unknown>>();
  private isDisposed = false;

  constructor(private readonly parts: AcpSessionsParts) {}

  /** @throws {AcpError} `-32602` for a session that is not open */
  find(id: string): AcpSession {
    const open = this.opened.get(id);
    if (open === undefined) throw invalidParams(`sessionId: the session "${id}" is not open.`);
    return open.session;
  }

  /** Cancels all that goes on in a session; does nothing for one that is not open. */
  cancel(id: string): void {
    void this.opened.get(id)?.session.turns.cancel();
  }

  create(wanted: Wanted): Promise<AcpSession> {
    return this.inFolder(wanted, async place => {
      const { runtime, folder } = place;
      await this.askHooks(runtime, { reason: 'new' });
      return this.add(place, SessionStore.create({ dir: runtime.sessionDir, cwd: folder.path }), 'new');
    });
  }

  /** Opens a stored session; one that is open goes on as it is. */
  async reopen(id: string, wanted: Wanted): Promise<AcpSession> {
    // Not a method: of several callers that wait, the first must be noted before the next one looks.
    while (this.underWay.has(id)) await this.underWay.get(id);
    const open = this.opened.get(id);
    if (open !== undefined) return open.session;
    const opening = this.openInFolder(wanted, async place => {
      const file = await this.fileOf(id);
      await this.askHooks(place.runtime, { reason: 'resume', targetSessionFile: file });
      return this.add(place, await openStore(file, { id, cwd: place.folder.path }), 'resume');
    });
    return this.noted(id, opening);
  }

  /** Opens a copy of a session, with all of its branches. Hooks are asked about a stored one as when it is resumed. */
  fork(id: string, wanted: Wanted): Promise<AcpSession> {
    return this.inFolder(wanted, async place => {
      const target = { dir: place.runtime.sessionDir, cwd: place.folder.path };
      const open = this.opened.get(id)?.session;
      if (open !== undefined) {
        await mayFork(open);
        return this.add(place, await open.conversation.store.forkTo(target), 'fork');
      }
      const file = await this.fileOf(id);
      await this.askHooks(place.runtime, { reason: 'resume', targetSessionFile: file });
      const source = await readStore(file, { readOnly: true });
      try {
        const problem = otherSession(source, id);
        if (problem !== undefined) throw unreadable(file, problem);
        return await this.add(place, await source.forkTo(target), 'fork');
      } finally {
        await source.dispose();
      }
    });
  }

  /** Ends what goes on in a session; it stays on disk. */
  async close(id: string): Promise<void> {
    const open = this.opened.get(id);
    if (open === undefined) return;
    this.opened.delete(id);
    await this.noted(id, this.closeOpened(open));
  }

  /** Moves the file of a session to the trash; does nothing when there is none. */
  async delete(id: string): Promise<void> {
    while (this.underWay.has(id)) await this.underWay.get(id);
    await this.close(id);
    const file = await this.parts.stored.find(id);
    if (file === undefined) return;
    const { name, firstText } = SessionList.at(file);
    try {
      await this.parts.trash.put(file, name ?? firstText);
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error; // Another one has deleted it.
    }
  }

  /**
   * Opens no more sessions, and closes all, also those that are being opened. Errors of hooks do not make it reject.
   */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    await Promise.all([...this.opened.keys()].map(id => this.close(id)));
    await Promise.all(this.underWay.values());
  }

  /** Restores globals that hooks deleted, without which nothing goes on. */
  restoreGlobals(): void {
    for (const { host } of this.parts.folders.loaded) host.restoreGlobals();
  }

  private async closeOpened({ session, folder, stopListening }: Open): Promise<void> {
    try {
      await session.close();
    } finally {
      stopListening();
      await this.parts.folders.release(folder);
    }
  }

  /** @throws {Error} when {@link dispose} was called */
  private requireClient(): void {
    if (this.isDisposed) throw new Error('The client is gone.');
  }

  private async noted<T>(key: unknown, work: Promise<T>): Promise<T> {
    const settled = work.catch(() => undefined); // The caller gets the error.
    this.underWay.set(key, settled);
    try {
      return await work;
    } finally {
      if (this.underWay.get(key) === settled) this.underWay.delete(key);
    }
  }

  private inFolder(wanted: Wanted, open: (place: Place) => Promise<AcpSession>): Promise<AcpSession> {
    return this.noted({}, this.openInFolder(wanted, open));
  }

  private async openInFolder(
    { cwd, additionalDirectories, mcpServers }: Wanted,
    open: (place: Place) => Promise<AcpSession>,
  ): Promise<AcpSession> {
    await requireFolder('cwd', cwd);
    const folders = additionalDirectories ?? [];
    for (const [index, path] of folders.entries()) requireAbsolute(`additionalDirectories.${index}`, path);
    const servers = serversIn(mcpServers ?? []);
    this.requireClient();
    const folder = await this.parts.folders.take(cwd);
    try {
      this.requireClient();
      return await open({ folder, ...(await folder.loading), folders, mcpServers: servers });
    } catch (error) {
      await this.parts.folders.release(folder);
      throw error;
    }
  }

  private async add(place: Place, store: SessionStore, reason: AcpSessionParts['reason']): Promise<AcpSession> {
    const { folder } = place;
    const session = await AcpSession.open({ ...place, client: this.parts.client, store, reason });
    if (this.isDisposed) await session.close();
    this.requireClient();
    const { events } = session.conversation;
    const stopListening = folder.listen(text => events.notice('warning', text));
    const { access } = store;
    if (access.kind === 'read') events.notice('warning', readOnlyRefusal(access).message);
    this.opened.set(session.id, { session, folder, stopListening });
    return session;
  }

  private async askHooks(runtime: FolderRuntime, session: Parameters<FolderRuntime['mayOpen']>[0]): Promise<void> {
    if (!(await runtime.mayOpen(session))) throw prevented('session_before_switch');
  }

  /**
   * The file of a stored session that is not open.
   * @throws {AcpError} `-32002` when there is none
   */
  private async fileOf(id: string): Promise<string> {
    const file = await this.parts.stored.find(id);
    if (file === undefined) throw new AcpError(ACP_ERRORS.resourceNotFound, `sessionId: there is no session "${id}".`);
    const holder = [...this.opened.values()].find(
      ({ session }) => session.conversation.store.getSessionFile() === file,
    );
    if (holder === undefined) return file;
    throw new AcpError(
      ACP_ERRORS.internalError,
      `The session "${id}" is open as "${holder.session.id}": a hook went to it there.`,
    );
  }
}

/** Asks hooks about a copy of an open session. */
async function mayFork({ conversation }: AcpSession): Promise<void> {
  const entryId = conversation.store.getLeafId();
  if (entryId === null) return;
  const event = { type: 'session_before_branch', entryId, position: 'at' } as const;
  if ((await emitAndReportSlow(event, conversation.hookWait)).cancelled) throw prevented('session_before_fork');
}

/** @throws {AcpError} `-32602` that names the member which is wrong */
function serversIn(given: readonly unknown[]): readonly McpServerEntry[] {
  try {
    return clientServers(given);
  } catch (error) {
    throw invalidParams(messageOf(error));
  }
}

/** Opens the file of a session for a conversation in a folder, which may be another one than that of the session. */
async function openStore(
  file: string,
  { id, cwd }: { readonly id: string; readonly cwd: string },
): Promise<SessionStore> {
  const store = await readStore(file, { standIn: cwd });
  const { access } = store;
  const problem = access.kind === 'read' && access.cause === 'damaged' ? access.reason : otherSession(store, id);
  if (problem === undefined) return store;
  await store.dispose();
  throw unreadable(file, problem);
}

/** The client would not know the session by another id. */
function otherSession(store: SessionStore, id: string): string | undefined {
  return store.getSessionId() === id ? undefined : `It does not begin as the session "${id}"`;
}

async function readStore(
  file: string,
  options: { readonly readOnly?: true; readonly standIn?: string },
): Promise<SessionStore> {
  try {
    return await SessionStore.open(file, options);
  } catch (error) {
    throw unreadable(file, messageOf(error));
  }
}

function unreadable(file: string, reason: string): AcpError {
  return new AcpError(ACP_ERRORS.internalError, `The session ${file} cannot be opened: ${reason}`);
}
