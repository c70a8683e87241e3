import * as vscode from 'vscode';
import type { ConversationTab } from '../../protocol/messages';
import type { ChatView } from './chat-view';
import type { Handlers } from '../commands';
import { stateIcon, stateText, titleOf } from './conversation-words';
import type { Lazy } from '../lazy';
import type { HooklineWindow } from '../window/window';

type Item = vscode.QuickPickItem & { readonly id: string };

/** Beginning, switching and closing the conversations of the window. */
export function forConversations(
  window: Lazy<HooklineWindow>,
  view: ChatView,
): Pick<
  Handlers,
  | 'hookline.newSession'
  | 'hookline.newConversation'
  | 'hookline.switchConversation'
  | 'hookline.nextConversation'
  | 'hookline.previousConversation'
  | 'hookline.closeConversation'
> {
  const all = async () => (await window.get()).conversations;
  return {
    'hookline.newSession': async () => {
      await (await all()).newSession();
      await view.focus();
    },
    'hookline.newConversation': async () => {
      await (await all()).openBeside();
      await view.focus();
    },
    'hookline.switchConversation': async () => {
      const conversations = await all();
      const id = await pick(conversations.tabs);
      if (id === undefined) return;
      conversations.show(id);
      await view.focus();
    },
    'hookline.nextConversation': async () => (await all()).step(1),
    'hookline.previousConversation': async () => (await all()).step(-1),
    'hookline.closeConversation': async () => {
      const conversations = await all();
      const shown = conversations.tabs.find(tab => tab.shown);
      if (shown === undefined || !(await conversations.mayEnd(shown.id, 'close'))) return;
      await conversations.close(shown.id);
    },
  };
}

async function pick(tabs: readonly ConversationTab[]): Promise<string | undefined> {
  const items = tabs.map(({ id, shown, ...tab }): Item => ({
    id,
    label: `${stateIcon(tab.state)} ${titleOf(tab)}`,
    description: shown ? vscode.l10n.t('shown') : stateText(tab.state),
  }));
  const title = vscode.l10n.t('Switch conversation');
  const placeHolder = vscode.l10n.t('Conversations that are open in this window');
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.id;
}
