import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join, parse, resolve } from 'node:path';
import { SessionList } from '../../agent/session/library/session-list';

/**
 * Brings a session file to the sessions of this folder, with its id and its contents, as pi's `/import` does; both paths
 * absolute. Resolves with the file to open, which is the given one when it is there already.
 * @throws Error naming the file when it is not there or holds no session
 */
export async function importSession(file: string, sessionDir: string): Promise<string> {
  if (!existsSync(file)) throw new Error(`File not found: ${file}`);
  if (SessionList.at(file).id === '') throw new Error(`${file} contains no readable session.`);
  const { name, ext } = parse(file);
  let target = join(sessionDir, `${name}${ext}`);
  if (resolve(target) === resolve(file)) return file;
  for (let suffix = 1; existsSync(target); suffix += 1) target = join(sessionDir, `${name}-${suffix}${ext}`);
  await mkdir(sessionDir, { recursive: true });
  await copyFile(file, target, constants.COPYFILE_EXCL);
  return target;
}
