import type { Disposable } from '../../base/disposable';
import type { Conversation } from '../../session/conversation';
import type { Output } from './output';

/** Writes each warning and error of a conversation to stderr once, until disposed. */
export function printNotices({ chat }: Pick<Conversation, 'chat'>, output: Pick<Output, 'printError'>): Disposable {
  const printed = new Set<string>();
  const print = (item: (typeof chat.items)[number]): void => {
    if (item.kind !== 'notice' || item.level === 'info' || printed.has(item.id)) return;
    printed.add(item.id);
    const place =
      item.file === undefined ? '' : ` (${item.file.path}${item.file.line === undefined ? '' : `:${item.file.line}`})`;
    output.printError(`${item.level === 'error' ? 'Error' : 'Warning'}: ${item.text}${place}`);
  };
  for (const item of chat.items) print(item);
  return chat.onDidChange(change => {
    if (change.type === 'item') print(change.item);
  });
}
