import type * as piTui from '@mariozechner/pi-tui';
import {
  BACKGROUND_COLORS,
  DARK_PALETTE,
  FOREGROUND_COLORS,
  HookTheme,
  type Palette,
} from '../../../../hook-contract/ui/theme';

type Colors = Readonly<Record<string, string | number>>;

interface ThemeOptions {
  readonly name?: string;
  readonly sourcePath?: string;
}

/**
 * pi's class `Theme`: colors by name, as `#rrggbb`, as one of the 256 color numbers, or empty for the terminal's own color.
 * Names that are missing get the colors of the dark palette.
 */
export function themeClass(
  colorToHex: (typeof piTui)['colorToHex'],
): new (...args: [Colors, Colors, string?, ThemeOptions?]) => HookTheme {
  const paletteFrom = (colors: Colors): Palette => {
    const given = [...FOREGROUND_COLORS, ...BACKGROUND_COLORS].flatMap(name => {
      const color = colors[name];
      if (color === undefined) return [];
      return [[name, typeof color === 'number' ? colorToHex({ kind: 'indexed', index: color }) : color] as const];
    });
    return { ...DARK_PALETTE, ...Object.fromEntries(given) };
  };
  return class Theme extends HookTheme {
    readonly sourcePath: string | undefined;

    constructor(foreground: Colors, background: Colors, _mode?: string, options: ThemeOptions = {}) {
      super(options.name ?? '', paletteFrom({ ...foreground, ...background }));
      this.sourcePath = options.sourcePath;
    }
  };
}
