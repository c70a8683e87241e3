import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ContentPart, ImageContent } from '../agent/messages';
import { resolveExisting } from '../agent/tools/files/paths';
import { asUtf8 } from '../agent/tools/files/text-encoding';
import { describeImage } from '../agent/images/describe-image';
import { messageOf } from '../base/errors';
import { attachedFiles } from '../session/attachments/attached-files';
import type { CliOptions } from './arguments/options';
import { UsageError } from './arguments/usage-error';

/** How long to read stdin before a hint says that the program waits for its end, in ms. */
const HINT_AFTER_MS = 3000;

/**
 * Reads stdin to its end; an empty text when it is a terminal. `hint` is called with a message when this takes long.
 */
export async function readPipedText(stdin: NodeJS.ReadStream, hint: (text: string) => void): Promise<string> {
  if (stdin.isTTY) return '';
  const timer = setTimeout(
    () => hint('Waiting for stdin to end. If it has no input, use "< /dev/null".'),
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

/** One prompt to send. */
export interface Prompt {
  readonly text: string;
  readonly images: readonly ImageContent[];
}

/** @throws {UsageError} that names a file that does not exist */
export function refuseMissingFiles(files: CliOptions['files'], cwd: string): void {
  const missing = files.find(file => !existsSync(resolveExisting(file, cwd)));
  if (missing !== undefined) throw new UsageError(`@${missing} names a file that does not exist.`);
}

/**
 * The prompts to send, in order. The first one is the piped text, the content of the files named as `@path`, and the
 * first message, joined without anything in between, as in today's pi (docs/cli.md). Each further message is another
 * prompt.
 * @throws {UsageError} that names a file that does not exist or cannot be read
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

/** A whole text file, since the user named it; an image as in the composer; nothing for an empty file. */
async function fileParts(file: string, cwd: string): Promise<readonly ContentPart[]> {
  const path = resolveExisting(file, cwd);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`@${file} cannot be read: ${messageOf(error)}`);
  });
  if (bytes.length === 0) return [];
  if (describeImage(bytes) !== undefined) return attachedFiles(`@"${path}"`, { cwd });
  const text = asUtf8(bytes)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  return [{ type: 'text', text: `<file name="${path}">\n${text}\n</file>` }];
}
