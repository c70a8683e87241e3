import type * as piTui from '@mariozechner/pi-tui';
import type { KeyId } from '@mariozechner/pi-tui';

type PiTui = typeof piTui;

/** The letters for which older versions of pi-tui named the combination with Ctrl. */
const CTRL_LETTERS = ['a', 'c', 'd', 'e', 'g', 'k', 'l', 'o', 'p', 't', 'u', 'w', 'z'] as const;

/** The key helpers of pi-tui 0.27 to 0.31, and the key that each stands for in today's `matchesKey`. */
const KEY_OF_HELPER: Readonly<Record<string, KeyId>> = {
  isArrowUp: 'up',
  isArrowDown: 'down',
  isArrowLeft: 'left',
  isArrowRight: 'right',
  isEscape: 'escape',
  isEnter: 'enter',
  isTab: 'tab',
  isShiftTab: 'shift+tab',
  isBackspace: 'backspace',
  isDelete: 'delete',
  isHome: 'home',
  isEnd: 'end',
  isAltEnter: 'alt+enter',
  isAltLeft: 'alt+left',
  isAltRight: 'alt+right',
  isAltBackspace: 'alt+backspace',
  isShiftEnter: 'shift+enter',
  isCtrlLeft: 'ctrl+left',
  isCtrlRight: 'ctrl+right',
  isShiftCtrlD: 'ctrl+shift+d',
  isShiftCtrlO: 'ctrl+shift+o',
  isShiftCtrlP: 'ctrl+shift+p',
  ...Object.fromEntries(CTRL_LETTERS.map(letter => [`isCtrl${letter.toUpperCase()}`, `ctrl+${letter}`])),
};

/** Modifier numbers of the Kitty keyboard protocol. */
const SHIFT = 2;
const ALT = 3;
const CTRL = 5;

/** `Keys` of pi-tui 0.31: the sequence that a terminal with the Kitty protocol sends for each key. */
const KEYS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(CTRL_LETTERS.map(letter => [`CTRL_${letter.toUpperCase()}`, kitty(letter, CTRL)])),
  SHIFT_ENTER: kitty('\r', SHIFT),
  ALT_ENTER: kitty('\r', ALT),
  CTRL_ENTER: kitty('\r', CTRL),
  SHIFT_TAB: kitty('\t', SHIFT),
  ALT_BACKSPACE: kitty('\x7f', ALT),
};

function kitty(character: string, modifier: number): string {
  return `\x1b[${character.charCodeAt(0)};${modifier}u`;
}

/** Exports that pi-tui no longer has: the key helpers of 0.31 and the editor keybindings of 0.57. */
export function legacyKeys(tui: PiTui): Readonly<Record<string, unknown>> {
  const helpers = Object.entries(KEY_OF_HELPER).map(([name, key]) => [
    name,
    (data: string) => tui.matchesKey(data, key),
  ]);
  return { ...(Object.fromEntries(helpers) as Record<string, unknown>), Keys: KEYS, ...editorKeybindings(tui) };
}

type Bindings = Readonly<Record<string, KeyId | KeyId[]>>;

/** Actions of 0.57 that today's pi-tui has no binding for, with their former keys. */
const LEGACY_ACTIONS: Bindings = {
  expandTools: 'ctrl+o',
  treeFoldOrUp: ['ctrl+left', 'alt+left'],
  treeUnfoldOrDown: ['ctrl+right', 'alt+right'],
};

/** `getEditorKeybindings()` and related exports: an action of 0.57 is today's `tui.<group>.<action>`. */
function editorKeybindings(tui: PiTui): Readonly<Record<string, unknown>> {
  const today = Object.entries(tui.TUI_KEYBINDINGS).map(([id, { defaultKeys }]): [string, KeyId | KeyId[]] => [
    actionOf(id),
    defaultKeys as KeyId | KeyId[],
  ]);
  const defaults: Bindings = { ...LEGACY_ACTIONS, ...Object.fromEntries(today) };
  class EditorKeybindingsManager {
    private bindings: Bindings;
    constructor(config: Bindings = {}) {
      this.bindings = { ...defaults, ...config };
    }
    matches(data: string, action: string): boolean {
      return this.getKeys(action).some(key => tui.matchesKey(data, key));
    }
    getKeys(action: string): KeyId[] {
      return [this.bindings[action] ?? []].flat();
    }
    setConfig(config: Bindings): void {
      this.bindings = { ...defaults, ...config };
    }
  }
  let current = new EditorKeybindingsManager();
  return {
    DEFAULT_EDITOR_KEYBINDINGS: defaults,
    EditorKeybindingsManager,
    getEditorKeybindings: () => current,
    setEditorKeybindings: (manager: EditorKeybindingsManager) => {
      current = manager;
    },
  };
}

/** `tui.editor.cursorUp` was `cursorUp`, `tui.select.up` was `selectUp`. */
function actionOf(id: string): string {
  const [, group, name = ''] = id.split('.');
  return group === 'select' ? `select${name.charAt(0).toUpperCase()}${name.slice(1)}` : name;
}
