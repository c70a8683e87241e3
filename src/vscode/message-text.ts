import { visibleText } from '../base/text/visible-text';
import type { CommandId } from './ids';

/**
 * Makes foreign text safe for a message of VS Code: hidden characters are marked. VS Code turns `[text](target)` into a link, which can even run a
 * command. A zero-width space between the two parts prevents that.
 */
export function literalMessage(text: string): string {
  return visibleText(text).replaceAll('](', ']\u200b(');
}

/** A link for a message of VS Code that runs a command of Hookline, with an argument if one is given. */
export function commandLink(label: string, command: CommandId, argument?: string): string {
  const given = argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify([argument]))}`;
  return `[${label}](command:${command}${given})`;
}
