import { defined } from '../../base/defined';
import type { BashItem } from '../../protocol/items/chat-item';
import type { UserShell, UserShellChange } from '../../session/ports/session-events';
import type { ChatModel } from '../model/chat-model';

/** The cards of commands that the user runs. */
export class ShellCards {
  /** By the id of the command, while it runs. */
  private readonly items = new Map<string, BashItem>();

  constructor(private readonly chat: ChatModel) {}

  follow({ id, command, hidden }: UserShell, change: UserShellChange): void {
    const item = this.items.get(id) ?? {
      ...({ kind: 'bash', id: this.chat.nextId('bash'), command, output: '', state: 'running', hidden } as const),
    };
    switch (change.type) {
      case 'running':
        this.items.set(id, item);
        this.chat.apply({ type: 'item', item });
        return;
      case 'output':
        this.chat.apply({ type: 'output', id: item.id, append: change.append, reset: change.reset });
        return;
      case 'refused':
        this.items.delete(id);
        this.chat.apply({ type: 'remove', id: item.id });
        return;
      case 'over': {
        this.items.delete(id);
        const { output, exitCode, cancelled } = change.outcome;
        const state = cancelled ? 'cancelled' : 'done';
        this.chat.apply({ type: 'item', item: { ...item, output, ...defined({ exitCode }), state } });
      }
    }
  }
}
