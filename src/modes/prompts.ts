import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ImageContent } from '../agent/messages';
import { attachedFiles } from '../conversation/composer/attached-files';
import type { CliOptions } from './arguments/options';
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

/** @throws {UsageError} naming a file that is not there */
export function refuseMissingFiles(files: CliOptions['files'], cwd: string): void {
  const missing = files.find(file => !existsSync(resolve(cwd, file)));
  if (missing !== undefined) throw new UsageError(`@${missing} names a file that does not exist.`);
}

/**
 * The prompts to send, in order. The first is what was piped in, the content of the files named as `@path` and the first
 * message, joined without anything in between, as pi 1.5.2 does (docs/cli.md); each further message is one more.
 * @throws {UsageError} naming a file that is not there
 */
export async function composePrompts(
  { messages, files }: Pick<CliOptions, 'messages' | 'files'>,
  piped: string,
  cwd: string,
): Promise<readonly Prompt[]> {
  refuseMissingFiles(files, cwd);
  const mentions = files.map(file => `@"${file}"`).join(' ');
  const parts = await attachedFiles(mentions, { cwd });
  const [message = '', ...others] = messages;
  const fileTexts = parts.flatMap(part => (part.type === 'text' ? [`${part.text}\n`] : []));
  const first = {
    text: [piped.trim(), ...fileTexts, message].join(''),
    images: parts.filter(part => part.type === 'image'),
  };
  const all = [first, ...others.map(text => ({ text, images: [] }))];
  return all.filter(({ text, images }) => text.trim() !== '' || images.length > 0);
}
