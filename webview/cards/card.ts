import type { TemplateResult } from 'lit';
import type { ChatItem } from '../../src/protocol/items/chat-item';
import type { ItemContext } from './item-context';

/** What the page does with one kind of item. */
export interface Card<I extends ChatItem> {
  /** The content. `named`: an answer shows the name of its model, as the first of several answers in a row does. */
  view(item: I, context: ItemContext, named: boolean): TemplateResult;
  /** The attributes of its element beside those that every item has; the element has them before its content is drawn. */
  attributes(item: I): Readonly<Record<string, string>> & { readonly 'aria-label': string };
  /** An estimate of the height in px, until the card is drawn and measured. */
  height(item: I): number;
  /** Whether the conversation shows the item; always when absent. */
  isShown?(item: I): boolean;
  /** Whether the commands for the next and the previous message stop here; never when absent. */
  isMessage?(item: I): boolean;
  /** VS Code's context menu opens on it: the session has an entry for it, which can get a label. */
  readonly hasMenu?: true;
  /** What a screen reader says about an item that is new or that has changed since `before`; nothing when absent. */
  spoken?(item: I, before: I | undefined): readonly string[];
}

/** The height in px of a text with so many characters. */
export function textHeight(characters: number): number {
  return Math.min(4000, 20 * Math.ceil(characters / 50));
}
