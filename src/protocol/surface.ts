import type { HookRef } from './chat-item';

/**
 * What hooks draw as in a terminal: lines of text with escape sequences, made in the host and painted in the page.
 * Surfaces live in the host; a page that comes late gets the whole list and full frames.
 */

/** Where a surface stands. `panel` and `editor` hold the keyboard, `overlay` may; the others are only looked at. */
export type SurfacePlace = 'panel' | 'overlay' | 'editor' | 'header' | 'above' | 'below' | 'footer';

export interface Surface {
  /** Never used again for another surface of the window. */
  readonly id: string;
  readonly place: SurfacePlace;
  readonly hook: HookRef;
  /** Wants the keyboard; of several the last in the list has it. */
  readonly takesKeys: boolean;
  /** What a person calls it: the command or event that opened it. */
  readonly label: string;
  /** Lines that never change and need no frames (a widget given as text). */
  readonly text?: readonly string[];
}

/** Where an overlay stands on a grid of `columns` × `rows`, in cells. */
export interface OverlayBox {
  readonly row: number;
  readonly column: number;
  readonly width: number;
  readonly columns: number;
  readonly rows: number;
}

/** Which lines of a surface are new. At most one frame per surface is under way: the next one waits for its `ack`. */
export interface SurfaceFrame {
  readonly surface: string;
  /** Counts up per surface. */
  readonly sequence: number;
  /** Lines of the whole picture; what stood below is gone. */
  readonly height: number;
  /** Given when a picture of fixed width needs more columns than the page has: it is shown smaller. */
  readonly columns?: number;
  /** Row from 0, text with escape sequences. */
  readonly changes: readonly (readonly [row: number, text: string])[];
  /** Where text would be typed, in cells from 0. */
  readonly cursor?: { readonly row: number; readonly column: number };
  /** Key releases are wanted too. */
  readonly wantsReleases: boolean;
  readonly overlay?: OverlayBox;
}

/** Host to page, beside the numbered messages of the conversation: each is complete in itself. */
export type SurfaceToPage =
  /** All surfaces, in the order in which they were opened; those not listed are gone. */
  | { readonly type: 'surfaces'; readonly surfaces: readonly Surface[] }
  | { readonly type: 'frame'; readonly frame: SurfaceFrame }
  /** Keys that hooks listen to while the chat has the focus, as `ctrl+shift+x`; and whether a hook sees all input. */
  | { readonly type: 'keys'; readonly shortcuts: readonly string[]; readonly listening: boolean }
  /** Answers `rawKey`: whether a hook has kept the key for itself. */
  | { readonly type: 'rawKeyDone'; readonly id: number; readonly consumed: boolean };

/** Room for terminal text, in cells of the page's terminal font. */
export interface PageCells {
  readonly columns: number;
  /** Rows that are seen at once. */
  readonly rows: number;
  /** Columns inside of a card of the conversation. */
  readonly cardColumns: number;
}

/** Name of VS Code's kind of theme. */
export type ThemeKind = 'dark' | 'light' | 'hc-dark' | 'hc-light';

/** Page to host. */
export type SurfaceToHost =
  /** Terminal input: what a key or a paste sends. */
  | { readonly type: 'key'; readonly surface: string; readonly data: string }
  /** The frame is on the screen. */
  | { readonly type: 'ack'; readonly surface: string; readonly sequence: number }
  /** It wants the keyboard, which is in another part of VS Code. */
  | { readonly type: 'unfocused'; readonly surface: string }
  /** The person closes it, whatever its component does. */
  | { readonly type: 'closeSurface'; readonly surface: string }
  | { readonly type: 'cells'; readonly cells: PageCells }
  /** Colours of VS Code's theme as `#rrggbb` by name of pi's theme; `''` is the terminal's own. */
  | { readonly type: 'theme'; readonly kind: ThemeKind; readonly colors: Readonly<Record<string, string>> }
  | { readonly type: 'shortcut'; readonly key: string }
  /** Input typed anywhere in the chat, while a hook listens. */
  | { readonly type: 'rawKey'; readonly id: number; readonly data: string }
  /** Opens or folds what a hook has drawn for an item. */
  | { readonly type: 'expandItem'; readonly id: string; readonly expanded: boolean };
