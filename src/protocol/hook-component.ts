import { HookRef } from './chat-item';
import {
  flag,
  list,
  narrowed,
  number,
  object,
  oneOf,
  optional,
  pair,
  record,
  text,
  type MessageOf,
  type Of,
} from './shape';

/**
 * What hooks draw as in a terminal: lines of text with escape sequences, made in the host and painted in the page.
 * HookComponents live in the host; a page that comes late gets the whole list and full frames.
 */

/** Where a component stands. `panel` and `editor` hold the keyboard, `overlay` may; the others are only looked at. */
export const ComponentPlace = oneOf('panel', 'overlay', 'editor', 'header', 'above', 'below', 'footer');
export type ComponentPlace = Of<typeof ComponentPlace>;

export const HookComponent = object({
  /** Never used again for another component of the window. */
  id: text,
  place: ComponentPlace,
  hook: HookRef,
  /** Wants the keyboard; of several the last in the list has it. */
  takesKeys: flag,
  /** What a user calls it: the command or event that opened it. */
  label: text,
  /** Lines that never change and need no frames (a widget given as text). */
  text: optional(list(text)),
});
export type HookComponent = Of<typeof HookComponent>;

/** Where an overlay depends on a grid of `columns` × `rows`, in cells. */
export const OverlayBox = object({ row: number, column: number, width: number, columns: number, rows: number });
export type OverlayBox = Of<typeof OverlayBox>;

/** Which lines of a component are new. At most one frame per component is under way: the next one waits for its `ack`. */
export const ComponentFrame = object({
  component: text,
  /** Counts up per component. */
  sequence: number,
  /** Lines of the whole picture; what was below is gone. */
  height: number,
  /** Given when a picture of fixed width needs more columns than the page has: it is shown smaller. */
  columns: optional(number),
  /** Row from 0, and its text with escape sequences. */
  changes: list(pair(number, text)),
  /** Where text would be typed, in cells from 0. */
  cursor: optional(object({ row: number, column: number })),
  /** Key releases are wanted too. */
  wantsReleases: flag,
  overlay: optional(OverlayBox),
});
export type ComponentFrame = Of<typeof ComponentFrame>;

/** Host to page, beside the numbered messages of the conversation: each is complete in itself. */
export const ComponentToPage = {
  /** All components, in the order in which they were opened; those not listed are gone. */
  components: { components: list(HookComponent) },
  frame: { frame: ComponentFrame },
  /** Keys that hooks listen to while the chat has the focus, as `ctrl+shift+x`; and whether a hook sees all input. */
  keys: { shortcuts: list(text), listening: flag },
  /** Answers `rawKey`: whether a hook has kept the key for itself. */
  rawKeyDone: { id: number, consumed: flag },
};
export type ComponentToPage = MessageOf<typeof ComponentToPage>;

/** More cells than any screen has would be a mistake, and costly. */
const cellCount = narrowed(number, n => Number.isInteger(n) && n >= 1 && n <= 2_000, 'no count of cells');
/** `#rrggbb`, or empty for the terminal's own colour. */
const color = narrowed(text, value => /^(#[0-9a-f]{6})?$/i.test(value), 'no colour');

/** Room for terminal text, in cells of the page's terminal font. */
export const PageCells = object({
  columns: cellCount,
  /** Rows that are seen at once. */
  rows: cellCount,
  /** Columns inside of a card of the conversation. */
  cardColumns: cellCount,
});
export type PageCells = Of<typeof PageCells>;

/** Name of VS Code's kind of theme. */
export const ThemeKind = oneOf('dark', 'light', 'hc-dark', 'hc-light');
export type ThemeKind = Of<typeof ThemeKind>;

/** Page to host. */
export const ComponentToHost = {
  /** Terminal input: what a key or a paste sends. */
  key: { component: text, data: text },
  /** The frame is on the screen. */
  ack: { component: text, sequence: number },
  /** It wants the keyboard, which is in another part of VS Code. */
  unfocused: { component: text },
  /** The user closes it, whatever its component does. */
  closeComponent: { component: text },
  cells: { cells: PageCells },
  /** Colours of VS Code's theme by name of pi's theme. */
  theme: { kind: ThemeKind, colors: record(color) },
  shortcut: { key: text },
  /** Input typed anywhere in the chat, while a hook listens. */
  rawKey: { id: number, data: text },
  /** Opens or folds what a hook has drawn for an item. */
  expandItem: { id: text, expanded: flag },
};
export type ComponentToHost = MessageOf<typeof ComponentToHost>;
