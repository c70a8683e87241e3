import { constants } from 'node:fs';
import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { decodedText, diffOf } from '../../agent/changes/file-texts';
import { raceAbort } from '../../agent/tools/abort';
import { errorCode } from '../../agent/tools/result';
import { isRecord } from '../../base/json/is-record';
import { openRegular, readHandle } from '../../base/files/regular-file';
import { shownPath } from '../../base/files/shown-path';
import { anySignal } from '../../base/async/wait';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';

/** Larger files are not compared, in bytes. */
const MOST_BYTES = 512 * 1024;
/** The question does not wait longer than this for a slow disk, in ms. */
const MOST_MS = 2_000;
/** Windows has no such flag. */
const NO_FOLLOW = (constants as Partial<typeof constants>).O_NOFOLLOW ?? 0;

/**
 * What a call is about to do, as a user decides about it: its command, its difference, or all its arguments. The file that
 * it would write over is read for the difference. Never rejects.
 */
export async function callInWords(
  { command, kind, file, input, cwd }: CallDetails,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (command !== undefined) return command.line;
  if (kind === 'writes' && file !== undefined) {
    const path = String(input['path']);
    const { content } = input;
    const change = typeof content === 'string' ? await contentText(file, content, signal) : editText(input);
    // The title of the question names the file, and a remark about its place names the path.
    const isUsual = file.place === 'workspace' || file.place === 'temporary';
    const isNamed = path === (isUsual ? basename(file.real) : shownPath(file.real, cwd));
    return isNamed ? change : `${path}\n\n${change}`;
  }
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

/** What new content changes in the file; the content itself for a new file, and where the two cannot be compared. */
async function contentText(
  file: NonNullable<CallDetails['file']>,
  content: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const replaced = await replacedText(file, signal);
  if (replaced.type === 'newFile') return content;
  const diff = replaced.type === 'text' ? diffOf({ before: replaced.text, after: content }) : undefined;
  if (diff === '') return l10n.t('The file already has this content.');
  return diff ?? `${l10n.t('This replaces the whole file, which cannot be compared here:')}\n\n${content}`;
}

/** What stands in the file that a call would write over. */
type ReplacedText =
  | { readonly type: 'newFile' }
  | { readonly type: 'text'; readonly text: string }
  /** It is larger than 512 KB, no text, no regular file, or it cannot be read. */
  | { readonly type: 'unknown' };

/** Reads the file of a call, and no other: a link that took its place meanwhile is not followed. Never rejects. */
async function replacedText(
  { real, place }: NonNullable<CallDetails['file']>,
  signal: AbortSignal | undefined,
): Promise<ReplacedText> {
  if (place === 'unclear') return { type: 'unknown' };
  const ending = anySignal(AbortSignal.timeout(MOST_MS), signal);
  try {
    const text = decodedText(await raceAbort(ending, fileBytes(real, ending)));
    return text === undefined ? { type: 'unknown' } : { type: 'text', text };
  } catch (error) {
    const code = errorCode(error);
    return { type: code === 'ENOENT' || code === 'ENOTDIR' ? 'newFile' : 'unknown' };
  }
}

async function fileBytes(path: string, signal: AbortSignal): Promise<Buffer> {
  const handle = await openRegular(path, constants.O_RDONLY | NO_FOLLOW);
  try {
    return await readHandle(handle, path, { most: MOST_BYTES, signal });
  } finally {
    await handle.close();
  }
}

function editText(input: CallDetails['input']): string {
  const { edits } = input;
  const all: readonly unknown[] = Array.isArray(edits) ? edits : [input];
  return all
    .filter(isRecord)
    .map(({ oldText, newText }) => [...lines('-', oldText), ...lines('+', newText)].join('\n'))
    .join('\n\n');
}

function lines(sign: '-' | '+', text: unknown): readonly string[] {
  return typeof text === 'string' ? text.split('\n').map(line => `${sign} ${line}`) : [];
}
