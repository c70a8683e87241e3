import type { GateItem } from '../../src/protocol/chat-item';

/** Key of an item's details, which open and close together. */
export const DETAILS = 'details';

/** Which folded parts the user opened or closed by hand; the rest is as the item's state suggests. */
export class Disclosure {
  private readonly chosen = new Map<string, boolean>();

  isOpen(key: string, byDefault: boolean): boolean {
    return this.chosen.get(key) ?? byDefault;
  }

  set(key: string, open: boolean): void {
    this.chosen.set(key, open);
  }

  /** Another conversation is shown. */
  clear(): void {
    this.chosen.clear();
  }
}

/** What a view of one item may know of the page around it. */
export interface ItemContext {
  readonly disclosure: Disclosure;
  /** What a hook calls folded thoughts; undefined: the usual words. */
  readonly thinkingLabel: string | undefined;
  /** Gates answered in this page, until the host has confirmed it; by id. */
  readonly answers: Set<string>;
  /** When a question was first drawn here as one to answer, ms since the epoch; by id. */
  readonly askedSince: Map<string, number>;
  /** Draws an item again after something local to the page changed. */
  refresh(id: string): void;
  /** Name and argument of a tool item, for the gate that asks about it. */
  describeTool(id: string): string | undefined;
  /** Questions about a tool item that are over. */
  answeredAbout(id: string): readonly GateItem[];
}
