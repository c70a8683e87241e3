import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder, npmInstall } from './cached.ts';

/** Versions of Node by what they are for the command line. */
const VERSIONS = {
  /** Of the oldest supported line, which the oldest supported VS Code uses too. */
  oldest: '22.20.0',
  tooOld: '20.20.2',
} as const;

/** Whether npm has these Nodes for the system. */
export const HAS_OLDER_NODE = ['linux-x64', 'linux-arm64', 'win32-x64'].includes(`${process.platform}-${process.arch}`);

/**
 * Installs an older Node from npm into the cache, once. Resolves with the path of its program.
 * @throws {UserError} when npm has none for this system, see {@link HAS_OLDER_NODE}
 */
export async function olderNode(which: keyof typeof VERSIONS): Promise<string> {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const version = VERSIONS[which];
  const folder = await cachedFolder([name, version], draft => {
    writeFileSync(join(draft, 'package.json'), '{ "private": true }');
    npmInstall(draft, [`${name}@${version}`]);
  });
  return join(folder, 'node_modules', name, 'bin', system === 'win' ? 'node.exe' : 'node');
}
