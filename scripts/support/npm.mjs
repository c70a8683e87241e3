import { existsSync } from 'node:fs';

/**
 * How to start npm. Under `npm run`, npm names its own program; starting that with our Node avoids the shell that
 * npm.cmd needs on Windows.
 * @returns {{ file: string, args: string[], shell: boolean }}
 */
export function npmCommand() {
  const program = process.env.npm_execpath;
  if (program?.endsWith('.js') && existsSync(program)) return { file: process.execPath, args: [program], shell: false };
  const windows = process.platform === 'win32';
  return { file: windows ? 'npm.cmd' : 'npm', args: [], shell: windows };
}
