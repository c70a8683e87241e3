import * as vscode from 'vscode';
import { messageOfEntry } from '../../agent/session/context';
import type { SessionStore } from '../../agent/session/store';
import type { Conversation } from '../../conversation/conversation';
import { plainText } from '../../conversation/cards/message-parts';

/** Messages that are offered; earlier ones are labelled in the tree. */
const OFFERED = 300;

/** The entry that a caller names: by itself, or by the drawn item that a menu was opened on. */
export function labelTarget(target: unknown, conversation: Conversation): string | undefined {
  if (typeof target !== 'object' || target === null) return undefined;
  if ('entryId' in target && typeof target.entryId === 'string') return target.entryId;
  if (!('itemId' in target) || typeof target.itemId !== 'string') return undefined;
  const entryId = conversation.entryOfItem(target.itemId);
  if (entryId === undefined) throw new Error(vscode.l10n.t('This message is in no session yet.'));
  return entryId;
}

/** Lets the person choose a message of the current path, the latest first. */
export async function chooseLabelled(store: SessionStore): Promise<string | undefined> {
  const items = store
    .getPathIds()
    .slice(-OFFERED)
    .reverse()
    .flatMap(({ id }) => itemFor(store, id));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no message to label yet.'));
    return undefined;
  }
  const title = vscode.l10n.t('Which message shall bear a label?');
  const chosen = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  return chosen?.entryId;
}

function itemFor(store: SessionStore, entryId: string): (vscode.QuickPickItem & { readonly entryId: string })[] {
  const entry = store.getEntry(entryId);
  const message = entry && messageOfEntry(entry);
  if (message?.role !== 'user' && message?.role !== 'assistant') return [];
  const text = plainText(message.content).replace(/\s+/g, ' ').trim();
  if (text === '') return [];
  const label = store.getLabel(entryId);
  const icon = message.role === 'user' ? '$(account)' : '$(hubot)';
  return [
    {
      label: `${icon} ${text.slice(0, 100).replaceAll('$(', '$\u200b(')}`,
      ...(label === undefined ? {} : { description: `$(tag) ${label}` }),
      entryId,
    },
  ];
}
