import { writeFile } from 'node:fs/promises';
import type { ContentPart } from '../../agent/messages';
import { fullOutputPath } from '../../agent/tools/full-output-file';
import { characterStart } from '../../agent/tools/truncate';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';

/** How many bytes of text of one result the model gets; the same as in pi. */
const TEXT_LIMIT = 20 * 1024;

/** The content for the model, and the path of the file with the full text. */
export interface CutResult {
  readonly content: ContentPart[];
  readonly fullOutputPath?: string;
}

/**
 * Shortens the text of content to the limit, in bytes. If it is longer, its middle is left out, and the full text is
 * saved to a file that the result names. Images are kept.
 */
export async function cutResult(content: readonly ContentPart[], limit = TEXT_LIMIT): Promise<CutResult> {
  const text = content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return { content: [...content] };
  const saved = await saveOrExplain(bytes);
  const images = content.filter(part => part.type === 'image');
  const head = `Warning: truncated output (original token count: ${Math.ceil(bytes.length / 4)})\nTotal output lines: ${lineCount(text)}`;
  const cut = `${head}\n\n${withoutMiddle(bytes, limit)}\n\n[${saved.notice}]`;
  return {
    content: [{ type: 'text', text: cut }, ...images],
    ...defined({ fullOutputPath: saved.path }),
  };
}

/** Saves data to a new file in the system's folder for temporary files; `extension` includes the dot. */
export async function saveToTempFile(data: Buffer, extension: string): Promise<string> {
  const path = fullOutputPath('mcp', extension);
  await writeFile(path, data, { mode: 0o600, flag: 'wx' });
  return path;
}

async function saveOrExplain(bytes: Buffer): Promise<{ readonly path?: string; readonly notice: string }> {
  try {
    const path = await saveToTempFile(bytes, '.txt');
    return { path, notice: `Full output: ${path} (read it with offset/limit)` };
  } catch (error) {
    return { notice: `Could not save the full output: ${messageOf(error)}` };
  }
}

/** Keeps both ends of the text, each half of the limit, without splitting a character. */
function withoutMiddle(bytes: Buffer, limit: number): string {
  let headEnd = Math.floor(limit / 2);
  while (headEnd > 0 && ((bytes[headEnd] ?? 0) & 0xc0) === 0x80) headEnd -= 1;
  const tailStart = characterStart(bytes, bytes.length - (limit - Math.floor(limit / 2)));
  const left = Array.from(bytes.toString('utf8', headEnd, tailStart)).length;
  return `${bytes.toString('utf8', 0, headEnd)}…${left} chars truncated…${bytes.toString('utf8', tailStart)}`;
}

function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
