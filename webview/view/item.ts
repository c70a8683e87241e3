import { html, type TemplateResult } from 'lit';
import type { ChatItem } from '../../src/protocol/chat-item';
import { gateView } from './gate-card';
import type { ItemContext } from './item-context';
import { assistantView, userView } from './message';
import { bashView, customView, noticeView } from './notice';
import { toolView } from './tool-card';
import { stateWords } from './tool-state';

/** An item's inside. An item that cannot be drawn says so in its place; the others are not harmed. */
export function itemView(item: ChatItem, context: ItemContext, named: boolean): TemplateResult {
  try {
    return viewOf(item, context, named);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return html`<p class="problem">This ${item.kind} entry (${item.id}) could not be shown: ${reason}</p>`;
  }
}

function viewOf(item: ChatItem, context: ItemContext, named: boolean): TemplateResult {
  switch (item.kind) {
    case 'user':
      return userView(item);
    case 'assistant':
      return assistantView(item, context, named);
    case 'tool':
      return toolView(item, context);
    case 'notice':
      return noticeView(item, context);
    case 'custom':
      return customView(item);
    case 'bash':
      return bashView(item);
    case 'gate':
      return gateView(item, context);
  }
}

/** Whether an item stands in the conversation: a message that waits to be sent stands at the composer. */
export function isShown(item: ChatItem): boolean {
  return item.kind !== 'user' || item.state === 'sent';
}

/** The attributes of an item's element; they stand there even while its inside is not drawn. */
export function itemAttributes(item: ChatItem): Readonly<Record<string, string>> {
  const common = { 'data-item-id': item.id, 'data-kind': item.kind, class: `item item-${item.kind}` };
  switch (item.kind) {
    case 'user':
      return { ...common, 'data-state': item.state, 'aria-label': 'You' };
    case 'assistant':
      return { ...common, 'data-state': item.state, 'aria-label': item.model };
    case 'tool':
      return {
        ...common,
        'data-tool': item.name,
        'data-state': item.state.type,
        'aria-label': `Tool ${item.name}, ${stateWords(item.state)}`,
      };
    case 'notice':
      return { ...common, 'data-level': item.level, 'aria-label': `Notice, ${item.level}` };
    case 'custom':
      return { ...common, 'data-custom-type': item.customType, 'aria-label': item.customType };
    case 'bash':
      return { ...common, 'data-state': item.state, 'aria-label': `Command, ${item.state}` };
    case 'gate':
      return {
        ...common,
        'data-gate': item.dialog.type,
        'data-state': item.state.type,
        'aria-label': `Question, ${item.state.type}`,
      };
  }
}

/** A first guess of an item's height in px, until it has been drawn and measured. */
export function estimatedHeight(item: ChatItem): number {
  switch (item.kind) {
    case 'user':
      return 48 + lines(item.text.length);
    case 'assistant':
      return 16 + lines(item.blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 60), 0));
    case 'tool':
      return 72 + (item.name === 'bash' ? Math.min(lines(item.output.length), 240) : 0);
    case 'custom':
      return 48 + lines(item.text.length);
    case 'gate':
      return 140;
    case 'notice':
    case 'bash':
      return 60;
  }
}

function lines(characters: number): number {
  return Math.min(4000, 20 * Math.ceil(characters / 50));
}
