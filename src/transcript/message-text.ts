import * as l10n from '@vscode/l10n';
import type { ToolResult } from '../agent/tools/tool';

/** Characters of a tool's output that are shown. */
const MAX_OUTPUT = 50_000;

/** The text for entries that a newer version or another program wrote, by their types. */
export function notShownText(kinds: readonly string[]): string {
  return l10n.t('This version does not support these entries: {0}. They stay in the session.', kinds.join(', '));
}

/** The text of a message, images left out. */
export function plainText(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === 'string') return content;
  return content
    .filter(part => part.type === 'text')
    .map(part => part.text ?? '')
    .join('\n');
}

/** The text of a result as it is shown. */
export function outputText(result: ToolResult): string {
  const texts = result.content.filter(part => part.type === 'text').map(part => part.text);
  return shownOutput(texts.join('\n'));
}

/** A text of a tool, its end when it is long. */
export function shownOutput(text: string): string {
  return text.length > MAX_OUTPUT ? `…\n${text.slice(-MAX_OUTPUT)}` : text;
}
