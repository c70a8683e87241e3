import { join } from 'node:path';
import * as vscode from 'vscode';
import type { SessionInfo } from '../../agent/session/library/session-list';
import type { SearchHit } from '../../agent/session/library/search';
import { SessionTrash } from '../../agent/session/library/trash';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import { singleLine } from '../../base/text/single-line';
import type { Chat } from '../../chat/chat';
import type { Conversations } from '../../chat/window/conversations';
import { entryOfHit, type RemovedSession, SessionLibrary } from '../../session/session-library';
import type { CommandId } from '../ids';
import { literalMessage } from '../message-text';
import { exportWithDialog } from './export-dialog';
import { sessionTitle, type SessionButton, type SessionItem, type SessionMark } from './session-items';
import { SessionPicker } from './session-picker';
import { messageOfEntry } from '../../agent/session/context';
import type { SessionStore } from '../../agent/session/store';
import { plainText } from '../../transcript/message-text';

/** At most this many messages are offered. Earlier ones can be labeled in the tree. */
const OFFERED = 300;

/** The id of the entry that a caller names: directly, or by the card that a menu was opened on. Undefined when it names none. */
function labelTarget(target: unknown, chat: Chat): string | undefined {
  if (typeof target !== 'object' || target === null) return undefined;
  if ('entryId' in target && typeof target.entryId === 'string') return target.entryId;
  if (!('itemId' in target) || typeof target.itemId !== 'string') return undefined;
  const entryId = chat.entryOfItem(target.itemId);
  if (entryId === undefined) throw new Error(vscode.l10n.t('This message is not in a session yet.'));
  return entryId;
}

/** Lets the user choose a message of the current path, the latest first. Resolves with its entry id. */
async function chooseLabelled(store: SessionStore): Promise<string | undefined> {
  const items = store
    .getPathIds()
    .slice(-OFFERED)
    .reverse()
    .flatMap(({ id }) => itemFor(store, id));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no message to label yet.'));
    return undefined;
  }
  const title = vscode.l10n.t('Which message do you want to label?');
  const chosen = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  return chosen?.entryId;
}

function itemFor(store: SessionStore, entryId: string): (vscode.QuickPickItem & { readonly entryId: string })[] {
  const entry = store.getEntry(entryId);
  const message = entry && messageOfEntry(entry);
  if (message?.role !== 'user' && message?.role !== 'assistant') return [];
  const text = singleLine(plainText(message.content));
  if (text === '') return [];
  const label = store.getLabel(entryId);
  const icon = message.role === 'user' ? '$(account)' : '$(hubot)';
  return [
    {
      label: `${icon} ${text.slice(0, 100).replaceAll('$(', '$\u200b(')}`,
      description: label === undefined ? undefined : `$(tag) ${label}`,
      entryId,
    },
  ];
}

const SHOW_TREE: CommandId = 'hookline.showSessionTree';

export interface SessionCommandParts {
  readonly conversations: Conversations;
  readonly log: Log;
  readonly folder: string | undefined;
  /** Absolute path of a folder that all windows share. Deleted sessions are kept in it. */
  readonly storageDir: string;
  /** Brings a conversation to the front, wherever it is shown. */
  readonly reveal: (conversation: string) => Promise<void>;
}

/** Commands on sessions. They use dialogs of VS Code, and reject when something fails. */
export class SessionCommands {
  private picker: SessionPicker | undefined;
  private readonly library: SessionLibrary;
  private readonly writeEmitter = new Emitter<void>();
  /** Fires when a session was named, deleted or restored. */
  readonly onDidWrite = this.writeEmitter.event;

  constructor(private readonly parts: SessionCommandParts) {
    const { conversations, storageDir } = parts;
    const trash = new SessionTrash(join(storageDir, 'deleted-sessions'));
    this.library = new SessionLibrary(conversations.sessionList, trash, {
      withFile: file => this.withFile(file)?.conversation,
      leave: async conversation => {
        if (conversations.all.length === 1) return !(await conversation.sessions.newSession()).cancelled;
        await conversations.close(conversation.id);
        return true;
      },
    });
  }

  /** Opens the list of sessions; `value` is the text in its search field at the start. */
  async pick(value = ''): Promise<void> {
    const picker = new SessionPicker(
      {
        library: this.library,
        log: this.parts.log,
        markOf: file => this.markOf(file),
        chosen: item => this.open(item),
        act: (action, session) => this.actInPicker(action, session),
      },
      value,
      () => {
        if (this.picker === picker) this.picker = undefined;
      },
    );
    this.picker = picker;
    await picker.open();
  }

  /** Renames the marked session while the list of sessions is open, else the active one. */
  async rename(): Promise<void> {
    if (this.picker !== undefined) {
      this.picker.actOnActive('rename');
      return;
    }
    const { conversation } = this.active;
    const name = await askName(conversation.store.getSessionName());
    if (name !== undefined) conversation.sessions.rename(name);
  }

  /** Exports the session that {@link rename} would rename. */
  async export(): Promise<void> {
    if (this.picker !== undefined) this.picker.actOnActive('export');
    else await exportWithDialog(this.active.conversation.store, this.parts.folder);
  }

  /** Deletes the session that {@link rename} would rename. A notification offers to undo it. */
  async delete(): Promise<void> {
    if (this.picker !== undefined) {
      this.picker.actOnActive('delete');
      return;
    }
    const { store } = this.active.conversation;
    await store.flush();
    const file = store.getSessionFile();
    const session = (await this.library.list()).find(each => each.file === file);
    if (session === undefined) {
      throw new Error(vscode.l10n.t('This session is empty and has no file yet.'));
    }
    await this.remove(session);
  }

  /** Restores a session that was deleted within the last thirty days. */
  async restoreDeleted(): Promise<void> {
    const deleted = await this.library.deleted();
    if (deleted.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('There are no deleted sessions.'));
      return;
    }
    const items = deleted.map(each => ({
      label: each.title,
      description: new Date(each.deletedAt).toLocaleString(vscode.env.language),
      detail: each.file,
      each,
    }));
    const title = vscode.l10n.t('Restore a deleted session');
    const chosen = await vscode.window.showQuickPick(items, { title, matchOnDetail: true });
    if (chosen !== undefined) await this.restore({ deleted: chosen.each, wasOpen: true });
  }

  /** Sets or removes the label of an entry: the given message of the chat or the tree, else one that the user chooses. */
  async label(target: unknown): Promise<void> {
    const { active } = this;
    const { store } = active.conversation;
    const entryId = labelTarget(target, active) ?? (await chooseLabelled(store));
    if (entryId === undefined) return;
    if (store.getEntry(entryId) === undefined) throw new Error(vscode.l10n.t('This message is not in a session yet.'));
    const label = await vscode.window.showInputBox({
      title: vscode.l10n.t('Label of the message'),
      prompt: vscode.l10n.t('Labels are shown in the tree and the list of sessions. Leave empty to remove the label.'),
      value: store.getLabel(entryId) ?? '',
      ignoreFocusOut: true, // The menu of the chat gives the focus back to its page.
    });
    if (label === undefined) return;
    const text = label.trim();
    if (text !== (store.getLabel(entryId) ?? '')) store.appendLabelChange(entryId, text === '' ? undefined : text);
  }

  /** Opens the session of a file, or goes to the conversation that has it open. Resolves with where the user is then. */
  async openFile(file: string): Promise<Chat> {
    const chat = await this.parts.conversations.resume(file);
    await this.parts.reveal(chat.id);
    return chat;
  }

  /** Asks for a name and gives it to the session of a file. */
  async renameFile(file: string, current: string | undefined): Promise<void> {
    const name = await askName(current);
    if (name === undefined) return;
    await this.library.rename(file, name);
    this.writeEmitter.fire();
  }

  /** Exports the session of a file. */
  async exportFile(file: string): Promise<void> {
    await this.library.read(file, store => exportWithDialog(store, this.parts.folder));
  }

  /**
   * Deletes a session that the list of sessions contains; a notification offers to undo it. False if the user or a hook
   * prevented that. Rejects with the reason if the session stays for another one.
   */
  async remove(session: SessionInfo): Promise<boolean> {
    const { conversations } = this.parts;
    const open = this.withFile(session.file);
    if (open !== undefined && !(await conversations.mayEnd(open.id, 'delete'))) return false;
    const title = sessionTitle(session);
    const removed = await this.library.remove(session.file, title).catch(async (error: unknown) => {
      // It was left for this; what was open stays open.
      if (open !== undefined) await conversations.resume(session.file);
      throw error;
    });
    if (removed === undefined) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t('"{0}" was not deleted, because a hook prevented it.', literalMessage(title)),
      );
      return false;
    }
    this.writeEmitter.fire();
    void this.offerUndo(removed);
    return true;
  }

  private get active(): Chat {
    return this.parts.conversations.active;
  }

  /** The conversation that has this session file open. */
  private withFile(file: string): Chat | undefined {
    return this.parts.conversations.all.find(({ conversation }) => conversation.store.getSessionFile() === file);
  }

  private markOf(file: string): SessionMark {
    const state = this.parts.conversations.stateOf(file);
    return state && { state, shown: this.withFile(file) === this.parts.conversations.shown };
  }

  private async actInPicker(action: SessionButton, session: SessionInfo): Promise<void> {
    switch (action) {
      case 'rename': {
        const value = this.picker?.value;
        await this.renameFile(session.file, session.name);
        await this.pick(value);
        return;
      }
      case 'export':
        await this.exportFile(session.file);
        return;
      case 'delete':
        await this.remove(session);
        await this.picker?.refresh();
    }
  }

  private async open({ session, hit }: SessionItem): Promise<void> {
    if (session === undefined) return;
    const chat = await this.openFile(session.file);
    if (hit !== undefined) this.reveal(chat, session, hit);
  }

  /** Shows a found message in the chat. A message on another branch, or too far back, is shown in the tree instead. */
  private reveal(chat: Chat, session: SessionInfo, hit: SearchHit): void {
    const { store } = chat.conversation;
    if (store.getSessionFile() !== session.file) return; // A hook prevented the switch to the session.
    const entryId = entryOfHit(store, hit);
    if (entryId === undefined || chat.reveal(entryId)) return;
    void vscode.commands.executeCommand(SHOW_TREE, entryId);
  }

  private async offerUndo(removed: RemovedSession): Promise<void> {
    const undo = vscode.l10n.t('Undo');
    const text = vscode.l10n.t('"{0}" was deleted.', literalMessage(removed.deleted.title));
    const chosen = await vscode.window.showInformationMessage(text, undo);
    if (chosen !== undo) return;
    try {
      await this.restore(removed);
    } catch (error) {
      this.parts.log.error('A deleted session could not be restored', error);
      void vscode.window.showErrorMessage(
        vscode.l10n.t(
          '"{0}" could not be restored: {1}',
          literalMessage(removed.deleted.title),
          literalMessage(String(error)),
        ),
      );
    }
  }

  private async restore({ deleted, wasOpen }: RemovedSession): Promise<void> {
    await this.library.restore(deleted);
    this.writeEmitter.fire();
    if (wasOpen) await this.parts.conversations.resume(deleted.file);
    else await this.picker?.refresh();
  }
}

function askName(name: string | undefined): Promise<string | undefined> {
  return Promise.resolve(
    vscode.window.showInputBox({
      title: vscode.l10n.t('Name of the session'),
      prompt: vscode.l10n.t('Leave empty to remove the name'),
      value: name ?? '',
    }),
  );
}
