import { BACKGROUND_COLORS, DARK_PALETTE, FOREGROUND_COLORS, HookTheme, type Palette } from '../../../../api/ui/theme';
import { colorToHex } from './terminal-colors';

type Colors = Readonly<Record<string, string | number>>;

/**
 * pi's `Theme`: colors by name, as `#rrggbb`, as one of the 256 color numbers, or empty for the terminal's own color.
 */
export class Theme extends HookTheme {
  readonly sourcePath: string | undefined;

  constructor(
    foreground: Colors,
    background: Colors,
    _mode?: string,
    options: { readonly name?: string; readonly sourcePath?: string } = {},
  ) {
    super(options.name ?? '', paletteFrom({ ...foreground, ...background }));
    this.sourcePath = options.sourcePath;
  }
}

/** Names that are missing get the colors of the dark palette. */
function paletteFrom(colors: Colors): Palette {
  const given = [...FOREGROUND_COLORS, ...BACKGROUND_COLORS].flatMap(name => {
    const color = colors[name];
    if (color === undefined) return [];
    return [[name, typeof color === 'number' ? colorToHex({ kind: 'indexed', index: color }) : color] as const];
  });
  return { ...DARK_PALETTE, ...Object.fromEntries(given) };
}
