import type * as piTui from '@mariozechner/pi-tui';

interface Painter {
  fg(color: string, text: string): string;
}

/** Texts about keys for renderers. */
export interface KeyHints {
  /** Keys of a binding such as `tui.select.confirm`; empty where there is none. */
  keyText(binding: unknown): string;
  /** The keys, and what they do. */
  keyHint(binding: unknown, text: unknown): string;
}

/** A key as it is written on a system. */
export function writtenKey(key: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'darwin' ? key.replace(/\balt\b/gi, 'option') : key;
}

/** A key and what it does, in the colours of hints. */
export function hintText(theme: Painter, key: string, text: string): string {
  return theme.fg('dim', key) + theme.fg('muted', ` ${text}`);
}

/** Commands of pi that the panel offers without a key. */
const IN_PANEL: Readonly<Record<string, string>> = { 'app.tools.expand': 'click' };

let library: Pick<typeof piTui, 'getKeybindings'> | undefined;

/** Call when something is registered that may need names of keys: loads the library that has them. */
export function loadKeyNames(): void {
  if (library !== undefined) return;
  import('@mariozechner/pi-tui').then(
    tui => (library = tui),
    () => undefined, // Hints without keys do no harm; code that draws with the library gets the error.
  );
}

/** See {@link KeyHints}; uses the theme at the time of the call. */
export function keyHintsIn(theme: Painter): KeyHints {
  const keyText = (binding: unknown): string =>
    IN_PANEL[String(binding)] ?? writtenKey((library?.getKeybindings().getKeys(binding as never) ?? []).join('/'));
  return { keyText, keyHint: (binding, text) => hintText(theme, keyText(binding), String(text)) };
}
