/** The parts of a `KeyboardEvent` that identify the key. */
export interface PressedKey {
  readonly key: string;
  readonly code: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  getModifierState?(name: 'AltGraph'): boolean;
}

const ESC = '\x1b';
/** Keys whose sequence ends in a letter. */
const LETTERED: Readonly<Record<string, string>> = {
  ArrowUp: 'A',
  ArrowDown: 'B',
  ArrowRight: 'C',
  ArrowLeft: 'D',
  End: 'F',
  Home: 'H',
};
/** Keys whose sequence ends in a number and a tilde. */
const NUMBERED: Readonly<Record<string, number>> = {
  Insert: 2,
  Delete: 3,
  PageUp: 5,
  PageDown: 6,
  F5: 15,
  F6: 17,
  F7: 18,
  F8: 19,
  F9: 20,
  F10: 21,
  F11: 23,
  F12: 24,
};
const SS3: Readonly<Record<string, string>> = { F2: 'Q', F3: 'R', F4: 'S' };
/** Endings for Insert, Delete and Page keys with Shift (modifier 2) or Ctrl (5): pi-tui knows only this old form of them. */
const OLD_ENDS: Readonly<Record<number, string>> = { 2: '$', 5: '^' };
/** Keys of control characters: the character's code, and what the key sends without modifiers. */
const CONTROLS: Readonly<Record<string, { readonly code: number; readonly alone: string }>> = {
  Enter: { code: 13, alone: '\r' },
  Tab: { code: 9, alone: '\t' },
  Backspace: { code: 127, alone: '\x7f' },
  Escape: { code: 27, alone: ESC },
};

/**
 * True for keys that VS Code always handles itself: F1, Ctrl+Shift+P, Ctrl+Tab, and every key with the Command or Windows
 * key.
 */
export function belongsToEditor(key: PressedKey): boolean {
  if (key.key === 'F1' || key.metaKey) return true;
  if (key.ctrlKey && key.key === 'Tab') return true;
  return key.ctrlKey && key.shiftKey && !key.altKey && key.key.toLowerCase() === 'p';
}

/** True for keys that paste (Ctrl+V, Shift+Insert): the browser's paste event brings the text. */
export function isPaste(key: PressedKey): boolean {
  if (key.key === 'Insert') return key.shiftKey && !key.ctrlKey && !key.altKey;
  return key.ctrlKey && !key.altKey && key.key.toLowerCase() === 'v';
}

/**
 * What a terminal sends for a key: a sequence of xterm, or of the Kitty protocol for keys that xterm cannot distinguish.
 * Undefined for keys that send nothing (Shift alone, dead keys).
 */
export function encodeKey(pressed: PressedKey): string | undefined {
  const { key } = pressed;
  const modifier = modifierOf(pressed);
  const letter = LETTERED[key];
  if (letter !== undefined) return modifier === 1 ? `${ESC}[${letter}` : `${ESC}[1;${modifier}${letter}`;
  const number = NUMBERED[key];
  if (number !== undefined) return numbered(number, modifier);
  const ss3 = SS3[key];
  if (ss3 !== undefined) return modifier === 1 ? `${ESC}O${ss3}` : `${ESC}[1;${modifier}${ss3}`;
  const control = CONTROLS[key];
  if (control !== undefined) return controlKey(key, control, modifier);
  return isCharacter(key) ? character(pressed, modifier) : undefined;
}

/** What the Kitty protocol sends when a key is released; undefined for keys that send nothing. */
export function encodeRelease(pressed: PressedKey): string | undefined {
  const { key } = pressed;
  const modifier = modifierOf(pressed);
  const letter = LETTERED[key];
  if (letter !== undefined) return `${ESC}[1;${modifier}:3${letter}`;
  const number = NUMBERED[key];
  if (number !== undefined) return `${ESC}[${number};${modifier}:3~`;
  const code = CONTROLS[key]?.code ?? (isCharacter(key) ? key.toLowerCase().codePointAt(0) : undefined);
  return code === undefined ? undefined : `${ESC}[${code};${modifier}:3u`;
}

/** What a terminal with bracketed paste sends for pasted text. */
export function encodePaste(text: string): string {
  return `${ESC}[200~${text.replaceAll('\r\n', '\n').replaceAll(`${ESC}[201~`, '')}${ESC}[201~`;
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ' ': 'space',
  Esc: 'escape',
  return: 'enter',
  esc: 'escape',
};

/** The name of a key in the form of hooks' shortcuts, such as `ctrl+shift+x`, with the modifiers in a fixed order. */
export function keyName(pressed: PressedKey): string {
  const key = (KEY_NAMES[pressed.key] ?? keyOfCode(pressed)).toLowerCase();
  return nameOf(key, {
    ctrl: pressed.ctrlKey,
    shift: pressed.shiftKey,
    alt: pressed.altKey,
    super: pressed.metaKey,
  });
}

/** The names that a shortcut may use for a key. For a symbol that is typed with Shift, `shift` may be left out. */
export function keyNames(pressed: PressedKey): readonly string[] {
  const name = keyName(pressed);
  const isShifted = pressed.shiftKey && /^[^\p{L}\p{N}\s]$/u.test(pressed.key);
  return isShifted ? [name, keyName({ ...pressed, shiftKey: false })] : [name];
}

/** A shortcut that a hook wrote, in the form of {@link keyName}. */
export function shortcutName(written: string): string {
  const parts = written.toLowerCase().split('+');
  // In `ctrl++`, the last `+` is the key.
  const last = written.endsWith('+') ? '+' : (parts.at(-1) ?? '');
  return nameOf(KEY_NAMES[last] ?? last, {
    ctrl: parts.includes('ctrl'),
    shift: parts.includes('shift'),
    alt: parts.includes('alt'),
    super: parts.includes('super'),
  });
}

function nameOf(key: string, modifiers: Readonly<Record<string, boolean>>): string {
  const names = Object.entries(modifiers).flatMap(([name, held]) => (held ? [name] : []));
  return [...names, key].join('+');
}

/** The key itself; with Alt or Ctrl, its letter or digit, because a keyboard layout may then give another character. */
function keyOfCode({ key, code, altKey, ctrlKey }: PressedKey): string {
  if (!altKey && !ctrlKey) return key;
  return /^(?:Key([A-Z])|Digit(\d))$/.exec(code)?.slice(1).join('') ?? key;
}

/** The modifier number of xterm: 1, plus 1 for Shift, 2 for Alt and 4 for Ctrl. */
function modifierOf({ shiftKey, altKey, ctrlKey }: PressedKey): number {
  return 1 + (shiftKey ? 1 : 0) + (altKey ? 2 : 0) + (ctrlKey ? 4 : 0);
}

function numbered(number: number, modifier: number): string {
  if (modifier === 1) return `${ESC}[${number}~`;
  const end = number <= 6 ? OLD_ENDS[modifier] : undefined;
  return end === undefined ? `${ESC}[${number};${modifier}~` : `${ESC}[${number}${end}`;
}

function controlKey(key: string, { code, alone }: { code: number; alone: string }, modifier: number): string {
  if (modifier === 1) return alone;
  if (key === 'Tab' && modifier === 2) return `${ESC}[Z`;
  if (key === 'Backspace' && modifier === 2) return alone;
  if (modifier === 3 && key !== 'Escape') return ESC + alone;
  return `${ESC}[${code};${modifier}u`;
}

/** Whether a key types one character. */
export function isCharacter(key: string): boolean {
  return /^.$/su.test(key);
}

function character(pressed: PressedKey, modifier: number): string {
  const { key, ctrlKey, altKey } = pressed;
  if (pressed.getModifierState?.('AltGraph') === true || (!ctrlKey && !altKey)) return key;
  const lower = keyOfCode(pressed).toLowerCase();
  const code = lower.codePointAt(0) ?? 0;
  const control = controlCharacter(lower);
  if (modifier === 5 && control !== undefined) return control;
  if (modifier === 3) return /^[a-z0-9 ]$/.test(lower) ? ESC + lower : `${ESC}[${code};3u`;
  return `${ESC}[${code};${modifier}u`;
}

function controlCharacter(key: string): string | undefined {
  if (key === ' ') return '\0';
  if (key === '-') return '\x1f';
  return /^[a-z[\\\]_]$/.test(key) ? String.fromCharCode(key.charCodeAt(0) & 0x1f) : undefined;
}
