import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand } from '../install.mjs';
import { cachedFolder, npmInstall } from './cached.ts';
import { UserError } from './fail.mjs';
import { ROOT } from './paths.ts';
import { installedAsLocked } from './peer-packages.ts';

/** Folder with the package.json and the lock file of the agents. */
const LOCKED = join(ROOT, 'scripts', 'agents');

/** Packages by name, with their versions. */
type Versions = Readonly<Record<string, string>>;

/** The agents of others in the cache. */
export interface BroughtAgents {
  /** Absolute path of the folder whose node_modules contain them. */
  readonly folder: string;
  /** Their packages with their versions, for the output. */
  readonly text: string;
}

/**
 * Downloads the agents of others into the cache, as they are locked, or in their newest versions. Nothing in the project changes.
 * @throws {UserError} when npm fails
 */
export async function bringAgents({ latest = false }: { readonly latest?: boolean } = {}): Promise<BroughtAgents> {
  const locked = lockedVersions();
  const versions = latest ? newestVersions(Object.keys(locked)) : locked;
  const folder = latest ? await installedNewest(versions) : await installedAsLocked(LOCKED, 'the agents of others');
  for (const [name, ...path] of SCRIPTS) {
    const script = join(folder, 'node_modules', ...path);
    const { status } = existsSync(script)
      ? spawnSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] })
      : { status: 0 };
    if (status !== 0) throw new UserError(`${name} could not be installed (exit code ${String(status)})`);
  }
  const text = Object.entries(versions)
    .map(parts => parts.join(' '))
    .join(', ');
  return { folder, text };
}

/** Packages are installed without their scripts; these put the program for this system in its place, if it is not there. */
const SCRIPTS: readonly (readonly [name: string, ...path: string[]])[] = [
  ['Claude Code', '@anthropic-ai', 'claude-code', 'install.cjs'],
  ['opencode', 'opencode-ai', 'postinstall.mjs'],
];

function lockedVersions(): Versions {
  const text = readFileSync(join(LOCKED, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly dependencies: Versions }).dependencies;
}

function newestVersions(names: readonly string[]): Versions {
  const npm = npmCommand();
  return Object.fromEntries(
    names.map(name => {
      const { status, stdout } = spawnSync(npm.file, [...npm.args, 'view', name, 'version', '--loglevel=error'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const version = stdout.trim();
      if (status !== 0 || version === '') throw new UserError(`npm does not say the newest version of ${name}`);
      return [name, version];
    }),
  );
}

function installedNewest(dependencies: Versions): Promise<string> {
  const content = JSON.stringify({ private: true, dependencies }, null, 2);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return cachedFolder(['peers', `newest-${hash}`], draft => {
    console.log('hookline: getting the newest versions of the agents of others from npm, once');
    writeFileSync(join(draft, 'package.json'), content);
    npmInstall(draft, []);
  });
}
