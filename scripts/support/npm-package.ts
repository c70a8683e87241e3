import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand } from '../install.mjs';
import { UserError } from './fail.mjs';
import { DIST, OUT, ROOT } from './paths.ts';
import { packedPage } from './packed-page.ts';
import { repositoryFields } from './published.ts';

/** Matches files in dist/ that the command line does not need. */
const OF_THE_EXTENSION = /^(extension\.c?js|webview|examples|dialects\.md|meta-.*\.json)$|\.(map|stamp)$/;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Packs the command line and the types for hooks as an npm package, from the files in dist/. Returns the absolute path of
 * out/hookline-<version>.tgz, which is replaced if it exists. `repository` is the address of the repository for publishing.
 * @throws {UserError} when npm cannot pack it
 */
export function packCommandLine(repository?: string): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const folder = join(OUT, 'npm-package');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'dist'), { recursive: true });
  for (const name of readdirSync(DIST).filter(each => !OF_THE_EXTENSION.test(each))) {
    cpSync(join(DIST, name), join(folder, 'dist', name), { recursive: true });
  }
  for (const name of ['LICENSE', join('media', 'bin')]) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'CHANGELOG.md'), packedPage('CHANGELOG.md', repository));
  writeFileSync(join(folder, 'README.md'), packedPage('docs/cli.md', repository));
  const { name, version, license, type, dependencies, devDependencies } = manifest;
  const ripgrep = { ...devDependencies, ...dependencies }['@vscode/ripgrep'];
  const own = {
    name,
    version,
    description: 'A coding agent for the terminal that you control with small TypeScript files: hooks.',
    license,
    type,
    bin: { hookline: 'dist/cli.js' },
    engines: { node: '>=22.19' },
    ...(repository === undefined ? {} : repositoryFields(repository)),
    // What `find` and `grep` search with. VS Code has its own.
    dependencies: { '@vscode/ripgrep': ripgrep },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  const npm = npmCommand();
  const { status, stderr } = spawnSync(npm.file, [...npm.args, 'pack', '--ignore-scripts', './npm-package'], {
    cwd: OUT,
    encoding: 'utf8',
  });
  if (status !== 0) throw new UserError(`npm did not pack the command line:\n${stderr}`);
  return join(OUT, `hookline-${version}.tgz`);
}
