import * as vscode from 'vscode';
import { singleLine } from '../../base/text/single-line';
import { visibleText } from '../../base/text/visible-text';
import type { ConversationState, ConversationTab } from '../../protocol/messages';

/** The text that shows a conversation's state. */
export function conversationStateText(state: ConversationState): string {
  switch (state) {
    case 'idle':
      return vscode.l10n.t('ready');
    case 'running':
      return vscode.l10n.t('running');
    case 'asking':
      return vscode.l10n.t('waiting for your answer');
    case 'unread':
      return vscode.l10n.t('unread');
    case 'failed':
      return vscode.l10n.t('failed');
  }
}

/** The name of the codicon of a conversation's state. */
export function conversationStateIcon(state: ConversationState): string {
  switch (state) {
    case 'idle':
      return 'comment';
    case 'running':
      return 'loading~spin';
    case 'asking':
      return 'bell-dot';
    case 'unread':
      return 'circle-filled';
    case 'failed':
      return 'error';
  }
}

export function conversationTitle({ title }: Pick<ConversationTab, 'title'>): string {
  return title === '' ? vscode.l10n.t('New session') : title;
}

/** The title of a conversation's editor tab. It begins with a sign while the agent runs, or waits for the user. */
export function markedTitle(title: string, state: ConversationState): string {
  const text = visibleText(singleLine(conversationTitle({ title })));
  if (state === 'asking') return `? ${text}`;
  return state === 'running' ? `↻ ${text}` : text;
}
