import { basename } from 'node:path';
import * as vscode from 'vscode';
import { singleLine } from '../../base/text/single-line';
import { relativeTime } from '../../protocol/base/relative-time';
import { conversationStateIcon, conversationStateText, conversationTitle } from '../chat/conversation-words';
import type { CommandId } from '../ids';
import { messageCountText, sessionTitle } from '../sessions/session-items';
import { standingOf, type GroupedSession, type SessionGroup, type SessionStanding } from './session-groups';

/** One row of the Sessions view. The view's commands accept those of sessions. */
export type SessionNode =
  | { readonly kind: 'group'; readonly group: SessionGroup }
  | { readonly kind: 'session'; readonly group: SessionGroup; readonly session: GroupedSession };

export type SessionTreeData = ReadonlyMap<SessionGroup, readonly GroupedSession[]>;

const OPEN: CommandId = 'hookline.openSession';

/** The rows below a row; for undefined, the top rows. */
export function sessionNodeChildren(node: SessionNode | undefined, groups: SessionTreeData): readonly SessionNode[] {
  if (node === undefined) return [...groups.keys()].map(group => ({ kind: 'group', group }));
  if (node.kind === 'session') return [];
  const { group } = node;
  return (groups.get(group) ?? []).map(session => ({ kind: 'session', group, session }));
}

/** The row as a tree item of VS Code. Its id does not change when the state changes. */
export function sessionTreeItem(node: SessionNode, now: number): vscode.TreeItem {
  if (node.kind === 'session') return itemOfSession(node, now);
  const item = new vscode.TreeItem(groupText(node.group), vscode.TreeItemCollapsibleState.Expanded);
  item.id = node.group;
  item.contextValue = 'group';
  return item;
}

/** The name that lists show. That of an open session is newer than its file. */
export function listedTitle({ info, tab }: GroupedSession): string {
  if (tab !== undefined || info === undefined) return conversationTitle(tab ?? { title: '' });
  const isNameless = info.name === undefined && info.firstText === '';
  return isNameless && info.problem !== undefined ? basename(info.file) : sessionTitle(info);
}

function itemOfSession(node: Extract<SessionNode, { kind: 'session' }>, now: number): vscode.TreeItem {
  const { group, session } = node;
  const { info, tab } = session;
  const title = listedTitle(session);
  const standing = standingOf(session);
  const item = new vscode.TreeItem(title);
  item.id = `${group}\n${tab?.id ?? info?.file ?? ''}`;
  const words = stateWords(session, standing);
  const time = info === undefined ? [] : [timeText(info.modified, now)];
  item.description = [...words, ...time].join(' · ');
  item.iconPath = new vscode.ThemeIcon(...iconOf(session, standing));
  item.contextValue = standing;
  item.tooltip = [title, ...words, ...factsOf(session)].join('\n');
  item.accessibilityInformation = { label: [title, item.description].join(', ') };
  item.command = { command: OPEN, title: vscode.l10n.t('Open Session'), arguments: [node] };
  return item;
}

function groupText(group: SessionGroup): string {
  switch (group) {
    case 'open':
      return vscode.l10n.t('Open in This Window');
    case 'today':
      return vscode.l10n.t('Today');
    case 'yesterday':
      return vscode.l10n.t('Yesterday');
    case 'week':
      return vscode.l10n.t('Last 7 Days');
    case 'earlier':
      return vscode.l10n.t('Earlier');
  }
}

/** How long ago a time was. The last minute is "now": rows are not drawn each second. */
function timeText(time: Date, now: number): string {
  const isNow = now - time.getTime() < 60_000;
  return relativeTime(time, isNow ? time.getTime() : now, vscode.env.language);
}

function stateWords({ info, tab, isElsewhere }: GroupedSession, standing: SessionStanding): string[] {
  const words = standing === 'broken' ? [info?.problem ?? ''] : [];
  if (tab !== undefined && tab.state !== 'idle') words.push(conversationStateText(tab.state));
  if (tab?.shown === true) words.push(vscode.l10n.t('shown'));
  if (isElsewhere) words.push(vscode.l10n.t('open in another window'));
  return words;
}

function iconOf({ tab }: GroupedSession, standing: SessionStanding): [id: string, color?: vscode.ThemeColor] {
  const state = tab?.state ?? 'idle';
  if (state === 'asking') return [conversationStateIcon(state), new vscode.ThemeColor('list.warningForeground')];
  if (state === 'failed') return [conversationStateIcon(state), new vscode.ThemeColor('list.errorForeground')];
  if (state !== 'idle') return [conversationStateIcon(state)];
  if (standing === 'broken') return ['warning', new vscode.ThemeColor('list.warningForeground')];
  return [standing === 'elsewhere' ? 'lock' : conversationStateIcon(state)];
}

/** What the row has no room for. */
function factsOf({ info }: GroupedSession): readonly string[] {
  if (info === undefined) return [vscode.l10n.t('Not stored yet: the file is written with the first answer.')];
  const first = singleLine(info.firstText);
  return [
    ...(info.name !== undefined && first !== '' ? [first] : []),
    [messageCountText(info), info.modified.toLocaleString(vscode.env.language)].join(' · '),
    ...(info.labels.length === 0 ? [] : [vscode.l10n.t('Labels: {0}', info.labels.map(singleLine).join(', '))]),
    info.file,
  ];
}
