import { writeFile } from 'node:fs/promises';
import type { ContentPart } from '../../agent/messages';
import { fullOutputPath } from '../../agent/tools/full-output-file';
import { characterStart } from '../../agent/tools/truncate';
import { messageOf } from '../../base/errors';

/** Bytes of text that reach the model of one result; as in pi. */
const TEXT_LIMIT = 20 * 1024;

/** What reaches the model, and where all of it is. */
export interface CutResult {
  readonly content: ContentPart[];
  readonly fullOutputPath?: string;
}

/**
 * Content of which the text fits the limit: of a longer one the middle is left out and the whole text is in a file that the
 * result names. Images stay.
 */
export async function cutResult(content: readonly ContentPart[], limit = TEXT_LIMIT): Promise<CutResult> {
  const text = content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return { content: [...content] };
  const saved = await saveOrTell(bytes);
  const images = content.filter(part => part.type === 'image');
  const head = `Warning: truncated output (original token count: ${Math.ceil(bytes.length / 4)})\nTotal output lines: ${lineCount(text)}`;
  const cut = `${head}\n\n${withoutMiddle(bytes, limit)}\n\n[${saved.notice}]`;
  return {
    content: [{ type: 'text', text: cut }, ...images],
    ...(saved.path === undefined ? {} : { fullOutputPath: saved.path }),
  };
}

/** Keeps data in a file of its own in the system's folder for temporary ones; `extension` with its dot. */
export async function saveToTempFile(data: Buffer, extension: string): Promise<string> {
  const path = fullOutputPath('mcp', extension);
  await writeFile(path, data, { mode: 0o600, flag: 'wx' });
  return path;
}

async function saveOrTell(bytes: Buffer): Promise<{ readonly path?: string; readonly notice: string }> {
  try {
    const path = await saveToTempFile(bytes, '.txt');
    return { path, notice: `Full output: ${path} (read it with offset/limit)` };
  } catch (error) {
    return { notice: `Could not save the full output: ${messageOf(error)}` };
  }
}

/** Whole characters of both ends, half of the limit each. */
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
