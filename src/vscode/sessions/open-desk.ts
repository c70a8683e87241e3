import { join } from 'node:path';
import * as vscode from 'vscode';
import { SessionTrash } from '../../agent/session/trash';
import type { Log } from '../../base/log';
import type { Conversation } from '../../conversation/conversation';
import type { Conversations } from '../../conversation/conversations';
import { SessionLibrary } from '../../conversation/session/session-library';
import type { CommandId } from '../ids';
import { SessionDesk } from './session-desk';
import type { SessionMark } from './session-items';

export interface OpenDeskParts {
  readonly conversations: Conversations;
  readonly log: Log;
  readonly folder: string | undefined;
  /** Where deleted sessions are kept: shared by all windows, absolute. */
  readonly storageDir: string;
  readonly showChat: () => Promise<void>;
}

/** Puts the sessions of a window's folder into a person's hands. */
export function openSessionDesk({ conversations, log, folder, storageDir, showChat }: OpenDeskParts): SessionDesk {
  const withFile = (file: string): Conversation | undefined =>
    conversations.all.find(({ store }) => store.getSessionFile() === file);
  const library = new SessionLibrary(conversations.catalog, new SessionTrash(join(storageDir, 'deleted-sessions')), {
    withFile,
    leave: async conversation => {
      if (conversations.all.length === 1) return !(await conversation.sessions.newSession()).cancelled;
      await conversations.close(conversation.id);
      return true;
    },
  });
  const showTree: CommandId = 'hookline.showSessionTree';
  return new SessionDesk({
    library,
    log,
    folder,
    active: () => conversations.active,
    mayLeave: async file => {
      const open = withFile(file);
      return open === undefined || conversations.mayEnd(open.id, 'delete');
    },
    markOf: (file): SessionMark => {
      const state = conversations.stateOf(file);
      return state && { state, shown: withFile(file) === conversations.active };
    },
    goTo: file => conversations.resume(file),
    showChat,
    showTree: entryId => void vscode.commands.executeCommand(showTree, entryId),
  });
}
