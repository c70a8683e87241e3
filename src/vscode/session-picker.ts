import * as vscode from 'vscode';
import type { SessionInfo } from '../agent/session/catalog';
import type { Conversations } from '../conversation/conversations';
import type { ConversationState } from '../protocol/messages';
import { stateIcon, stateText } from './conversation-words';

type SessionItem = vscode.QuickPickItem & { readonly file?: string };

/** Lets the person choose an earlier session of this folder and goes there. */
export async function pickSession(conversations: Conversations): Promise<void> {
  const current = conversations.active.store.getSessionFile();
  const sessions = await conversations.list();
  const others = sessions.filter(session => session.file !== current);
  if (others.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no other session in this folder yet.'));
    return;
  }
  const chosen = await vscode.window.showQuickPick(
    others.map(session => itemFor(session, conversations.stateOf(session.file))),
    {
      title: vscode.l10n.t('Resume a session'),
      placeHolder: vscode.l10n.t('Sessions of this folder, latest first'),
      matchOnDetail: true,
    },
  );
  if (chosen?.file !== undefined) await conversations.resume(chosen.file);
}

function itemFor(session: SessionInfo, state: ConversationState | undefined): SessionItem {
  const first = oneLine(session.firstText);
  const title = session.name ?? (first === '' ? vscode.l10n.t('Empty session') : first);
  const facts = [messages(session)];
  if (session.problem !== undefined) facts.unshift(`$(warning) ${session.problem}`);
  if (session.name !== undefined && first !== '') facts.push(clip(first, 100));
  return {
    label: state === undefined ? clip(title, 70) : `${stateIcon(state)} ${clip(title, 70)}`,
    description: [state === undefined ? [] : stateText(state), ago(session.modified, Date.now())].flat().join(' · '),
    detail: facts.join(' · '),
    file: session.file,
  };
}

/** Of a long file only both ends were read, so its number is a lower bound. */
function messages({ messageCount, isComplete }: SessionInfo): string {
  if (!isComplete) return vscode.l10n.t('more than {0} messages', messageCount);
  return messageCount === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', messageCount);
}

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

function ago(time: Date, now: number): string {
  const passed = now - time.getTime();
  const [unit, size] = STEPS.find(([, step]) => passed >= step) ?? ['second', 1000];
  if (unit === 'day' && passed > 30 * size) return time.toLocaleDateString(vscode.env.language);
  const format = new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'auto' });
  return format.format(-Math.floor(passed / size), unit);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
