import type { MarkdownTheme, SelectListTheme, SettingsListTheme } from '@mariozechner/pi-tui';

/** The members of a hook theme that the shipped components use. */
export interface ShippedTheme {
  fg(color: string, text: string): string;
  bg(color: string, text: string): string;
  bold(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  strikethrough(text: string): string;
}

type Paint = (text: string) => string;

/** The result of `getMarkdownTheme`; colors are looked up each time a text is painted. */
export function markdownTheme(theme: () => ShippedTheme): MarkdownTheme {
  const in_ =
    (color: string): Paint =>
    text =>
      theme().fg(color, text);
  return {
    heading: in_('mdHeading'),
    link: in_('mdLink'),
    linkUrl: in_('mdLinkUrl'),
    code: in_('mdCode'),
    codeBlock: in_('mdCodeBlock'),
    codeBlockBorder: in_('mdCodeBlockBorder'),
    quote: in_('mdQuote'),
    quoteBorder: in_('mdQuoteBorder'),
    hr: in_('mdHr'),
    listBullet: in_('mdListBullet'),
    bold: text => theme().bold(text),
    italic: text => theme().italic(text),
    underline: text => theme().underline(text),
    strikethrough: text => theme().strikethrough(text),
    highlightCode: code => code.split('\n').map(line => theme().fg('mdCodeBlock', line)),
  };
}

/** The result of `getSelectListTheme`. */
export function selectListTheme(theme: () => ShippedTheme): SelectListTheme {
  const accent: Paint = text => theme().fg('accent', text);
  const muted: Paint = text => theme().fg('muted', text);
  return { selectedPrefix: accent, selectedText: accent, description: muted, scrollInfo: muted, noMatch: muted };
}

/** The result of `getSettingsListTheme`. */
export function settingsListTheme(theme: () => ShippedTheme): SettingsListTheme {
  return {
    label: (text, selected) => (selected ? theme().fg('accent', text) : text),
    value: (text, selected) => theme().fg(selected ? 'accent' : 'muted', text),
    description: text => theme().fg('dim', text),
    cursor: theme().fg('accent', '→ '),
    hint: text => theme().fg('dim', text),
  };
}
