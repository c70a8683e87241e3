import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { UserError } from './fail.mjs';

/** Paths are absolute. */
interface Packing {
  readonly folder: string;
  /** An older file is replaced. */
  readonly vsix: string;
  /** Refuses files that hold secrets. That takes half a minute, so only what may be published is searched. */
  readonly searchSecrets?: boolean;
  /** Address of the repository that relative links and pictures of the pages lead to; they stay as they are when absent. */
  readonly repository?: string;
}

/**
 * Packs a folder as a VSIX, with what its .vscodeignore leaves in and without node_modules. A version with an odd minor
 * number is packed as a pre-release.
 * @throws {UserError} with what vsce says when it refuses
 */
export function packVsix({ folder, vsix, searchSecrets = false, repository }: Packing): void {
  mkdirSync(dirname(vsix), { recursive: true });
  const vsce = join(dirname(createRequire(import.meta.url).resolve('@vscode/vsce/package.json')), 'vsce');
  const options = [
    '--no-dependencies',
    '--allow-missing-repository',
    '--skip-license',
    ...(isPreRelease(folder) ? ['--pre-release'] : []),
    ...(repository === undefined
      ? ['--no-rewrite-relative-links']
      : ['--baseContentUrl', `${repository}/blob/HEAD`, '--baseImagesUrl', `${repository}/raw/HEAD`]),
    ...(searchSecrets ? [] : ['--allow-package-all-secrets']),
    '--out',
    vsix,
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, [vsce, 'package', ...options], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new UserError(`vsce did not pack ${folder}:\n${stdout}${stderr}`);
}

/** Editors tell releases and pre-releases apart by a mark in the package; versions alone say nothing to them. */
function isPreRelease(folder: string): boolean {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string };
  return Number(version.split('.')[1]) % 2 === 1;
}
