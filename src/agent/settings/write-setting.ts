import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/is-record';
import { withFileLock } from '../models/keys/file-lock';
import { replaceFile } from '../tools/files/replace-file';
import { errorCode } from '../tools/result';
import type { SettingsContent } from './setting-keys';

/**
 * Says a setting in a settings.json (absolute path), or takes it away, under the lock that pi takes; everything else stays
 * as it is written, also what nobody here knows. The file is made when it is missing.
 * @throws Error naming the file when it holds no JSON object or cannot be written; it is then left as it is
 */
export async function writeSetting<K extends keyof SettingsContent>(
  file: string,
  key: K,
  value: SettingsContent[K],
): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await withFileLock(file, async () => {
    const text = await textOf(file);
    const formattingOptions = { insertSpaces: !/^\t/m.test(text), tabSize: 2, eol: /\r\n/.exec(text)?.[0] ?? '\n' };
    // What stands beside a member that goes would be formatted, too.
    const options = value === undefined ? {} : { formattingOptions };
    const changed = applyEdits(text, modify(text, [key], value, options));
    if (changed !== text) await replaceFile(file, changed);
  });
}

async function textOf(file: string): Promise<string> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '{}\n';
    throw new Error(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (text.trim() === '') return '{}\n';
  try {
    if (isRecord(JSON.parse(text))) return text;
  } catch (error) {
    throw new Error(`${file} is not JSON, and nothing was changed in it: ${messageOf(error)}`, { cause: error });
  }
  throw new Error(`${file} does not hold a JSON object, and nothing was changed in it.`);
}
