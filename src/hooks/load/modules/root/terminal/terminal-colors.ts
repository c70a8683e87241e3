interface Rgb {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/** Lightness from 0 to 1, chroma, and hue in degrees. */
interface Oklch {
  readonly l: number;
  readonly c: number;
  readonly h: number;
}

/** A terminal color in the form of pi-tui 1.6.0. */
export type Color =
  | ({ readonly kind: 'rgb' } & Rgb)
  | { readonly kind: 'indexed'; readonly index: number }
  | ({ readonly kind: 'oklch' } & Oklch);

type Mode = 'truecolor' | '256color';

interface Marks {
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
  readonly strikethrough?: boolean;
}

function within(name: string, value: number, most: number): number {
  if (Number.isFinite(value) && value >= 0 && value <= most) return value;
  throw new Error(`${name} must be between 0 and ${most}: ${value}`);
}

export function rgbColor(r: number, g: number, b: number): Color {
  return { kind: 'rgb', r: within('r', r, 255), g: within('g', g, 255), b: within('b', b, 255) };
}

export function indexedColor(index: number): Color {
  if (!Number.isInteger(index)) throw new Error(`index must be an integer: ${index}`);
  return { kind: 'indexed', index: within('index', index, 255) };
}

export function oklchColor(l: number, c: number, h: number): Color {
  return { kind: 'oklch', l: within('l', l, 1), c: within('c', c, Infinity), h: ((h % 360) + 360) % 360 };
}

/** Parses `#rgb`, `#rrggbb`, `oklch(l c h)` or one of the 256 color numbers. @throws Error for any other value */
export function parseColor(value: string | number): Color {
  if (typeof value === 'number') return indexedColor(value);
  const hex = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(value)?.[1];
  if (hex !== undefined) {
    const digits = hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex;
    const [r = 0, g = 0, b = 0] = [0, 2, 4].map(at => parseInt(digits.slice(at, at + 2), 16));
    return rgbColor(r, g, b);
  }
  const oklch = /^oklch\(\s*([\d.]+)(%?)\s+([\d.]+)\s+(-?[\d.]+)(?:deg)?\s*\)$/i.exec(value);
  if (oklch === null) throw new Error(`Invalid color: ${value}`);
  const lightness = Number(oklch[1]) / (oklch[2] === '%' ? 100 : 1);
  return oklchColor(lightness, Number(oklch[3]), Number(oklch[4]));
}

const BASIC =
  '000000 800000 008000 808000 000080 800080 008080 c0c0c0 808080 ff0000 00ff00 ffff00 0000ff ff00ff 00ffff ffffff';
const STEPS = [0, 95, 135, 175, 215, 255] as const;

/** The usual color for one of the 256 color numbers: 16 basic colors, a cube of 6 × 6 × 6 colors, and 24 grays. */
function rgbOfIndex(index: number): Rgb {
  const basic = BASIC.split(' ')[index];
  if (basic !== undefined) {
    const [r = 0, g = 0, b = 0] = [0, 2, 4].map(at => parseInt(basic.slice(at, at + 2), 16));
    return { r, g, b };
  }
  const grey = 8 + (index - 232) * 10;
  if (index >= 232) return { r: grey, g: grey, b: grey };
  const at = index - 16;
  const [r = 0, g = 0, b = 0] = [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map(step => STEPS[step] ?? 0);
  return { r, g, b };
}

export function colorToRgb(color: Color): Rgb {
  if (color.kind === 'indexed') return rgbOfIndex(color.index);
  return color.kind === 'rgb' ? { r: color.r, g: color.g, b: color.b } : rgbOf(color);
}

export function colorToHex(color: Color): string {
  const { r, g, b } = colorToRgb(color);
  return `#${[r, g, b].map(part => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

export function colorToOklch(color: Color): Oklch {
  if (color.kind === 'oklch') return { l: color.l, c: color.c, h: color.h };
  const [l, a, b] = oklabOf(colorToRgb(color));
  return { l, c: Math.hypot(a, b), h: ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360 };
}

/** A color between two; `amount` is the share of the second one, from 0 to 1. */
export function mixColors(first: Color, second: Color, amount: number, space: 'oklch' | 'srgb' = 'oklch'): Color {
  within('amount', amount, 1);
  const between = (from: number, to: number): number => from + (to - from) * amount;
  if (space === 'srgb') {
    const [from, to] = [colorToRgb(first), colorToRgb(second)];
    return rgbColor(between(from.r, to.r), between(from.g, to.g), between(from.b, to.b));
  }
  const [from, to] = [colorToOklch(first), colorToOklch(second)];
  // A gray has no hue, so it takes the hue of the other color.
  const start = from.c < GREY ? to.h : from.h;
  const end = to.c < GREY ? start : to.h;
  const turn = ((end - start + 540) % 360) - 180;
  return oklchColor(between(from.l, to.l), between(from.c, to.c), start + turn * amount);
}

const GREY = 1e-7;

/** The escape sequence that switches on a text color. */
export function foregroundAnsi(color: Color, mode: Mode = 'truecolor'): string {
  return `\x1b[38;${codeOf(color, mode)}m`;
}

export function backgroundAnsi(color: Color, mode: Mode = 'truecolor'): string {
  return `\x1b[48;${codeOf(color, mode)}m`;
}

export function styleText(
  text: string,
  options: Marks & { readonly fg?: Color; readonly bg?: Color },
  mode: Mode = 'truecolor',
): string {
  const { fg, bg } = options;
  return styleTextWithAnsi(text, fg && foregroundAnsi(fg, mode), bg && backgroundAnsi(bg, mode), options);
}

export function styleTextWithAnsi(text: string, fg: string | undefined, bg: string | undefined, marks: Marks): string {
  const on = [fg ?? '', bg ?? '', ...MARKS.map(([name, code]) => (marks[name] === true ? `\x1b[${code}m` : ''))];
  const off = MARKS.flatMap(([name, , end]) => (marks[name] === true ? [`\x1b[${end}m`] : []));
  const ends =
    [...new Set(off)].reverse().join('') + (bg === undefined ? '' : '\x1b[49m') + (fg === undefined ? '' : '\x1b[39m');
  return on.join('') + text + ends;
}

const MARKS = [
  ['bold', 1, 22],
  ['dim', 2, 22],
  ['italic', 3, 23],
  ['underline', 4, 24],
  ['inverse', 7, 27],
  ['strikethrough', 9, 29],
] as const;

function codeOf(color: Color, mode: Mode): string {
  if (color.kind === 'indexed') return `5;${color.index}`;
  const { r, g, b } = colorToRgb(color);
  if (mode === 'truecolor') return `2;${Math.round(r)};${Math.round(g)};${Math.round(b)}`;
  const distance = (index: number): number => {
    const other = rgbOfIndex(index);
    return (other.r - r) ** 2 + (other.g - g) ** 2 + (other.b - b) ** 2;
  };
  const nearest = Array.from({ length: 240 }, (_none, at) => at + 16).reduce((best, index) =>
    distance(index) < distance(best) ? index : best,
  );
  return `5;${nearest}`;
}

/** Lightness, a and b in the color space Oklab by Björn Ottosson. */
function oklabOf({ r, g, b }: Rgb): readonly [number, number, number] {
  const [red = 0, green = 0, blue = 0] = [r, g, b].map(part => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function rgbOf({ l: lightness, c, h }: Oklch): Rgb {
  const [a, b] = [c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const [red = 0, green = 0, blue = 0] = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(value => {
    const part = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
    return Math.min(255, Math.max(0, part * 255));
  });
  return { r: red, g: green, b: blue };
}
