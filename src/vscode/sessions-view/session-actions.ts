import * as vscode from 'vscode';
import { visibleText } from '../../base/text/visible-text';
import type { Chat } from '../../chat/chat';
import type { Conversations } from '../../chat/window/conversations';
import type { SessionCommands } from '../sessions/session-commands';
import { standingOf, type GroupedSession } from './session-groups';
import type { SessionOverview } from './session-overview';
import { listedTitle, type SessionNode } from './session-nodes';
import type { SessionsView } from './sessions-view';

type SessionRow = Extract<SessionNode, { kind: 'session' }>;

export interface SessionActionParts {
  readonly conversations: Conversations;
  readonly commands: SessionCommands;
  readonly overview: SessionOverview;
  readonly view: SessionsView;
  /** Brings a conversation to the front, wherever it is shown. */
  readonly reveal: (conversation: string) => Promise<void>;
  /** Opens a conversation in an editor tab. */
  readonly openInEditor: (conversation: string) => Promise<unknown>;
}

/**
 * What can be done with a row of the Sessions view. Without a row, nothing is done: VS Code passes none when it redraws the row
 * that was clicked, and when a key is pressed while no row has the focus.
 */
export class SessionActions {
  constructor(private readonly parts: SessionActionParts) {}

  /** Goes to the conversation that has the session open, or opens it. */
  async open(argument: unknown): Promise<void> {
    const chat = await this.chatOf(argument);
    if (chat !== undefined) await this.parts.reveal(chat.id);
  }

  /** Opens the conversation that has the session open in an editor tab, or opens the session first. */
  async openInEditor(argument: unknown): Promise<void> {
    const chat = await this.chatOf(argument);
    if (chat !== undefined) await this.parts.openInEditor(chat.id);
  }

  /** Asks for a name; an empty one removes the name. Rejects with the reason if the session cannot be written here. */
  async rename(argument: unknown): Promise<void> {
    const session = rowOf(argument)?.session;
    if (session === undefined) return;
    assertChangeable(session);
    const file = this.fileOf(session);
    if (file === undefined) return;
    await this.parts.commands.renameFile(file, this.nameOf(session));
  }

  async export(argument: unknown): Promise<void> {
    const session = rowOf(argument)?.session;
    const file = session && this.fileOf(session);
    if (file !== undefined) await this.parts.commands.exportFile(file);
  }

  /** Deletes a session after the user confirms, and moves the focus to the next row. Rejects with the reason if it stays. */
  async delete(argument: unknown): Promise<void> {
    const row = rowOf(argument);
    if (row === undefined) return;
    const { commands, overview, view } = this.parts;
    const { session } = row;
    assertChangeable(session);
    const { info } = session;
    if (info === undefined) throw new Error(vscode.l10n.t('This session is empty and has no file yet.'));
    if (!(await mayDelete(session))) return;
    const rows = overview.children(undefined).flatMap(group => overview.children(group));
    const next = neighborOf(row, rows);
    if (!(await commands.remove(info))) return;
    await overview.refresh();
    if (next !== undefined) await view.focusRow(next);
  }

  /** The conversation of a row, which opens the session if it is not open; undefined without a row. */
  private async chatOf(argument: unknown): Promise<Chat | undefined> {
    const { conversations } = this.parts;
    const { tab, info } = rowOf(argument)?.session ?? {};
    const open = conversations.find(tab?.id ?? '');
    return open ?? (info && conversations.resume(info.file));
  }

  private fileOf({ info, tab }: GroupedSession): string | undefined {
    return info?.file ?? this.parts.conversations.find(tab?.id ?? '')?.conversation.store.getSessionFile();
  }

  /** A name that was given; the title of an open session may also be how its first message begins. */
  private nameOf({ info, tab }: GroupedSession): string | undefined {
    const open = this.parts.conversations.find(tab?.id ?? '');
    return open === undefined ? info?.name : open.conversation.store.getSessionName();
  }
}

/** The row of a session; undefined for anything else. */
function rowOf(argument: unknown): SessionRow | undefined {
  const isRow = typeof argument === 'object' && argument !== null && 'kind' in argument && argument.kind === 'session';
  return isRow ? (argument as SessionRow) : undefined;
}

/** @throws Error with the reason why a session is neither renamed nor deleted here */
function assertChangeable(session: GroupedSession): void {
  const standing = standingOf(session);
  if (standing !== 'elsewhere' && standing !== 'broken') return;
  const title = listedTitle(session);
  if (standing === 'elsewhere') {
    throw new Error(vscode.l10n.t('"{0}" is open in another window or program. Rename or delete it there.', title));
  }
  const { problem = '', file = '' } = session.info ?? {};
  const text = vscode.l10n.t('"{0}" cannot be read: {1}. It is not changed or deleted: {2}', title, problem, file);
  throw new Error(text);
}

/** Asks, unless the conversation is at work: then a question follows that says so. */
async function mayDelete(session: GroupedSession): Promise<boolean> {
  const { tab } = session;
  if (tab?.state === 'running' || tab?.state === 'asking') return true;
  const yes = vscode.l10n.t('Delete');
  const question = visibleText(vscode.l10n.t('Delete the session “{0}”?', listedTitle(session)));
  const detail = vscode.l10n.t('You can restore it for thirty days.');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}

/** The row after a row, or before the last one of all groups. */
function neighborOf(row: SessionRow, rows: readonly SessionNode[]): SessionNode | undefined {
  const at = rows.findIndex(each => each.kind === 'session' && keyOf(each) === keyOf(row));
  return rows[at + 1] ?? rows[at - 1];
}

function keyOf({ session: { info, tab } }: SessionRow): string {
  return tab?.id ?? info?.file ?? '';
}
