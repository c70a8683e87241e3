export interface RgbColor {
  readonly kind: 'rgb';
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/** A concrete colour, in the forms of today's pi. */
export type ThemeColorValue =
  | RgbColor
  | { readonly kind: 'indexed'; readonly index: number }
  | { readonly kind: 'oklch'; readonly l: number; readonly c: number; readonly h: number };

export const BLACK: RgbColor = { kind: 'rgb', r: 0, g: 0, b: 0 };

/** `#rrggbb`; undefined for another text. */
export function rgbOf(hex: string): RgbColor | undefined {
  const [r, g, b] = (/^#(..)(..)(..)$/.exec(hex)?.slice(1) ?? []).map(part => parseInt(part, 16));
  return r === undefined || g === undefined || b === undefined ? undefined : { kind: 'rgb', r, g, b };
}

/** The escape sequence of a color, as foreground (38) or background (48). Throws for an invalid color. */
export function escapeOf(color: ThemeColorValue, code: 38 | 48): string {
  switch (color.kind) {
    case 'indexed':
      return `\x1b[${code};5;${color.index}m`;
    case 'rgb':
      return `\x1b[${code};2;${[color.r, color.g, color.b].map(byte).join(';')}m`;
    case 'oklch':
      return `\x1b[${code};2;${srgbOf(color.l, color.c, color.h).map(byte).join(';')}m`;
    default:
      throw new TypeError(`Not a color: ${JSON.stringify(color)}`);
  }
}

function byte(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)));
}

/** From lightness, chroma and hue in degrees to red, green and blue; the matrices are those of the Oklab colour space. */
function srgbOf(lightness: number, chroma: number, hue: number): readonly number[] {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(value => 255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055));
}
