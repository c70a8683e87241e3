/** Whether raw terminal input is this key: the helpers of pi-tui up to 0.31. Newer: `matchesKey(data, 'up')`. */
type IsKey = (data: string) => boolean;

export declare const isAltBackspace: IsKey;
export declare const isAltEnter: IsKey;
export declare const isAltLeft: IsKey;
export declare const isAltRight: IsKey;
export declare const isArrowDown: IsKey;
export declare const isArrowLeft: IsKey;
export declare const isArrowRight: IsKey;
export declare const isArrowUp: IsKey;
export declare const isBackspace: IsKey;
export declare const isCtrlA: IsKey;
export declare const isCtrlC: IsKey;
export declare const isCtrlD: IsKey;
export declare const isCtrlE: IsKey;
export declare const isCtrlG: IsKey;
export declare const isCtrlK: IsKey;
export declare const isCtrlL: IsKey;
export declare const isCtrlLeft: IsKey;
export declare const isCtrlO: IsKey;
export declare const isCtrlP: IsKey;
export declare const isCtrlRight: IsKey;
export declare const isCtrlT: IsKey;
export declare const isCtrlU: IsKey;
export declare const isCtrlW: IsKey;
export declare const isCtrlZ: IsKey;
export declare const isDelete: IsKey;
export declare const isEnd: IsKey;
export declare const isEnter: IsKey;
export declare const isEscape: IsKey;
export declare const isHome: IsKey;
export declare const isShiftCtrlD: IsKey;
export declare const isShiftCtrlO: IsKey;
export declare const isShiftCtrlP: IsKey;
export declare const isShiftEnter: IsKey;
export declare const isShiftTab: IsKey;
export declare const isTab: IsKey;

/** What a terminal with the Kitty protocol sends, by key: pi-tui 0.31. */
export declare const Keys: Readonly<Record<string, string>>;

/** The key bindings of pi-tui 0.57. Newer: `getKeybindings()`. */
export interface EditorKeybindings {
  matches(data: string, action: string): boolean;
  getKeys(action: string): string[];
  setConfig(config: Readonly<Record<string, string | string[]>>): void;
}
export declare const DEFAULT_EDITOR_KEYBINDINGS: Readonly<Record<string, string | string[]>>;
export declare const EditorKeybindingsManager: new (
  config?: Readonly<Record<string, string | string[]>>,
) => EditorKeybindings;
export declare function getEditorKeybindings(): EditorKeybindings;
export declare function setEditorKeybindings(manager: EditorKeybindings): void;
