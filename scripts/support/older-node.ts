import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder, npmInstall } from './cached.ts';

/** A version of the oldest Node line that the command line supports, which the oldest supported VS Code uses too. */
const VERSION = '22.20.0';

/** Whether npm has this Node for the system, as for the Node that is a dependency. */
export const HAS_OLDER_NODE = process.arch === 'x64' && ['linux', 'win32'].includes(process.platform);

/**
 * Installs that Node from npm into the cache, once. Resolves with the path of its program.
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
