import { dirname } from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { noteOwnText, readCountedText, refuseHeldText } from '../../base/files/counted-text';
import { messageOf } from '../../base/errors';
import { makeFolders } from '../../base/files/make-folders';
import { isRecord } from '../../base/json/is-record';
import { formattingOf } from '../../base/json/json-format';
import { parseJson } from '../../base/json/parse-json';
import { withFileLock } from '../models/keys/file-lock';
import { replaceFile } from '../tools/files/writing/replace-file';
import { errorCode } from '../tools/result';
import type { SettingsContent } from './setting-keys';

/** A value for a path of members and indices; undefined removes the present value. */
export interface SettingsEdit {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  /** The last part of the path is an index, before which the value is put instead of taking a place. */
  readonly inserts?: boolean;
}

/**
 * Sets or removes a setting in a settings.json (absolute path) under the lock that pi uses. Everything else stays as it is
 * written, including unknown members. A missing file is created.
 * @throws Error naming the file if it contains no JSON object or cannot be written; the file then stays as it is
 */
export async function writeSetting<K extends keyof SettingsContent>(
  file: string,
  key: K,
  value: SettingsContent[K],
): Promise<void> {
  await editSettings(file, () => [{ path: [key], value }]);
}

/**
 * Changes a settings.json as {@link writeSetting} does, by edits that depend on its content. Each edit applies to the
 * result of the edits before it. If nothing changes, nothing is written. `before` gets the new content first, also if it is
 * the same; when it rejects, nothing is written.
 * @throws as {@link writeSetting}, and what `edits` and `before` throw
 */
export async function editSettings(
  file: string,
  edits: (content: Readonly<Record<string, unknown>>) => readonly SettingsEdit[],
  before?: (content: Readonly<Record<string, unknown>>) => Promise<void>,
): Promise<void> {
  await makeFolders(dirname(file));
  await read(file); // What is no file has this reason, and not that nothing can be locked in its place.
  await withFileLock(file, async () => {
    const { text, content } = await read(file);
    const changed = edits(content).reduce(withEdit, text);
    const parsed: unknown = before === undefined ? undefined : parseJson(changed);
    if (isRecord(parsed)) await before?.(parsed);
    if (changed === text) return;
    refuseHeldText(file);
    await replaceFile(file, changed);
    noteOwnText(file, changed);
  });
}

function withEdit(text: string, { path, value, inserts = false }: SettingsEdit): string {
  // Removing a member with formatting would also format its neighbors.
  const options = value === undefined ? {} : { formattingOptions: formattingOf(text), isArrayInsertion: inserts };
  return applyEdits(text, modify(text, [...path], value, options));
}

async function read(file: string): Promise<{ readonly text: string; readonly content: Record<string, unknown> }> {
  const empty = { text: '{}\n', content: {} };
  let text: string;
  try {
    text = (await readCountedText(file)).replace(/^\uFEFF/, '');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return empty;
    throw new Error(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (text.trim() === '') return empty;
  try {
    const content: unknown = parseJson(text);
    if (isRecord(content)) return { text, content };
  } catch (error) {
    throw new Error(`${file} is not JSON, and nothing was changed in it: ${messageOf(error)}`, { cause: error });
  }
  throw new Error(`${file} does not hold a JSON object, and nothing was changed in it.`);
}
