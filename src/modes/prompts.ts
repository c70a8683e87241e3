import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CliOptions } from './arguments';
import { UsageError } from './usage-error';

/** How long stdin may say nothing before a person is told what is waited for, ms. */
const HINT_AFTER_MS = 3000;

/** Everything that is piped in, or nothing when a terminal is connected. `hint` is told when it takes long to end. */
export async function readPipedText(stdin: NodeJS.ReadStream, hint: (text: string) => void): Promise<string> {
  if (stdin.isTTY) return '';
  const timer = setTimeout(() => {
    hint('Waiting for stdin to end; use "< /dev/null" when nothing shall be read from it.');
  }, HINT_AFTER_MS);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The prompts to send, in order: files named as `@path` and what was piped in belong to the first. Files become mentions,
 * which the conversation reads as it does when a person types them.
 * @throws {UsageError} naming a file that is not there; when there is nothing to send
 */
export function composePrompts({ messages, files }: CliOptions, piped: string, cwd: string): readonly string[] {
  const missing = files.find(file => !existsSync(resolve(cwd, file)));
  if (missing !== undefined) throw new UsageError(`@${missing} names a file that does not exist.`);
  const [first = '', ...others] = messages;
  const mentions = files.map(file => (/\s/.test(file) ? `@"${file}"` : `@${file}`)).join(' ');
  const opening = [mentions, first].filter(text => text !== '').join(' ');
  const whole = [opening, piped.trim()].filter(text => text !== '').join('\n\n');
  const prompts = [whole, ...others].filter(text => text.trim() !== '');
  if (prompts.length === 0) throw new UsageError('There is no prompt: give one as an argument or on stdin.');
  return prompts;
}
