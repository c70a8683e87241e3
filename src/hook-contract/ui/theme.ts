import { BLACK, escapeOf, rgbOf, type RgbColor, type ThemeColorValue } from './theme-color';

/** Foreground colours that hooks may ask for. */
export const FOREGROUND_COLORS = [
  'accent',
  'border',
  'borderAccent',
  'borderMuted',
  'success',
  'error',
  'warning',
  'muted',
  'dim',
  'text',
  'thinkingText',
  'userMessageText',
  'customMessageText',
  'customMessageLabel',
  'toolTitle',
  'toolOutput',
  'mdHeading',
  'mdLink',
  'mdLinkUrl',
  'mdCode',
  'mdCodeBlock',
  'mdCodeBlockBorder',
  'mdQuote',
  'mdQuoteBorder',
  'mdHr',
  'mdListBullet',
  'toolDiffAdded',
  'toolDiffRemoved',
  'toolDiffContext',
  'syntaxComment',
  'syntaxKeyword',
  'syntaxFunction',
  'syntaxVariable',
  'syntaxString',
  'syntaxNumber',
  'syntaxType',
  'syntaxOperator',
  'syntaxPunctuation',
  'thinkingOff',
  'thinkingMinimal',
  'thinkingLow',
  'thinkingMedium',
  'thinkingHigh',
  'thinkingXhigh',
  'bashMode',
] as const;
export const BACKGROUND_COLORS = [
  'selectedBg',
  'userMessageBg',
  'customMessageBg',
  'toolPendingBg',
  'toolSuccessBg',
  'toolErrorBg',
] as const;

export type ForegroundColor = (typeof FOREGROUND_COLORS)[number];
export type BackgroundColor = (typeof BACKGROUND_COLORS)[number];

/** `#rrggbb` per colour name; `''` is the terminal's own colour. */
export type Palette = { readonly [C in ForegroundColor | BackgroundColor]: string };

const SHADES = {
  blue: '#4fa3ff',
  cyan: '#4ec9d4',
  green: '#7fbf6a',
  red: '#e0645c',
  yellow: '#d9b44a',
  violet: '#b58cf0',
  orange: '#d69a66',
  grey: '#8c8c8c',
  faint: '#6a6a6a',
  line: '#4a4a4a',
  own: '',
};

/** Colors used until the page has sent VS Code's own. */
export const DARK_PALETTE: Palette = {
  accent: SHADES.blue,
  border: SHADES.line,
  borderAccent: SHADES.blue,
  borderMuted: SHADES.line,
  success: SHADES.green,
  error: SHADES.red,
  warning: SHADES.yellow,
  muted: SHADES.grey,
  dim: SHADES.faint,
  text: SHADES.own,
  thinkingText: SHADES.grey,
  userMessageText: SHADES.own,
  customMessageText: SHADES.own,
  customMessageLabel: SHADES.violet,
  toolTitle: SHADES.own,
  toolOutput: SHADES.grey,
  mdHeading: SHADES.yellow,
  mdLink: SHADES.blue,
  mdLinkUrl: SHADES.faint,
  mdCode: SHADES.cyan,
  mdCodeBlock: SHADES.green,
  mdCodeBlockBorder: SHADES.line,
  mdQuote: SHADES.grey,
  mdQuoteBorder: SHADES.line,
  mdHr: SHADES.line,
  mdListBullet: SHADES.blue,
  toolDiffAdded: SHADES.green,
  toolDiffRemoved: SHADES.red,
  toolDiffContext: SHADES.grey,
  syntaxComment: SHADES.faint,
  syntaxKeyword: SHADES.violet,
  syntaxFunction: SHADES.yellow,
  syntaxVariable: SHADES.cyan,
  syntaxString: SHADES.orange,
  syntaxNumber: SHADES.green,
  syntaxType: SHADES.blue,
  syntaxOperator: SHADES.own,
  syntaxPunctuation: SHADES.grey,
  thinkingOff: SHADES.line,
  thinkingMinimal: SHADES.faint,
  thinkingLow: SHADES.cyan,
  thinkingMedium: SHADES.blue,
  thinkingHigh: SHADES.violet,
  thinkingXhigh: SHADES.red,
  bashMode: SHADES.green,
  selectedBg: '#2c3e50',
  userMessageBg: '#2d2d33',
  customMessageBg: '#2f2a3a',
  toolPendingBg: '#26272b',
  toolSuccessBg: '#22301f',
  toolErrorBg: '#3a2321',
};

/** Names that later versions of pi added, with the name whose color each has. */
const SINCE_FOREGROUND = {
  scrollbarTrack: 'muted',
  scrollbarThumb: 'text',
  searchMatchText: 'text',
  thinkingMax: 'thinkingXhigh',
} as const satisfies Readonly<Record<string, ForegroundColor>>;
const SINCE_BACKGROUND = { searchMatchBg: 'selectedBg' } as const satisfies Readonly<Record<string, BackgroundColor>>;
const SINCE: Readonly<Record<string, ForegroundColor | BackgroundColor>> = { ...SINCE_FOREGROUND, ...SINCE_BACKGROUND };

/** All names that hooks may use. */
export type ForegroundName = ForegroundColor | keyof typeof SINCE_FOREGROUND;
export type BackgroundName = BackgroundColor | keyof typeof SINCE_BACKGROUND;

/** The colours among `colors` that hooks have names for. */
export function paletteOf(colors: Readonly<Record<string, string>>): Partial<Palette> {
  const names: readonly string[] = [...FOREGROUND_COLORS, ...BACKGROUND_COLORS];
  return Object.fromEntries(Object.entries(colors).filter(([name]) => names.includes(name)));
}

const MARKS = ['bold', 'dim', 'italic', 'underline', 'inverse', 'strikethrough'] as const;

/** The style of a text for `theme.style`. */
export type ThemeStyle = {
  readonly fg?: string | ThemeColorValue;
  readonly bg?: string | ThemeColorValue;
} & { readonly [M in (typeof MARKS)[number]]?: boolean };

const RESET_FOREGROUND = '\x1b[39m';
const RESET_BACKGROUND = '\x1b[49m';

/** Glyphs that oh-my-pi's hooks find on the theme, such as `theme.status.success`. */
const SYMBOLS = {
  status: { success: '✔', error: '✘', warning: '⚠', info: 'ℹ', pending: '⏳', running: '⟳', aborted: '⊘' },
  nav: { cursor: '❯', selected: '➜', expand: '▸', collapse: '▾', back: '⟵' },
  tree: { branch: '├─', last: '└─', vertical: '│', horizontal: '─', hook: '└' },
  checkbox: { checked: '☑', unchecked: '☐' },
  format: { bullet: '•', dash: '–' },
  sep: { dot: ' · ', slash: ' / ', pipe: ' | ' },
} as const;

/**
 * The `theme` of hooks: wraps text into terminal escapes. Components can run anywhere; the page converts the escapes to
 * its own colors. An unknown colour name throws, as in pi.
 */
export class HookTheme {
  readonly status = SYMBOLS.status;
  readonly nav = SYMBOLS.nav;
  readonly tree = SYMBOLS.tree;
  readonly checkbox = SYMBOLS.checkbox;
  readonly format = SYMBOLS.format;
  readonly sep = SYMBOLS.sep;

  /** The functions are called at each use, so that themes that hooks keep follow changes of VS Code's colors. */
  constructor(
    private readonly givenName: string | (() => string),
    private readonly givenPalette: Palette | (() => Palette),
  ) {}

  get name(): string {
    return typeof this.givenName === 'function' ? this.givenName() : this.givenName;
  }

  private get palette(): Palette {
    return typeof this.givenPalette === 'function' ? this.givenPalette() : this.givenPalette;
  }

  readonly fg = (color: string, text: string): string => `${this.getFgAnsi(color)}${text}${RESET_FOREGROUND}`;
  readonly bg = (color: string, text: string): string => `${this.getBgAnsi(color)}${text}${RESET_BACKGROUND}`;
  readonly bold = (text: string): string => `\x1b[1m${text}\x1b[22m`;
  readonly dim = (text: string): string => `\x1b[2m${text}\x1b[22m`;
  readonly italic = (text: string): string => `\x1b[3m${text}\x1b[23m`;
  readonly underline = (text: string): string => `\x1b[4m${text}\x1b[24m`;
  readonly inverse = (text: string): string => `\x1b[7m${text}\x1b[27m`;
  readonly strikethrough = (text: string): string => `\x1b[9m${text}\x1b[29m`;

  readonly getFgAnsi = (given: string): string => {
    const color = SINCE[given] ?? given;
    if (!isOneOf(FOREGROUND_COLORS, color)) throw new Error(`Unknown theme color: ${given}`);
    return escapeFor(this.palette[color], 38, RESET_FOREGROUND);
  };

  readonly getBgAnsi = (given: string): string => {
    const color = SINCE[given] ?? given;
    if (!isOneOf(BACKGROUND_COLORS, color)) throw new Error(`Unknown theme background color: ${given}`);
    return escapeFor(this.palette[color], 48, RESET_BACKGROUND);
  };

  /** Whether it is made for a dark or a light background. */
  get appearance(): 'dark' | 'light' {
    return this.name.endsWith('light') ? 'light' : 'dark';
  }

  /** All colors by name; the terminal's own color is the usual one for the background. */
  get colors(): Readonly<Record<string, RgbColor>> {
    const { palette, appearance } = this;
    const [ink, ground] = appearance === 'light' ? ['#000000', '#ffffff'] : ['#e5e5e5', '#000000'];
    const colorNamed = (name: ForegroundColor | BackgroundColor): RgbColor =>
      rgbOf(palette[name]) ?? rgbOf(isOneOf(BACKGROUND_COLORS, name) ? ground : ink) ?? BLACK;
    const own = [...FOREGROUND_COLORS, ...BACKGROUND_COLORS].map(name => [name, colorNamed(name)] as const);
    const since = Object.entries(SINCE).map(([name, like]) => [name, colorNamed(like)] as const);
    return Object.fromEntries([...own, ...since]);
  }

  /** A text in colours, each a name or a colour of {@link colors}, and with other marks. */
  readonly style = (text: string, options: ThemeStyle): string => {
    const { fg, bg } = options;
    let styled = text;
    for (const mark of MARKS) if (options[mark] === true) styled = this[mark](styled);
    if (fg !== undefined) {
      const escape = typeof fg === 'string' ? this.getFgAnsi(fg) : escapeOf(fg, 38);
      styled = `${escape}${styled}${RESET_FOREGROUND}`;
    }
    if (bg !== undefined) {
      const escape = typeof bg === 'string' ? this.getBgAnsi(bg) : escapeOf(bg, 48);
      styled = `${escape}${styled}${RESET_BACKGROUND}`;
    }
    return styled;
  };

  readonly getColorMode = (): 'truecolor' => 'truecolor';

  readonly getThinkingBorderColor = (level: string): ((text: string) => string) => {
    const name = `thinking${level.charAt(0).toUpperCase()}${level.slice(1)}`;
    return text => this.fg(isOneOf(FOREGROUND_COLORS, name) ? name : 'thinkingOff', text);
  };

  readonly getBashModeBorderColor = (): ((text: string) => string) => text => this.fg('bashMode', text);
}

function isOneOf<N extends string>(names: readonly N[], name: string): name is N {
  return (names as readonly string[]).includes(name);
}

function escapeFor(hex: string, code: 38 | 48, reset: string): string {
  const color = rgbOf(hex);
  return color === undefined ? reset : escapeOf(color, code);
}

/** The themes that hooks can choose from, and the one in use. */
export class ThemeSwitch {
  private readonly palettes = new Map<string, Palette>([['dark', DARK_PALETTE]]);
  private chosen = 'dark';
  /** The current theme: always the same object, because components keep a reference to it. */
  readonly current = new HookTheme(
    () => this.chosen,
    () => this.palettes.get(this.chosen) ?? DARK_PALETTE,
  );

  /** Replaces or adds a theme and uses it: called when VS Code's colours are known or change. */
  use(name: string, palette: Partial<Palette>): void {
    this.palettes.set(name, { ...DARK_PALETTE, ...palette });
    this.chosen = name;
  }

  names(): readonly string[] {
    return [...this.palettes.keys()];
  }

  named(name: string): HookTheme | undefined {
    const palette = this.palettes.get(name);
    return palette === undefined ? undefined : new HookTheme(name, palette);
  }

  choose(name: string): boolean {
    if (!this.palettes.has(name)) return false;
    this.chosen = name;
    return true;
  }
}
