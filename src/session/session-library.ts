import * as l10n from '@vscode/l10n';
import type { SessionList, SessionInfo } from '../agent/session/library/session-list';
import { searchSessions, type FileHits, type SearchHit } from '../agent/session/library/search';
import { SessionStore } from '../agent/session/store';
import { SessionInUseError } from '../agent/session/file/lock';
import { messageOf } from '../base/errors';
import type { DeletedSession, SessionTrash } from '../agent/session/library/trash';
import type { Conversation } from './conversation';

/** What the library needs to know of the conversations that are open. */
export interface OpenConversations {
  /** The one that has this file open. */
  withFile(file: string): Conversation | undefined;
  /** Moves the conversation to another session, or closes it; false when a hook cancelled that. */
  leave(conversation: Conversation): Promise<boolean>;
}

/** The hits of a query in one session. */
export interface SessionHits extends FileHits {
  readonly session: SessionInfo;
}

/** A deleted session, with the data that restores it. */
export interface RemovedSession {
  readonly deleted: DeletedSession;
  /** It was open in a conversation. */
  readonly wasOpen: boolean;
}

/** The sessions of a workspace: search, rename, delete and restore. */
export class SessionLibrary {
  constructor(
    private readonly sessionList: SessionList,
    private readonly trash: SessionTrash,
    private readonly open: OpenConversations,
  ) {}

  /** Newest first. */
  list(): Promise<readonly SessionInfo[]> {
    return this.sessionList.list();
  }

  /** As listed, with exact count, name and labels. */
  complete(file: string): Promise<SessionInfo | undefined> {
    return this.sessionList.complete(file);
  }

  /** What holds all words of a query, newest session first. */
  async *search(query: string, signal: AbortSignal): AsyncGenerator<SessionHits> {
    const sessions = await this.sessionList.list();
    const byFile = new Map(sessions.map(session => [session.file, session]));
    for await (const found of searchSessions([...byFile.keys()], query, { signal })) {
      const session = byFile.get(found.file);
      if (session !== undefined) yield { ...found, session };
    }
  }

  /**
   * Names a session, or removes its name when the name is empty. Rejects with the reason when the session cannot be
   * written.
   */
  async rename(file: string, name: string): Promise<void> {
    const conversation = this.open.withFile(file);
    if (conversation !== undefined) {
      conversation.sessions.rename(name);
      await conversation.store.flush();
      return;
    }
    const store = await SessionStore.open(file);
    try {
      const { access } = store;
      if (access.kind === 'read') throw new Error(l10n.t('The session cannot be renamed: {0}', access.reason));
      store.appendSessionInfo(name);
      await store.flush();
    } finally {
      await store.dispose();
    }
  }

  /** Calls `use` with a session: the open one, or the file, which is closed afterwards. */
  async read<T>(file: string, use: (store: SessionStore) => Promise<T>): Promise<T> {
    const open = this.open.withFile(file);
    if (open !== undefined) return use(open.store);
    const store = await SessionStore.open(file, { readOnly: true });
    try {
      return await use(store);
    } finally {
      await store.dispose();
    }
  }

  /**
   * Deletes a session; one that is open here is left first. Undefined when a hook declined to leave it. Rejects with the
   * reason when someone else has it open, or when the file cannot be moved; it stays where it is then.
   */
  async remove(file: string, title: string): Promise<RemovedSession | undefined> {
    const conversation = this.open.withFile(file);
    if (conversation !== undefined && !(await this.open.leave(conversation))) return undefined;
    try {
      return { deleted: await this.trash.put(file, title), wasOpen: conversation !== undefined };
    } catch (error) {
      const text =
        error instanceof SessionInUseError
          ? l10n.t('The session is open elsewhere and was not deleted. {0}', error.message)
          : l10n.t('The session was not deleted: {0}', messageOf(error));
      throw new Error(text, { cause: error });
    }
  }

  /** Rejects if another file has its place, or if it was deleted permanently. */
  restore(deleted: DeletedSession): Promise<void> {
    return this.trash.restore(deleted);
  }

  /** Sessions of this workspace that can be restored, latest deleted first; the trash also has those of others. */
  async deleted(): Promise<readonly DeletedSession[]> {
    return (await this.trash.list()).filter(({ file }) => this.sessionList.covers(file));
  }
}

/** The entry of an open session that a search has found; undefined when it is not there any more. */
export function entryOfHit(store: SessionStore, { entryId, line }: SearchHit): string | undefined {
  const nodes = store.getNodes();
  if (entryId !== undefined) return nodes.find(node => node.id === entryId)?.id;
  return nodes.find(node => node.line === line)?.id;
}
