import type { ImageContent } from '@mariozechner/pi-ai';
import * as l10n from '@vscode/l10n';
import { splitArguments } from '../../base/text/split-arguments';
import { isRecord } from '../../base/json/is-record';
import type { McpPrompt } from '../connection/server-offer';
import { modelContent } from './model-content';

/** A prompt of a server as a slash command. */
export interface McpCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
}

/** The message that is sent when the user sends the command of a prompt. */
export interface ExpandedPrompt {
  readonly text: string;
  readonly images: readonly ImageContent[];
}

/** The description of a prompt for users: its arguments as they are typed, and what it does. */
export function describePrompt({ title, description, arguments: given }: McpPrompt, server: string): string {
  const hint = given.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ');
  const about = description ?? title ?? l10n.t('Prompt of the MCP server {0}', server);
  return hint === '' ? about : `${hint} — ${about}`;
}

/**
 * Reads the prompt's arguments from the text after the command: `name=value`, or values in their order, of which the
 * last one gets all remaining words.
 * @throws Error that names the arguments that are missing
 */
export function promptArguments(typed: string, { arguments: known }: McpPrompt): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  const rest: string[] = [];
  for (const word of splitArguments(typed)) {
    const at = word.indexOf('=');
    const name = at < 0 ? undefined : word.slice(0, at);
    if (name !== undefined && known.some(argument => argument.name === name)) values[name] = word.slice(at + 1);
    else rest.push(word);
  }
  const open = known.filter(({ name }) => !Object.hasOwn(values, name));
  open.forEach(({ name }, index) => {
    const isLast = index === open.length - 1;
    const value = isLast ? rest.slice(index).join(' ') : rest[index];
    if (value !== undefined && value !== '') values[name] = value;
  });
  const missing = known.filter(({ name, required }) => required && !Object.hasOwn(values, name));
  if (missing.length === 0) return values;
  throw new Error(l10n.t('The prompt needs: {0}', missing.map(({ name }) => name).join(', ')));
}

/** Converts the answer to `prompts/get` to the message to send. */
export async function expandedPrompt(
  answer: Readonly<Record<string, unknown>>,
  server: string,
): Promise<ExpandedPrompt> {
  const messages: readonly unknown[] = Array.isArray(answer['messages']) ? answer['messages'] : [];
  const blocks = messages.flatMap(message => (isRecord(message) ? [message['content']] : []));
  const parts = await modelContent(blocks, { server, readsResources: true });
  return {
    text: parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n'),
    images: parts.filter(part => part.type === 'image'),
  };
}
