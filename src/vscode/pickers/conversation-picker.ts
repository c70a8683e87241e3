import * as vscode from 'vscode';
import type { ConversationTab } from '../../protocol/messages';
import { conversationStateIcon, conversationStateText, conversationTitle } from '../chat/conversation-words';

type Item = vscode.QuickPickItem & { readonly id: string };

/** Lets the user choose an open conversation. Resolves with its id, or undefined when the user cancels. */
export async function pickConversation(tabs: readonly ConversationTab[]): Promise<string | undefined> {
  const items = tabs.map(({ id, shown, ...tab }): Item => ({
    id,
    label: `$(${conversationStateIcon(tab.state)}) ${conversationTitle(tab)}`,
    description: shown ? vscode.l10n.t('shown') : conversationStateText(tab.state),
  }));
  const title = vscode.l10n.t('Switch conversation');
  const placeHolder = vscode.l10n.t('Conversations that are open in this window');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.id;
}
