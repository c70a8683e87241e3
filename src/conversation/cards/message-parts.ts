import * as l10n from '@vscode/l10n';
import { isAbsolute, relative, sep } from 'node:path';
import type { AssistantMessage } from '../../agent/messages';
import type { AssistantBlock } from '../../protocol/chat-item';

/** Texts and thoughts of an answer as the chat draws them; empty ones are left out. */
export function blocksOf(message: AssistantMessage): AssistantBlock[] {
  return message.content.flatMap((part): AssistantBlock[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    if (part.type === 'thinking') return part.thinking === '' ? [] : [{ type: 'thinking', text: part.thinking }];
    return [];
  });
}

/** Stands for entries of a session that a newer version or another program wrote, by what they call themselves. */
export function notShownText(kinds: readonly string[]): string {
  return l10n.t('Kept in the session, but not known to this version: {0}', kinds.join(', '));
}

/** Paths below the folder are shown from there. */
export function shownName(name: string, cwd: string): string {
  return isAbsolute(name) && name.startsWith(cwd + sep) ? relative(cwd, name) : name;
}

/** The text of a message, images left out. */
export function plainText(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === 'string') return content;
  return content
    .filter(part => part.type === 'text')
    .map(part => part.text ?? '')
    .join('\n');
}
