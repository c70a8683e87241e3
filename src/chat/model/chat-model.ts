import { Emitter } from '../../base/event';
import type { AgentMessage } from '../../agent/messages';
import type { ChatItem, NoticeItem } from '../../protocol/items/chat-item';
import type { ChatChange } from '../../protocol/messages';
import { changedItem } from '../../protocol/changed-item';

/** Id of the item that shows a tool call. */
export function toolItemId(toolCallId: string): string {
  return `tool:${toolCallId}`;
}

/**
 * The host's copy of the drawn chat: every change is applied here and then sent, so that a page that connects later
 * gets a snapshot with all changes.
 */
export class ChatModel {
  private readonly byId = new Map<string, ChatItem>();
  private readonly changeEmitter = new Emitter<ChatChange>();
  readonly onDidChange = this.changeEmitter.event;

  private count = 0;
  private readonly messages = new Map<string, AgentMessage>();
  private toReveal: string | undefined;

  /** The item to reveal, until a page got the request. */
  get revealed(): string | undefined {
    return this.toReveal;
  }

  /** A page got the request to reveal the item. */
  revealSent(): void {
    this.toReveal = undefined;
  }

  get items(): readonly ChatItem[] {
    return [...this.byId.values()];
  }

  /** The items one after the other, without a copy of the list. */
  inOrder(): Iterable<ChatItem> {
    return this.byId.values();
  }

  get(id: string): ChatItem | undefined {
    return this.byId.get(id);
  }

  /** Removes all items without events: the caller sends a snapshot. */
  reset(items: readonly ChatItem[]): void {
    this.byId.clear();
    for (const item of items) this.byId.set(item.id, item);
  }

  /** An id that no item of this chat had before. */
  nextId(kind: string): string {
    this.count += 1;
    return `${kind}:${this.count}`;
  }

  /** Adds a notice at the end. */
  notice(
    level: NoticeItem['level'],
    text: string,
    more: Partial<Omit<NoticeItem, 'kind' | 'id' | 'level' | 'text'>> = {},
  ): void {
    this.apply({ type: 'item', item: { kind: 'notice', id: this.nextId('notice'), level, text, ...more } });
  }

  /** Remembers the message of an item. */
  link(itemId: string, message: AgentMessage): void {
    this.messages.set(itemId, message);
  }

  /** The message of an item. */
  messageOf(itemId: string): AgentMessage | undefined {
    return this.messages.get(itemId);
  }

  /** The item of a message that matches. */
  itemOf(isMeant: (message: AgentMessage) => boolean): string | undefined {
    return [...this.messages].find(([, message]) => isMeant(message))?.[0];
  }

  /** Forgets the messages of all items before others are drawn. */
  unlinkAll(): void {
    this.messages.clear();
  }

  apply(change: ChatChange): void {
    this.keep(change);
    this.changeEmitter.fire(change);
  }

  private keep(change: ChatChange): void {
    switch (change.type) {
      case 'item':
        this.byId.set(change.item.id, change.item);
        return;
      case 'remove':
        this.byId.delete(change.id);
        return;
      case 'text':
      case 'thought':
      case 'displayText':
      case 'output':
      case 'toolState':
      case 'nestedCall': {
        const item = this.byId.get(change.id);
        if (item !== undefined) this.byId.set(change.id, changedItem(item, change) ?? item);
        return;
      }
      case 'status':
      case 'commands':
      case 'composer':
      case 'draft':
      case 'changes':
      case 'runningCommands':
      case 'fileDiff':
      case 'todos':
        return;
      case 'reveal':
        this.toReveal = change.id;
        return;
    }
  }
}
