import * as vscode from 'vscode';
import { relativeTime } from '../../protocol/relative-time';
import type { SessionInfo } from '../../agent/session/library/catalog';
import { wordsOf, type SearchHit } from '../../agent/session/library/search';
import type { SessionHits } from '../../conversation/session/session-library';
import type { ConversationState } from '../../protocol/messages';
import { conversationStateIcon, conversationStateText } from '../chat/conversation-words';

/** What a button on a session does. */
export type SessionButton = 'rename' | 'export' | 'delete';

/** A row of the pick: a session, or a message found in one. */
export type SessionItem = vscode.QuickPickItem & {
  readonly session?: SessionInfo;
  readonly hit?: SearchHit;
};

/** How a session is in this window, when a conversation has it open. */
export type SessionMark = { readonly state: ConversationState; readonly shown: boolean } | undefined;

/** The buttons of a session's row, each with what it does. */
export const BUTTONS: readonly {
  readonly action: SessionButton;
  readonly button: vscode.QuickInputButton;
}[] = [
  { action: 'rename', button: button('edit', vscode.l10n.t('Rename Session (F2)')) },
  { action: 'export', button: button('export', vscode.l10n.t('Export Session… (Ctrl+S)')) },
  { action: 'delete', button: button('trash', vscode.l10n.t('Delete Session (Shift+Delete)')) },
];

function button(icon: string, tooltip: string): vscode.QuickInputButton {
  return { iconPath: new vscode.ThemeIcon(icon), tooltip };
}

/** Name of a session, or how its first message begins. */
export function sessionTitle({ name, firstText }: SessionInfo): string {
  const first = oneLine(firstText);
  return clip(name ?? (first === '' ? vscode.l10n.t('Empty session') : first), 70);
}

/** The row of a session. */
export function sessionItem(session: SessionInfo, mark: SessionMark): SessionItem {
  const first = oneLine(session.firstText);
  const words =
    mark === undefined ? [] : [...(mark.shown ? [vscode.l10n.t('shown')] : []), conversationStateText(mark.state)];
  const facts = [
    messages(session),
    ...session.labels.slice(-3).map(label => `$(tag) ${clip(oneLine(label), 30)}`),
    ...(session.name !== undefined && first !== '' ? [clip(first, 100)] : []),
  ];
  if (session.problem !== undefined) facts.unshift(`$(warning) ${session.problem}`);
  return {
    label: `${mark === undefined ? '' : `${conversationStateIcon(mark.state)} `}${plain(sessionTitle(session))}`,
    description: [...words, relativeTime(session.modified, Date.now(), vscode.env.language)].join(' · '),
    detail: facts.join(' · '),
    buttons: BUTTONS.map(each => each.button),
    alwaysShow: true,
    session,
  };
}

const WHO: { readonly [R in SearchHit['role']]: () => string } = {
  user: () => '$(account)',
  assistant: () => '$(hubot)',
  tool: () => '$(tools)',
  hook: () => '$(plug)',
  summary: () => '$(fold)',
  label: () => '$(tag)',
  name: () => '$(edit)',
};

/**
 * The rows of what was found in one session. VS Code drops separators and sorts by label while something is typed: the
 * label is the session's title, so that what was found stays in its order and tells where it is.
 */
export function hitItems({ session, hits, total }: SessionHits): readonly SessionItem[] {
  return hits.map((hit, index): SessionItem => {
    const { before, match, after } = hit.snippet;
    const more = total - hits.length;
    const time = new Date(hit.time === '' ? session.modified : hit.time);
    const facts = [relativeTime(time, Date.now(), vscode.env.language)];
    if (more > 0 && index === hits.length - 1) facts.push(vscode.l10n.t('{0} more in this session', more));
    return {
      label: `${WHO[hit.role]()} ${plain(sessionTitle(session))}`,
      description: facts.join(' · '),
      detail: plain(clip(oneLine(`${before}${match}${after}`), 160)),
      alwaysShow: true,
      session,
      hit,
    };
  });
}

/** Whether name, first words or labels hold every word of a query. */
export function isNamed({ name = '', firstText, labels }: SessionInfo, query: string): boolean {
  const text = [name, firstText, ...labels].join('\n').toLowerCase();
  return wordsOf(query).every(word => text.includes(word));
}

/** Only both ends of a long file were read, so the number is a lower bound. */
function messages({ messageCount, isComplete }: SessionInfo): string {
  if (!isComplete) return vscode.l10n.t('more than {0} messages', messageCount);
  return messageCount === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', messageCount);
}

/** What is in a session may not draw icons. */
function plain(text: string): string {
  return text.replaceAll('$(', '$\u200b(');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
