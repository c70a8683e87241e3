import { lstatSync } from 'node:fs';
import { readRegularTextSync } from '../../base/files/regular-file';

const MOST_BYTES = 64 * 1024;

/** The text of a file of lines `key value`. */
export function linesOf(members: Readonly<Record<string, string | number>>): string {
  return Object.entries(members)
    .map(([key, value]) => `${key} ${value}\n`)
    .join('');
}

/** The members of a file of lines `key value`; none when it cannot be read, or when another user could have written it. */
export function membersIn(path: string): Readonly<Record<string, string>> {
  try {
    if (!isOwn(path)) return {};
    const lines = readRegularTextSync(path, MOST_BYTES).split('\n');
    return Object.fromEntries(
      lines
        .filter(line => line.includes(' '))
        .map(line => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
    );
  } catch {
    return {}; // It is missing, or cannot be read: either way it leads to no host.
  }
}

/** Whether the file itself, not a link, is this user's and nobody else can write it. Windows tells by its folder alone. */
function isOwn(path: string): boolean {
  const info = lstatSync(path);
  if (process.getuid === undefined) return info.isFile();
  return info.isFile() && info.uid === process.getuid() && (info.mode & 0o022) === 0;
}
