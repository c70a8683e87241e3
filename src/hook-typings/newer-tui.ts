// What pi-tui 1.6.0 has beyond the one that is shipped; colours are terminal escapes, which the panel understands.
import type { Color, ThemeStyle } from './ui';

export type { Color };
/** How colours are written: each by itself, or the nearest of 256. */
export type ColorMode = 'truecolor' | '256color';
/** Colours and marks of a text. */
export interface TextStyle extends Omit<ThemeStyle, 'fg' | 'bg'> {
  fg?: Color;
  bg?: Color;
}
type Rgb = Omit<Extract<Color, { kind: 'rgb' }>, 'kind'>;
type Oklch = Omit<Extract<Color, { kind: 'oklch' }>, 'kind'>;

/** Each part from 0 to 255. */
export declare function rgbColor(r: number, g: number, b: number): Color;
/** One of the 256. */
export declare function indexedColor(index: number): Color;
/** Lightness from 0 to 1, chroma, and hue in degrees. */
export declare function oklchColor(l: number, c: number, h: number): Color;
/** `#rgb`, `#rrggbb`, `oklch(l c h)`, or a number of the 256; throws for any other text. */
export declare function parseColor(value: string | number): Color;
export declare function colorToRgb(color: Color): Rgb;
/** `#rrggbb` */
export declare function colorToHex(color: Color): string;
export declare function colorToOklch(color: Color): Oklch;
/** A colour between two; `amount`, from 0 to 1, is how much of the second. */
export declare function mixColors(first: Color, second: Color, amount: number, space?: 'oklch' | 'srgb'): Color;
/** The escape that switches a colour of the text on. */
export declare function foregroundAnsi(color: Color, mode?: ColorMode): string;
/** The escape that switches a colour behind the text on. */
export declare function backgroundAnsi(color: Color, mode?: ColorMode): string;
export declare function styleText(text: string, style: TextStyle, mode?: ColorMode): string;
/** {@link styleText} with escapes for the colours. */
export declare function styleTextWithAnsi(
  text: string,
  fg: string | undefined,
  bg: string | undefined,
  marks: Omit<TextStyle, 'fg' | 'bg'>,
): string;
export declare function getTerminalColorMode(): ColorMode;
/** Where a page up or down leads in a list; `undefined` for other keys. */
export declare function getSelectPageIndex(
  keybindings: { matches(data: string, binding: string): boolean },
  data: string,
  selectedIndex: number,
  itemCount: number,
  pageSize: number,
): number | undefined;
/** A text drawn as the cursor is. */
export declare function renderFakeCursor(text: string): string;
/** A text with blanks in the place of control characters. */
export declare function replaceControlCharacters(text: string): string;
