import { defined } from '../../base/defined';
import { Emitter } from '../../base/event';
import type { AgentMessage } from '../../agent/messages';
import type { AssistantBlock, AssistantItem, ChatItem, NoticeItem } from '../../protocol/chat-item';
import type { ChatChange } from '../../protocol/messages';
import { withNested } from '../../protocol/nested-line';

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
        this.update(change.id, item => (item.kind === 'assistant' ? appendText(item, change) : item));
        return;
      case 'thought':
        this.update(change.id, item => (item.kind === 'assistant' ? withDuration(item, change) : item));
        return;
      case 'displayText':
        this.update(change.id, item => (item.kind === 'assistant' ? withShown(item, change) : item));
        return;
      case 'output':
        this.update(change.id, item =>
          item.kind === 'tool' || item.kind === 'bash'
            ? { ...item, output: change.reset ? change.append : item.output + change.append }
            : item,
        );
        return;
      case 'toolState':
        this.update(change.id, item => (item.kind === 'tool' ? { ...item, state: change.state } : item));
        return;
      case 'nestedCall':
        this.update(change.id, item => (item.kind === 'tool' ? withNested(item, change.call) : item));
        return;
      case 'status':
      case 'commands':
      case 'composer':
      case 'focusComposer':
      case 'changes':
      case 'fileDiff':
        return;
      case 'reveal':
        this.toReveal = change.id;
        return;
    }
  }

  private update(id: string, change: (item: ChatItem) => ChatItem): void {
    const item = this.byId.get(id);
    if (item !== undefined) this.byId.set(id, change(item));
  }
}

function appendText(item: AssistantItem, change: Extract<ChatChange, { type: 'text' }>): AssistantItem {
  const blocks: AssistantBlock[] = [...item.blocks];
  const block = blocks[change.block];
  const { blockType: type, append: text, startedAt } = change;
  if (block === undefined) blocks.push({ type, text, ...defined({ startedAt }) });
  else blocks[change.block] = { ...block, text: block.text + change.append };
  return { ...item, blocks };
}

function withDuration(item: AssistantItem, change: Extract<ChatChange, { type: 'thought' }>): AssistantItem {
  const block = item.blocks[change.block];
  if (block === undefined) return item;
  return { ...item, blocks: item.blocks.with(change.block, { ...block, durationMs: change.durationMs }) };
}

function withShown(item: AssistantItem, change: Extract<ChatChange, { type: 'displayText' }>): AssistantItem {
  const block = item.blocks[change.block];
  if (block === undefined) return item;
  const displayText = (block.displayText ?? '').slice(0, change.keep) + change.append;
  return { ...item, blocks: item.blocks.with(change.block, { ...block, displayText }) };
}
