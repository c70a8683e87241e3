import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { ChatItem } from '../../src/protocol/chat-item';
import { answeredByTool, type AnsweredByTool } from './answered';
import { gateView, gateWord } from './gate-card';
import type { ItemContext } from './item-context';
import { assistantView, userView } from './message';
import { bashState, bashView, customView, entryView, levelWord, noticeView } from './notice';
import { toolView } from './tool-card';
import { stateWords } from './tool-state';

/** The content of a card. A card that cannot be drawn shows the error, so that the other cards are still drawn. */
export function itemView(item: ChatItem, context: ItemContext, named: boolean): TemplateResult {
  try {
    return viewOf(item, context, named);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return html`<p class="problem">
      ${l10n.t('This entry ({0} {1}) could not be shown: {2}', item.kind, item.id, reason)}
    </p>`;
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
    case 'entry':
      return entryView(item);
    case 'bash':
      return bashView(item);
    case 'gate':
      return gateView(item, context);
  }
}

/** The cards that the conversation shows, and the questions that are shown in a tool card instead. */
export interface ShownItems {
  readonly list: readonly ChatItem[];
  readonly answered: AnsweredByTool;
}

/** Finds the cards to show. When all items are shown, `list` is `items` itself. */
export function shownItems(items: readonly ChatItem[]): ShownItems {
  const answered = answeredByTool(items);
  const inCards = new Set([...answered.values()].flat());
  const stands = (item: ChatItem): boolean => isShown(item) && !(item.kind === 'gate' && inCards.has(item));
  return { list: items.every(stands) ? items : items.filter(stands), answered };
}

/**
 * Whether the conversation shows an item. A message that is not sent yet is shown at the composer instead. An entry of a
 * hook is shown only when a hook draws it.
 */
function isShown(item: ChatItem): boolean {
  if (item.kind === 'entry') return item.drawing !== undefined;
  return item.kind !== 'user' || item.state === 'sent';
}

/** The attributes of a card's element. The element has them even while its content is not drawn. */
export function itemAttributes(item: ChatItem): Readonly<Record<string, string>> {
  const common = {
    'data-item-id': item.id,
    'data-kind': item.kind,
    class: `item item-${item.kind}`,
    ...menuContext(item),
  };
  switch (item.kind) {
    case 'user':
      return { ...common, 'data-state': item.state, 'aria-label': l10n.t('You') };
    case 'assistant':
      return { ...common, 'data-state': item.state, 'aria-label': item.model };
    case 'tool':
      return {
        ...common,
        'data-tool': item.name,
        'data-state': item.state.type,
        'aria-label': l10n.t('Tool {0}, {1}', item.name, stateWords(item.state)),
      };
    case 'notice':
      return { ...common, 'data-level': item.level, 'aria-label': l10n.t('Notice, {0}', levelWord(item.level)) };
    case 'custom':
      return { ...common, 'data-custom-type': item.customType, 'aria-label': item.customType };
    case 'entry':
      return { ...common, 'aria-label': l10n.t('Shown by a hook') };
    case 'bash':
      return {
        ...common,
        'data-state': item.state,
        'aria-label': l10n.t('Command, {0}', bashState(item.state, item.exitCode)),
      };
    case 'gate':
      return {
        ...common,
        'data-gate': item.dialog.type,
        'data-state': item.state.type,
        'aria-label': l10n.t('Question, {0}', gateWord(item.state.type)),
      };
  }
}

/** An estimate of a card's height in px, until the card is drawn and measured. */
export function estimatedHeight(item: ChatItem): number {
  switch (item.kind) {
    case 'user':
      return 48 + lines(item.text.length);
    case 'assistant':
      return 16 + lines(item.blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 60), 0));
    case 'tool':
      return 42 + (item.summaryKind === 'command' ? Math.min(lines(item.output.length), 240) : 0);
    case 'custom':
      return 48 + lines(item.text.length);
    case 'entry':
      return 16 + 18 * (item.drawing?.lines.length ?? 0);
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

/** Tells VS Code's context menu which card it is opened on: cards of session entries can get a label. */
function menuContext({ kind, id }: ChatItem): Readonly<Record<string, string>> {
  if (kind !== 'user' && kind !== 'assistant' && kind !== 'tool') return {};
  return { 'data-vscode-context': JSON.stringify({ webviewSection: 'message', itemId: id }) };
}
