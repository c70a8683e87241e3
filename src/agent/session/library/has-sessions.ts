import { closeSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { openRegularSync } from '../../../base/regular-file';
import { isRecord } from '../../../base/json/is-record';

/** Longer first lines are no headers of sessions, bytes. */
const HEADER_BYTES = 16 * 1024;

/** Whether one of these folders holds a session of this workspace folder; all absolute. Reads headers only. */
export function hasSessionsOf(cwd: string, sessionDirs: readonly string[]): boolean {
  return sessionDirs.some(dir => sessionFilesIn(dir).some(file => folderOf(file) === cwd));
}

function sessionFilesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
      .filter(name => name.endsWith('.jsonl'))
      .map(name => join(dir, name));
  } catch {
    return []; // There is none yet.
  }
}

function folderOf(file: string): string | undefined {
  try {
    const [line = ''] = headOf(file).split('\n', 1);
    const header: unknown = JSON.parse(line);
    return isRecord(header) && typeof header['cwd'] === 'string' ? header['cwd'] : undefined;
  } catch {
    return undefined; // No session, or a damaged one: others speak for the folder.
  }
}

function headOf(path: string): string {
  const file = openRegularSync(path);
  try {
    const buffer = Buffer.alloc(HEADER_BYTES);
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
}
