import type { ThemeKind } from '../../src/protocol/items/hook-component';

/**
 * Colors of pi's theme and the VS Code variables for them, the first choice first. When no variable is set, the host keeps
 * its own color.
 */
const COLORS: Readonly<Record<string, readonly string[]>> = {
  accent: ['textLink-foreground', 'focusBorder'],
  border: ['widget-border', 'panel-border', 'contrastBorder', 'descriptionForeground'],
  borderAccent: ['focusBorder'],
  borderMuted: ['panel-border', 'widget-border', 'contrastBorder', 'descriptionForeground'],
  success: ['testing-iconPassed', 'terminal-ansiGreen'],
  error: ['errorForeground', 'terminal-ansiRed'],
  warning: ['editorWarning-foreground', 'terminal-ansiYellow'],
  muted: ['descriptionForeground'],
  dim: ['disabledForeground', 'descriptionForeground'],
  thinkingText: ['descriptionForeground'],
  customMessageLabel: ['terminal-ansiMagenta'],
  toolOutput: ['descriptionForeground'],
  mdHeading: ['terminal-ansiYellow'],
  mdLink: ['textLink-foreground'],
  mdLinkUrl: ['descriptionForeground'],
  mdCode: ['textPreformat-foreground', 'terminal-ansiCyan'],
  mdCodeBlock: ['terminal-ansiGreen'],
  mdCodeBlockBorder: ['widget-border', 'descriptionForeground'],
  mdQuote: ['descriptionForeground'],
  mdQuoteBorder: ['textBlockQuote-border', 'descriptionForeground'],
  mdHr: ['widget-border', 'descriptionForeground'],
  mdListBullet: ['textLink-foreground'],
  toolDiffAdded: ['gitDecoration-addedResourceForeground', 'terminal-ansiGreen'],
  toolDiffRemoved: ['gitDecoration-deletedResourceForeground', 'terminal-ansiRed'],
  toolDiffContext: ['descriptionForeground'],
  syntaxComment: ['descriptionForeground'],
  syntaxKeyword: ['symbolIcon-keywordForeground', 'terminal-ansiMagenta'],
  syntaxFunction: ['symbolIcon-functionForeground', 'terminal-ansiYellow'],
  syntaxVariable: ['symbolIcon-variableForeground', 'terminal-ansiCyan'],
  syntaxString: ['debugTokenExpression-string', 'terminal-ansiRed'],
  syntaxNumber: ['debugTokenExpression-number', 'terminal-ansiGreen'],
  syntaxType: ['symbolIcon-classForeground', 'terminal-ansiBlue'],
  syntaxPunctuation: ['descriptionForeground'],
  thinkingOff: ['widget-border', 'descriptionForeground'],
  thinkingMinimal: ['descriptionForeground'],
  thinkingLow: ['terminal-ansiCyan'],
  thinkingMedium: ['terminal-ansiBlue'],
  thinkingHigh: ['terminal-ansiMagenta'],
  thinkingXhigh: ['terminal-ansiRed'],
  bashMode: ['terminal-ansiGreen'],
  selectedBg: ['list-activeSelectionBackground', 'editor-selectionBackground', 'list-hoverBackground'],
  userMessageBg: ['input-background'],
  customMessageBg: ['editorWidget-background'],
  toolPendingBg: ['editorWidget-background'],
  toolSuccessBg: ['diffEditor-insertedLineBackground', 'diffEditor-insertedTextBackground', 'editorWidget-background'],
  toolErrorBg: ['inputValidation-errorBackground', 'editorWidget-background'],
};
const GROUNDS = ['sideBar-background', 'panel-background', 'editor-background'];

type Rgb = readonly [number, number, number];

/** Mixes a CSS color, in the form of `getComputedStyle`, with the background, as `#rrggbb`. Undefined if it is no color. */
export function opaqueColor(color: string, ground: Rgb): string | undefined {
  const rgba = parseColor(color);
  if (rgba === undefined) return undefined;
  const mixed = rgba.slice(0, 3).map((value, index) => value * rgba[3] + (ground[index] ?? 0) * (1 - rgba[3]));
  return `#${mixed.map(value => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}

type Rgba = readonly [number, number, number, number];

function parseColor(color: string): Rgba | undefined {
  const hex = /^#(?:[0-9a-f]{3,4}){1,2}$/i.test(color) ? color.slice(1) : undefined;
  if (hex !== undefined) {
    const pairs = (hex.length <= 4 ? hex.replace(/./g, '$&$&') : hex).match(/../g) ?? [];
    const [r = 0, g = 0, b = 0, a = 255] = pairs.map(pair => parseInt(pair, 16));
    return [r, g, b, a / 255];
  }
  const inside = /^rgba?\(([^)]*)\)$/.exec(color)?.[1];
  const [r, g, b, a = 1] = (inside ?? '').split(/[\s,/]+/).map(Number);
  if (r === undefined || g === undefined || b === undefined) return undefined;
  return [r, g, b, a].every(Number.isFinite) ? [r, g, b, a] : undefined;
}

/** The colors of pi's theme; '' is the terminal's own color. `variable` returns the value of a `--vscode-…` variable or ''. */
export function themeColors(variable: (name: string) => string): Readonly<Record<string, string>> {
  const first = (names: readonly string[]): string => names.map(variable).find(value => value !== '') ?? '';
  const ground = parseColor(first(GROUNDS)) ?? [30, 30, 30, 1];
  const found = Object.entries(COLORS).flatMap(([name, names]) => {
    const color = opaqueColor(first(names), [ground[0], ground[1], ground[2]]);
    return color === undefined ? [] : [[name, color] as const];
  });
  return Object.fromEntries([...found, ['text', ''], ['toolTitle', '']]);
}

/** The kind of theme, which VS Code sets as a class of the page's body. */
function themeKind(classes: DOMTokenList): ThemeKind {
  if (classes.contains('vscode-high-contrast-light')) return 'hc-light';
  if (classes.contains('vscode-high-contrast')) return 'hc-dark';
  return classes.contains('vscode-light') ? 'light' : 'dark';
}

/** Calls `tell` with the theme's colors now and after each change. */
export function watchTheme(tell: (kind: ThemeKind, colors: Readonly<Record<string, string>>) => void): void {
  let sent = '';
  const read = (): void => {
    const style = getComputedStyle(document.documentElement);
    const colors = themeColors(name => style.getPropertyValue(`--vscode-${name}`).trim());
    const kind = themeKind(document.body.classList);
    const now = JSON.stringify([kind, colors]);
    if (now === sent) return;
    sent = now;
    tell(kind, colors);
  };
  read();
  const watcher = new MutationObserver(read);
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ['style', 'class'] });
  watcher.observe(document.body, { attributes: true, attributeFilter: ['class'] });
}
