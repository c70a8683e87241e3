import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder, npmInstall } from './cached.ts';

/** Of the oldest line of Node that the command line runs on, which is also that of the oldest VS Code. */
const VERSION = '22.20.0';

/** As for the Node that the install brings, npm has one for these systems. */
export const HAS_OLDER_NODE = process.arch === 'x64' && ['linux', 'win32'].includes(process.platform);

/**
 * Gets that Node from npm into the cache, once. Resolves with the path of its program.
 * @throws {UserError} when npm has none for this system, see {@link HAS_OLDER_NODE}
 */
export async function olderNode(): Promise<string> {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const folder = await cachedFolder([name, VERSION], draft => {
    writeFileSync(join(draft, 'package.json'), '{ "private": true }');
    npmInstall(draft, [`${name}@${VERSION}`]);
  });
  return join(folder, 'node_modules', name, 'bin', system === 'win' ? 'node.exe' : 'node');
}
