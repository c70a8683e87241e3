import { paletteColor, type AnsiStyle } from './ansi';

/**
 * Sets the colors as `--fg` and `--bg`. The style sheet uses them and corrects colors that are hard to read on the theme's
 * background. Classes set the sixteen theme colors. The CSSOM sets the others, which the security policy allows.
 */
export function paint(span: HTMLElement, { foreground, background, inverse }: AnsiStyle): void {
  const [front, back] = inverse ? [background ?? 'back', foreground ?? 'fore'] : [foreground, background];
  if (front !== undefined) paintOne(span, 'fg', front);
  if (back !== undefined) paintOne(span, 'bg', back);
}

function paintOne(span: HTMLElement, ground: 'fg' | 'bg', color: number | string): void {
  span.classList.add(`ansi-${ground}`);
  if (typeof color === 'number' && color >= 16) span.style.setProperty(`--${ground}`, paletteColor(color));
  else if (typeof color === 'string' && color.startsWith('#')) span.style.setProperty(`--${ground}`, color);
  else span.classList.add(`ansi-${ground}-${color}`);
}
