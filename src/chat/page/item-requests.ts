import * as l10n from '@vscode/l10n';
import { readFile } from 'node:fs/promises';
import type { ErrorHelp } from '../../protocol/items/chat-item';
import type { WebviewToHost } from '../../protocol/messages';
import type { DialogQueue } from '../../session/ports/dialogs';
import type { Chat } from '../chat';
import { compactForUser } from '../commands/compact';
import type { EditorPort } from '../editor/editor-port';

/** The requests of a page about one item of the conversation. */
export type ItemRequest = Extract<WebviewToHost, { type: 'notice' | 'help' | 'deny' | 'showDiff' }>;

export interface ItemRequestParts {
  readonly editor: EditorPort;
  readonly dialogs: DialogQueue;
  /** Gives the composer of the page that asks the focus. */
  readonly focusComposer: () => void;
}

/** Does what a page asks of an item. A page can only do what the host put on the item; anything else is ignored. */
export async function askItem(chat: Chat, message: ItemRequest, parts: ItemRequestParts): Promise<void> {
  const { editor, dialogs } = parts;
  switch (message.type) {
    case 'notice':
      return runNotice(chat, message, parts);
    case 'help':
      return help(chat, message.id, message.help, editor);
    case 'deny': {
      const gate = chat.model.get(message.id);
      if (gate?.kind === 'gate' && gate.canDeny === true) dialogs.answer(message.id, { denied: message.message });
      return;
    }
    case 'showDiff':
      return showDiff(chat, message.id, editor);
  }
}

async function runNotice(
  { conversation, model, composer }: Chat,
  { id, command }: Extract<ItemRequest, { type: 'notice' }>,
  { editor, focusComposer }: ItemRequestParts,
): Promise<void> {
  const item = model.get(id);
  if (item?.kind !== 'notice' || item.actions?.some(action => action.command === command) !== true) return;
  if (command === 'compact') return compactForUser(conversation);
  if (command !== 'compactWith') {
    editor.run(command, item.hook?.path);
    return;
  }
  composer.giveBack('/compact ');
  focusComposer();
}

async function help(
  { conversation, model, edits }: Chat,
  id: string,
  wanted: ErrorHelp,
  editor: EditorPort,
): Promise<void> {
  const item = model.get(id);
  if (item?.kind !== 'assistant' || item.help?.includes(wanted) !== true) return;
  switch (wanted) {
    case 'continue':
      return conversation.run.goOn();
    case 'retry':
      return conversation.run.retry(model.messageOf(id));
    case 'compact':
      return compactForUser(conversation);
    case 'editMessage':
      edits.beginBefore(id);
      return;
    case 'setApiKey':
    case 'logIn':
    case 'pickModel':
    case 'openSettings':
      editor.run(wanted);
  }
}

async function showDiff({ model, changes }: Chat, id: string, editor: EditorPort): Promise<void> {
  const item = model.get(id);
  if (item?.kind !== 'tool') return;
  const { path } = item;
  const before = path === undefined ? undefined : await changes.textBefore(item.toolCallId);
  if (path === undefined || before === undefined) {
    model.notice('warning', l10n.t('The text before this change is no longer available.'));
    return;
  }
  await readFile(path); // throws for a file that is gone
  editor.showDiff(path, before, item.summary, undefined, changes.originOf(path, item.id));
}
