import type { GateItem } from '../../src/protocol/items/chat-item';
import type { KeyPresses } from './key-presses';

/** The disclosure key of a card's details, which open and close together. */
export const DETAILS = 'details';

/** Remembers which folded parts the user opened or closed. Other parts follow their default. */
export class Disclosure {
  private readonly chosen = new Map<string, boolean>();

  isOpen(key: string, byDefault: boolean): boolean {
    return this.chosen.get(key) ?? byDefault;
  }

  set(key: string, open: boolean): void {
    this.chosen.set(key, open);
  }

  /** Forgets everything; to be called when another conversation is shown. */
  clear(): void {
    this.chosen.clear();
  }
}

/** Handles the `toggle` event of a folded part that is drawn as `open`: remembers it and draws the card again. */
export function onToggle(
  context: Pick<ItemContext, 'disclosure' | 'refresh'>,
  { id, key, open }: { readonly id: string; readonly key: string; readonly open: boolean },
): (event: Event) => void {
  return ({ currentTarget }) => {
    if (!(currentTarget instanceof HTMLDetailsElement) || currentTarget.open === open) return;
    context.disclosure.set(key, currentTarget.open);
    context.refresh(id);
  };
}

/** What the view of a card may use of the page. */
export interface ItemContext {
  readonly disclosure: Disclosure;
  /** The label that a hook set for folded thoughts; undefined: the default. */
  readonly thinkingLabel: string | undefined;
  /** Ids of questions that were answered in this page and that the host has not confirmed yet. */
  readonly answers: Set<string>;
  /** Where keys of the page went down. */
  readonly presses: KeyPresses;
  /** Id of an open question -> the text that the user typed into its form so far. */
  readonly typed: Map<string, string>;
  /** Id of an open question -> title of the editor tab in which the user edits the answer. */
  readonly tabs: Map<string, string>;
  /** Draws a card again after state of the page has changed. */
  refresh(id: string): void;
  /** Answered and canceled questions about a tool card. */
  answeredAbout(id: string): readonly GateItem[];
}
