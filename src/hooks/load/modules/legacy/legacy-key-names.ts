import type { KeyId } from '@mariozechner/pi-tui';

/** The letters for which older versions of pi-tui named the combination with Ctrl. */
export const CTRL_LETTERS = ['a', 'c', 'd', 'e', 'g', 'k', 'l', 'o', 'p', 't', 'u', 'w', 'z'] as const;

/** The key helpers of pi-tui 0.27 to 0.31, and the key that each stands for in today's `matchesKey`. */
export const KEY_OF_HELPER: Readonly<Record<string, KeyId>> = {
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
