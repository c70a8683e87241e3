import { QUIET_MS, type Clock } from '../quiet';
import type { Arrival, Typing } from './prompt-rules';

/**
 * Whether the user has shown that they see a prompt which opened by itself: they pressed a key in its empty box at least
 * {@link QUIET_MS} after it opened and after the last key in it. Someone who types for another part of VS Code does not do
 * that. The user always sees a prompt that they expect.
 */
export class Attention {
  private lastKey: number;
  private isGiven: boolean;

  constructor(
    private readonly opened: Arrival,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.isGiven = opened === 'expected';
    this.lastKey = clock.now();
  }

  get given(): boolean {
    return this.isGiven;
  }

  /** A key was pressed in the prompt. `inEmptyBox`: nothing was typed there before. */
  noteKey(inEmptyBox: boolean): void {
    const now = this.clock.now();
    if (inEmptyBox && now - this.lastKey >= QUIET_MS) this.isGiven = true;
    this.lastKey = now;
  }

  /** A key was pressed that shows the opposite: the user types, where typing does nothing. */
  noteTyping(): void {
    this.isGiven = this.opened === 'expected';
    this.lastKey = this.clock.now();
  }
}

/** What a pick offers, and what was typed in an earlier pick of the same question. */
export interface Offered<Item> {
  /** The item that is active at first in a pick that the user expects; undefined for none. */
  readonly start: Item | undefined;
  /** The only item that has this text as its whole label. */
  readonly named: (typed: string) => Item | undefined;
  readonly typed: string;
}

/**
 * Decides which item of a pick the user chooses with their keys. VS Code makes an item active when text is typed, and reports
 * it before the text: such an item is not chosen. An Enter key is reported with {@link enter}, all else that takes an item
 * with {@link taken}: VS Code reports a click as an item that becomes active and is taken directly after that.
 */
export class Choosing<Item> {
  private value: string;
  /** The item that arrow keys made active since something was typed. */
  private chosen: Item | undefined;
  /** The item that was shown as active because its label was typed, until VS Code reports that none is active. */
  private shownAsNamed: Item | undefined;
  /** The item that became active with the latest event. */
  private justActive: Item | undefined;
  private readonly attention: Attention;
  private isTypedHere = false;

  constructor(
    private readonly typing: Exclude<Typing, 'text' | 'filter'>,
    private readonly offered: Offered<Item>,
    opened: Arrival,
    clock: Pick<Clock, 'now'>,
  ) {
    this.attention = new Attention(opened, clock);
    this.value = offered.typed;
    this.chosen = this.start;
  }

  /** Whether the user has shown that they see the pick. */
  get isSeen(): boolean {
    return this.attention.given;
  }

  /** The item to show as active: the one that Enter takes. */
  get active(): Item | undefined {
    return this.enterTakes;
  }

  /** VS Code reports that an item became active, or none. Returns whether the pick must show {@link active} again. */
  activeChanged(item: Item | undefined): boolean {
    this.justActive = item;
    if (item === undefined) {
      this.chosen = undefined;
      this.shownAsNamed = this.namedItem;
      return this.active !== undefined;
    }
    // The answer to our own change, which may come after further keys.
    if (item === this.shownAsNamed) return false;
    this.attention.noteKey(this.value === '');
    this.chosen = this.attention.given ? item : undefined;
    return this.chosen !== item;
  }

  /** VS Code reports the text in the box. Returns whether the pick must show {@link active} again. */
  valueChanged(value: string): boolean {
    if (value === this.value) return false;
    this.value = value;
    this.isTypedHere = true;
    this.attention.noteTyping();
    this.justActive = undefined;
    this.chosen = this.start;
    this.shownAsNamed = this.namedItem ?? this.shownAsNamed;
    return true;
  }

  /** The user presses Enter. Returns the item to take; undefined if the key does nothing. */
  enter(): Item | undefined {
    const taken = this.enterTakes;
    if (taken === undefined) this.attention.noteKey(false);
    return taken;
  }

  /** VS Code reports that an item was taken in another way than by Enter. Returns whether the user chose it. */
  taken(item: Item): boolean {
    return item === this.justActive || item === this.enterTakes;
  }

  private get start(): Item | undefined {
    return this.attention.given && this.value === '' ? this.offered.start : undefined;
  }

  private get enterTakes(): Item | undefined {
    return this.chosen ?? this.namedItem;
  }

  private get namedItem(): Item | undefined {
    return this.typing === 'wholeAnswer' && this.isTypedHere ? this.offered.named(this.value) : undefined;
  }
}
