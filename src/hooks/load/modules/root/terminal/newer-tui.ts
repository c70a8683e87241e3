import {
  backgroundAnsi,
  colorToHex,
  colorToOklch,
  colorToRgb,
  foregroundAnsi,
  indexedColor,
  mixColors,
  oklchColor,
  parseColor,
  rgbColor,
  styleText,
  styleTextWithAnsi,
} from './terminal-colors';

/** What pi-tui 1.6.0 exports and the shipped version does not. */
export function newerTui(): Readonly<Record<string, unknown>> {
  return {
    ...{ backgroundAnsi, colorToHex, colorToOklch, colorToRgb, foregroundAnsi, indexedColor, mixColors, oklchColor },
    ...{ parseColor, rgbColor, styleText, styleTextWithAnsi },
    getTerminalColorMode: () => 'truecolor',
    getSelectPageIndex,
    // The page draws no terminal cursor, so the fake cursor is always shown.
    renderFakeCursor: (text: string) => `\x1b[7m${text}\x1b[27m`,
    replaceControlCharacters: (text: string) => text.replaceAll(CONTROL_CHARACTERS, ' '),
  };
}

// eslint-disable-next-line no-control-regex -- the expression is meant to find control characters
const CONTROL_CHARACTERS = /[\x00-\x1f\x7f-\x9f]/g;

/** The new selected index after page up or page down in a list; undefined for other keys. */
function getSelectPageIndex(
  keybindings: { matches(data: string, binding: string): boolean },
  data: string,
  selectedIndex: number,
  itemCount: number,
  pageSize: number,
): number | undefined {
  const isUp = keybindings.matches(data, 'tui.select.pageUp');
  if (!isUp && !keybindings.matches(data, 'tui.select.pageDown')) return undefined;
  return Math.max(0, Math.min(itemCount - 1, selectedIndex + (isUp ? -pageSize : pageSize)));
}
