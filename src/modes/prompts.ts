import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ImageContent } from '../agent/messages';
import { attachedFiles } from '../conversation/composer/attached-files';
import type { CliOptions } from './arguments';
import { UsageError } from './usage-error';

/** How long stdin may say nothing before a person is told what is waited for, ms. */
const HINT_AFTER_MS = 3000;

/** Everything that is piped in, or nothing when a terminal is connected. `hint` is told when it takes long to end. */
export async function readPipedText(stdin: NodeJS.ReadStream, hint: (text: string) => void): Promise<string> {
  if (stdin.isTTY) return '';
  const timer = setTimeout(
    () => hint('Waiting for stdin to end; use "< /dev/null" when nothing shall be read from it.'),
    HINT_AFTER_MS,
  );
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    clearTimeout(timer);
  }
}

/** One prompt as it is sent. */
export interface Prompt {
  readonly text: string;
  readonly images: readonly ImageContent[];
}

/**
 * The prompts to send, in order: files named as `@path` and what was piped in belong to the first.
 * @throws {UsageError} naming a file that is not there; when there is nothing to send
 */
export function composePrompts(
  { messages, files }: Pick<CliOptions, 'messages' | 'files'>,
  piped: string,
  cwd: string,
): readonly string[] {
  const missing = files.find(file => !existsSync(resolve(cwd, file)));
  if (missing !== undefined) throw new UsageError(`@${missing} names a file that does not exist.`);
  const [first = '', ...others] = messages;
  const whole = [first, piped.trim()].filter(text => text !== '').join('\n\n');
  const prompts = [whole, ...others];
  if (prompts.every(text => text.trim() === '') && files.length === 0) {
    throw new UsageError('There is no prompt: give one as an argument or on stdin.');
  }
  return prompts.filter((text, index) => text.trim() !== '' || (index === 0 && files.length > 0));
}

/** The prompts with the content of the named files in front of the first, as pi sends them. */
export async function attachFiles(
  prompts: readonly string[],
  files: readonly string[],
  cwd: string,
): Promise<readonly Prompt[]> {
  const mentions = files.map(file => `@"${file}"`).join(' ');
  const parts = await attachedFiles(mentions, { cwd });
  const texts = parts.flatMap(part => (part.type === 'text' ? [part.text] : []));
  return prompts.map((prompt, index) => {
    if (index > 0) return { text: prompt, images: [] };
    const text = [...texts, prompt].filter(part => part !== '').join('\n');
    return { text, images: parts.filter(part => part.type === 'image') };
  });
}
