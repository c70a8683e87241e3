import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ContentPart, ImageContent } from '../agent/messages';
import { resolveExisting } from '../agent/tools/files/paths';
import { describeImage } from '../agent/images/describe-image';
import { messageOf } from '../base/errors';
import { attachedFiles } from '../conversation/composer/attached-files';
import type { CliOptions } from './arguments/options';
import { UsageError } from './usage-error';

/** After this time without input on stdin a hint says what the program waits for, in ms. */
const HINT_AFTER_MS = 3000;

/** Everything that is piped in, or nothing when a terminal is connected. `hint` is called when it takes long to end. */
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

/** @throws {UsageError} naming a file that does not exist */
export function refuseMissingFiles(files: CliOptions['files'], cwd: string): void {
  const missing = files.find(file => !existsSync(resolveExisting(file, cwd)));
  if (missing !== undefined) throw new UsageError(`@${missing} names a file that does not exist.`);
}

/**
 * The prompts to send, in order. The first is what was piped in, the content of the files named as `@path` and the first
 * message, joined without anything in between, as pi 1.5.2 does (docs/cli.md); each further message is one more.
 * @throws {UsageError} naming a file that does not exist or cannot be read
 */
export async function composePrompts(
  { messages, files }: Pick<CliOptions, 'messages' | 'files'>,
  piped: string,
  cwd: string,
): Promise<readonly Prompt[]> {
  refuseMissingFiles(files, cwd);
  const parts: ContentPart[] = [];
  for (const file of files) parts.push(...(await fileParts(file, cwd)));
  const [message = '', ...others] = messages;
  const fileTexts = parts.flatMap(part => (part.type === 'text' ? [`${part.text}\n`] : []));
  const first = {
    text: [piped.trim(), ...fileTexts, message].join(''),
    images: parts.filter(part => part.type === 'image'),
  };
  const all = [first, ...others.map(text => ({ text, images: [] }))];
  return all.filter(({ text, images }) => text.trim() !== '' || images.length > 0);
}

/** A text file whole, whatever its size, since a user named it; a picture as the composer attaches it; an empty file not. */
async function fileParts(file: string, cwd: string): Promise<readonly ContentPart[]> {
  const path = resolveExisting(file, cwd);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`@${file} cannot be read: ${messageOf(error)}`);
  });
  if (bytes.length === 0) return [];
  if (describeImage(bytes) !== undefined) return attachedFiles(`@"${path}"`, { cwd });
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  return [{ type: 'text', text: `<file name="${path}">\n${text}\n</file>` }];
}
