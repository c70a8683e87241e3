/* eslint-disable no-control-regex -- escape sequences are made of control characters */
import { TERMINAL_STRING, unfinishedSequence } from '../../src/base/text/terminal-strings';

// This is not a library, because each of four libraries failed in some of our cases (inverse, dim off, OSC 8, colons).

/** The style of a span of terminal text. Colors are palette numbers 0–255 or `#rrggbb`; undefined is the default color. */
export interface AnsiStyle {
  readonly foreground?: number | string;
  readonly background?: number | string;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
  readonly inverse?: true;
  readonly strike?: true;
  readonly hidden?: true;
  /** Target of an OSC 8 hyperlink. It is not checked. */
  readonly link?: string;
}

/** The members of a style that are on or off and have a CSS class, `ansi-` and the name. */
export const STYLE_CLASSES = ['bold', 'dim', 'italic', 'underline', 'strike', 'hidden'] as const;

export interface AnsiSpan {
  readonly text: string;
  readonly style: AnsiStyle;
}

/** The state after a piece of output: the current style, and an escape sequence whose end has not arrived yet. */
export interface AnsiState {
  readonly style: AnsiStyle;
  readonly pending: string;
}

export const ANSI_START: AnsiState = { style: {}, pending: '' };

/** Matches string sequences, CSI and two-character escapes, but no 8-bit forms. */
const ESCAPE = new RegExp(
  String.raw`${TERMINAL_STRING}|\x1b(?:\[(?<parameters>[0-?]*)[ -/]*(?<command>[@-~])|[ -/]+[0-~]|[0-OQ-WYZ\\\x60-~])`,
  'g',
);
const UNSEEN = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/g;

/** Splits terminal output into styled spans. Removes sequences that move the cursor or clear the screen. */
export function tokenizeAnsi(chunk: string, state: AnsiState = ANSI_START): { spans: AnsiSpan[]; state: AnsiState } {
  const whole = state.pending + chunk;
  const pending = unfinishedSequence(whole);
  const text = whole.slice(0, whole.length - pending.length);
  const spans: AnsiSpan[] = [];
  let { style } = state;
  let at = 0;
  const emit = (end: number): void => {
    const run = text.slice(at, end).replace(UNSEEN, '').replaceAll('\x1b', '');
    if (run !== '') spans.push({ text: run, style });
  };
  for (const match of text.matchAll(ESCAPE)) {
    emit(match.index);
    at = match.index + match[0].length;
    const { osc, parameters, command } = match.groups ?? {};
    if (command === 'm') style = applySgr(style, parameters ?? '');
    else if (osc !== undefined) style = applyOsc(style, osc);
  }
  emit(text.length);
  return { spans, state: { style, pending } };
}

function applyOsc(style: AnsiStyle, body: string): AnsiStyle {
  const link = /^8;[^;]*;(.*)$/s.exec(body);
  if (!link) return style;
  return link[1] ? { ...style, link: link[1] } : without(style, 'link');
}

function without(style: AnsiStyle, ...names: readonly (keyof AnsiStyle)[]): AnsiStyle {
  return Object.fromEntries(Object.entries(style).filter(([name]) => !names.includes(name as keyof AnsiStyle)));
}

const SWITCHES: Readonly<Record<number, (style: AnsiStyle) => AnsiStyle>> = {
  0: style => (style.link === undefined ? {} : { link: style.link }),
  1: style => ({ ...style, bold: true }),
  2: style => ({ ...style, dim: true }),
  3: style => ({ ...style, italic: true }),
  4: style => ({ ...style, underline: true }),
  7: style => ({ ...style, inverse: true }),
  8: style => ({ ...style, hidden: true }),
  9: style => ({ ...style, strike: true }),
  21: style => ({ ...style, underline: true }),
  22: style => without(style, 'bold', 'dim'),
  23: style => without(style, 'italic'),
  24: style => without(style, 'underline'),
  27: style => without(style, 'inverse'),
  28: style => without(style, 'hidden'),
  29: style => without(style, 'strike'),
  39: style => without(style, 'foreground'),
  49: style => without(style, 'background'),
};

function applySgr(style: AnsiStyle, parameters: string): AnsiStyle {
  const fields = parameters.split(';');
  let result = style;
  for (let index = 0; index < fields.length; index++) {
    const parts = (fields[index] ?? '').split(':').map(Number);
    const code = parts[0] ?? 0;
    if (code === 38 || code === 48) {
      const colon = parts.length > 1;
      const args = colon ? parts.slice(1) : fields.slice(index + 1, index + 5).map(Number);
      const { color, used } = extendedColor(args, colon);
      if (!colon) index += used;
      if (color !== undefined) result = { ...result, [code === 38 ? 'foreground' : 'background']: color };
    } else if (code === 4 && parts[1] === 0) result = without(result, 'underline');
    else result = SWITCHES[code]?.(result) ?? applyPalette(result, code);
  }
  return result;
}

/** Reads `5;n` or `2;r;g;b`. The form with colons may have a color space before the three values. */
function extendedColor(args: readonly number[], colon: boolean): { color?: number | string; used: number } {
  const byte = (value: number | undefined): boolean =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
  if (args[0] === 5) return { used: 2, ...(byte(args[1]) ? { color: args[1] } : {}) };
  if (args[0] !== 2) return { used: 1 };
  const values = colon && args.length > 4 ? args.slice(2, 5) : args.slice(1, 4);
  if (values.length < 3 || !values.every(byte)) return { used: 4 };
  return { used: 4, color: `#${values.map(value => value.toString(16).padStart(2, '0')).join('')}` };
}

const RANGES: readonly (readonly [number, 'foreground' | 'background', number])[] = [
  [30, 'foreground', 0],
  [40, 'background', 0],
  [90, 'foreground', 8],
  [100, 'background', 8],
];

function applyPalette(style: AnsiStyle, code: number): AnsiStyle {
  const range = RANGES.find(([first]) => code >= first && code <= first + 7);
  return range ? { ...style, [range[1]]: code - range[0] + range[2] } : style;
}

const LEVELS = [0, 95, 135, 175, 215, 255];

/** CSS color of palette entry 16–255; the theme defines the first sixteen. */
export function paletteColor(index: number): string {
  if (index >= 232) return rgb([0, 0, 0].map(() => 8 + (index - 232) * 10));
  const cube = index - 16;
  return rgb([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(step => LEVELS[step] ?? 0));
}

function rgb(values: readonly number[]): string {
  return `rgb(${values.join(', ')})`;
}
