import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { UserError } from './fail.mjs';
import { isPreRelease } from './published.ts';

/** Paths are absolute. */
interface Packing {
  readonly folder: string;
  /** The file to write; an existing one is replaced. */
  readonly vsix: string;
  /** Refuses files that contain secrets. That takes half a minute, so it is for files that may be published. */
  readonly searchSecrets?: boolean;
}

/**
 * Packs a folder as a VSIX, without files that its .vscodeignore excludes and without node_modules. A version with an odd minor
 * number is packed as a pre-release.
 * @throws {UserError} with the output of vsce when it fails
 */
export function packVsix({ folder, vsix, searchSecrets = false }: Packing): void {
  mkdirSync(dirname(vsix), { recursive: true });
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string };
  const vsce = join(dirname(createRequire(import.meta.url).resolve('@vscode/vsce/package.json')), 'vsce');
  const options = [
    '--no-dependencies',
    '--allow-missing-repository',
    '--skip-license',
    '--no-rewrite-relative-links',
    // Editors recognize a pre-release only by a mark in the VSIX, not by its version.
    ...(isPreRelease(version) ? ['--pre-release'] : []),
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
