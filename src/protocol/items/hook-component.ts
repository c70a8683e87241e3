import { HookRef } from './chat-item';
import {
  boolean,
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
} from '../base/shape';

/**
 * Messages about what hooks draw as in a terminal: lines of text with escape sequences. The components live in the
 * host, and the page paints them; a page that opens later gets the whole list and full frames.
 */

/** Where a component is shown. `panel` and `editor` take the keyboard, `overlay` can; the others do not. */
export const ComponentPlace = oneOf('panel', 'overlay', 'editor', 'header', 'above', 'below', 'footer');
export type ComponentPlace = Of<typeof ComponentPlace>;

export const HookComponent = object({
  /** Unique among all components that the window ever shows. */
  id: text,
  place: ComponentPlace,
  hook: HookRef,
  /** The component wants the keyboard; if several do, the last one in the list gets it. */
  takesKeys: boolean,
  /** Name for the user: the command or event that opened the component. */
  label: text,
  /** Lines of a widget given as text; they never change, so no frames are sent for it. */
  text: optional(list(text)),
});
export type HookComponent = Of<typeof HookComponent>;

/** Place and width of an overlay in a grid of `columns` × `rows`, in cells. */
export const OverlayBox = object({ row: number, column: number, width: number, columns: number, rows: number });
export type OverlayBox = Of<typeof OverlayBox>;

/** The changed lines of a component. The host sends the next frame of a component only after the `ack` for this one. */
export const ComponentFrame = object({
  component: text,
  /** Increases by one with each frame of the component. */
  sequence: number,
  /** How many lines the component has now; the page removes those below. */
  height: number,
  /** Set when lines of a fixed width need more columns than the page has: it then draws them smaller. */
  columns: optional(number),
  /** Pairs of a row, counted from 0, and its new text with escape sequences. */
  changes: list(pair(number, text)),
  /** Where the text cursor is, in cells from 0. */
  cursor: optional(object({ row: number, column: number })),
  /** The component wants key releases as well. */
  wantsReleases: boolean,
  overlay: optional(OverlayBox),
});
export type ComponentFrame = Of<typeof ComponentFrame>;

/** Host to page. These messages are not numbered as those of the conversation are: each is complete. */
export const ComponentToPage = {
  /** All components, in the order in which they were opened; the page removes those not listed. */
  components: { components: list(HookComponent) },
  frame: { frame: ComponentFrame },
  /** The keys that hooks react to while the chat has the focus, such as `ctrl+x`; whether a hook sees all input. */
  keys: { shortcuts: list(text), listening: boolean },
  /** Answers `rawKey`: whether a hook consumed the key. */
  rawKeyDone: { id: number, consumed: boolean },
};
export type ComponentToPage = MessageOf<typeof ComponentToPage>;

/** The limit is more than any screen has: a larger count is a mistake, and drawing so much would be slow. */
const cellCount = narrowed(number, n => Number.isInteger(n) && n >= 1 && n <= 2_000, 'not a number of cells');
/** `#rrggbb`, or empty for the terminal's own color. */
const color = narrowed(text, value => /^(#[0-9a-f]{6})?$/i.test(value), 'not a color');

/** The space for terminal text, in cells of the page's terminal font. */
export const PageCells = object({
  columns: cellCount,
  /** Rows that are visible at once. */
  rows: cellCount,
  /** Columns inside a card of the conversation. */
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
  /** The page has drawn the frame. */
  ack: { component: text, sequence: number },
  /** The component wants the keyboard, but another part of VS Code has the focus. */
  unfocused: { component: text },
  /** The user closes the component, even if it does not react to keys. */
  closeComponent: { component: text },
  cells: { cells: PageCells },
  /** The colors of VS Code's theme under the names that pi's themes use. */
  theme: { kind: ThemeKind, colors: record(color) },
  shortcut: { key: text },
  /** Input that the user typed anywhere in the chat, while a hook listens to all input. */
  rawKey: { id: number, data: text },
  /** Unfolds or folds what a hook has drawn for an item. */
  expandItem: { id: text, expanded: boolean },
};
export type ComponentToHost = MessageOf<typeof ComponentToHost>;
