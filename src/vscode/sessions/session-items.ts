import * as vscode from 'vscode';
import { clipped } from '../../base/text/clipped';
import { singleLine } from '../../base/text/single-line';
import { visibleText } from '../../base/text/visible-text';
import { relativeTime } from '../../protocol/base/relative-time';
import type { SessionInfo } from '../../agent/session/library/session-list';
import { wordsOf, type SearchHit } from '../../agent/session/library/search';
import type { SessionHits } from '../../session/session-library';
import type { ConversationState } from '../../protocol/messages';
import { conversationStateIcon, conversationStateText } from '../chat/conversation-words';

/** The action of a button on a session's row. */
export type SessionButton = 'rename' | 'export' | 'delete';

/** A row of the pick: a session, or with `hit` a message that was found in it. */
export type SessionItem = vscode.QuickPickItem & {
  readonly session?: SessionInfo;
  readonly hit?: SearchHit;
};

/** The state of a session's conversation in this window; undefined when no conversation has it open. */
export type SessionMark = { readonly state: ConversationState; readonly shown: boolean } | undefined;

/** The buttons of a session's row with their actions. */
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

/** The name of a session, or the beginning of its first message. */
export function sessionTitle({ name, firstText }: SessionInfo): string {
  const first = singleLine(firstText);
  return clipped(name ?? (first === '' ? vscode.l10n.t('Empty session') : first), 70);
}

/** The row of a session. */
export function sessionItem(session: SessionInfo, mark: SessionMark): SessionItem {
  const first = singleLine(session.firstText);
  const words =
    mark === undefined ? [] : [...(mark.shown ? [vscode.l10n.t('shown')] : []), conversationStateText(mark.state)];
  const facts = [
    messageCountText(session),
    ...session.labels.slice(-3).map(label => `$(tag) ${plain(clipped(singleLine(label), 30))}`),
    ...(session.name !== undefined && first !== '' ? [clipped(first, 100)] : []),
  ];
  if (session.problem !== undefined) facts.unshift(`$(warning) ${session.problem}`);
  return {
    label: `${mark === undefined ? '' : `$(${conversationStateIcon(mark.state)}) `}${plain(sessionTitle(session))}`,
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
 * The rows for the messages that were found in one session. While the user types, VS Code removes separators and sorts rows
 * by label. So each label is the session's title, which keeps the rows of a session together and in order.
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
      detail: plain(clipped(singleLine(`${before}${match}${after}`), 160)),
      alwaysShow: true,
      session,
      hit,
    };
  });
}

/** Whether the name, first message and labels of a session together contain every word of a query. */
export function isNamed({ name = '', firstText, labels }: SessionInfo, query: string): boolean {
  const text = [name, firstText, ...labels].join('\n').toLowerCase();
  return wordsOf(query).every(word => text.includes(word));
}

/** The number of messages. Of a long file, only the beginning and the end were read, so the number is a minimum. */
export function messageCountText({ messageCount, isComplete }: SessionInfo): string {
  if (!isComplete) return vscode.l10n.t('more than {0} messages', messageCount);
  return messageCount === 1 ? vscode.l10n.t('1 message') : vscode.l10n.t('{0} messages', messageCount);
}

/** Marks hidden characters, and prevents text of a session from showing icons: VS Code replaces `$(name)` in labels. */
function plain(text: string): string {
  return visibleText(text).replaceAll('$(', '$\u200b(');
}
