import type { CommandId } from './ids';

/**
 * A text of others for a message of VS Code, which makes links, those of commands too, of `[text](target)`: with a blank
 * of no width in between it stays what it reads.
 */
export function literalMessage(text: string): string {
  return text.replaceAll('](', ']\u200b(');
}

/** A link in a message of VS Code that runs one of our commands. */
export function commandLink(label: string, command: CommandId): string {
  return `[${label}](command:${command})`;
}
