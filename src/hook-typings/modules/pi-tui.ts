import type * as piTui from '@mariozechner/pi-tui';

export * from '@mariozechner/pi-tui';
export * from '../ui/legacy-keys';
/** The screen that components are drawn on. Newer: `TuiMainScreen` is the class, `TUI` the type. */
export type TUI = piTui.TUI;
export declare const TUI: typeof piTui.TuiMainScreen;
