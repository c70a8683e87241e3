import type { KeyId } from '@mariozechner/pi-tui';
import { loadedPiTui } from './pi-tui';

/** Which of the shortcuts this terminal input is, if any. */
export function shortcutOf(data: string, shortcuts: readonly string[]): string | undefined {
  const lib = loadedPiTui();
  return lib === undefined ? undefined : shortcuts.find(key => lib.matchesKey(data, key as KeyId));
}
