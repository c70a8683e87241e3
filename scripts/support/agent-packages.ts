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

/** The members of a package.json that say what is installed. npm may leave out the optional ones. */
interface Manifest {
  readonly dependencies: Versions;
  /** Packages for one system only: on others, npm would refuse to install them, and with them all agents. */
  readonly optionalDependencies: Versions;
}

/** The agents of others in the cache. */
export interface BroughtAgents {
  /** Absolute path of the folder whose node_modules contain them. */
  readonly folder: string;
  /** Their packages with their versions, for the output. */
  readonly text: string;
  /** Sentences about agents that are not there, or not in their newest version. */
  readonly remarks: readonly string[];
}

/** Agents of which a package for one system is installed, and the package by which people install them. */
const WHOLE_PACKAGES: Versions = { '@kilocode/cli-linux-x64': '@kilocode/cli' };

/**
 * Downloads the agents of others into the cache, as they are locked, or in their newest versions. Nothing in the project changes.
 * @throws {UserError} when npm fails
 */
export async function bringAgents({ latest = false }: { readonly latest?: boolean } = {}): Promise<BroughtAgents> {
  const locked = JSON.parse(readFileSync(join(LOCKED, 'package.json'), 'utf8')) as Manifest;
  const { remarks: late, ...versions } = latest ? newestVersions(locked, askNpm) : { ...locked, remarks: [] };
  const folder = latest ? await installedNewest(versions) : await installedAsLocked(LOCKED, 'the agents of others');
  for (const [name, ...path] of SCRIPTS) {
    const script = join(folder, 'node_modules', ...path);
    const { status } = existsSync(script)
      ? spawnSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] })
      : { status: 0 };
    if (status !== 0) throw new UserError(`${name} could not be installed (exit code ${String(status)})`);
  }
  const all = { ...versions.dependencies, ...versions.optionalDependencies };
  const missing = Object.keys(all).filter(name => !existsSync(join(folder, 'node_modules', name)));
  const brought = Object.entries(all).filter(([name]) => !missing.includes(name));
  return {
    folder,
    text: brought.map(parts => parts.join(' ')).join(', '),
    remarks: [...late, ...missing.map(name => `${name} cannot be installed on this system`)],
  };
}

/** Packages are installed without their scripts; these put the program for this system in its place, if it is not there. */
const SCRIPTS: readonly (readonly [name: string, ...path: string[]])[] = [
  ['Claude Code', '@anthropic-ai', 'claude-code', 'install.cjs'],
  ['opencode', 'opencode-ai', 'postinstall.mjs'],
];

/** The version that npm has of `package` or `package@version`; undefined where it has none. */
export type AskNpm = (what: string) => string | undefined;

/**
 * The newest versions of the locked packages. A package for one system may come later than the agent, or have another newest
 * version: it is taken in the version of the agent, and if there is none, in its own newest one, with a remark.
 * @throws {UserError} when npm has a package in no version
 */
export function newestVersions(
  { dependencies, optionalDependencies }: Manifest,
  ask: AskNpm,
): Manifest & Pick<BroughtAgents, 'remarks'> {
  const remarks: string[] = [];
  const newest = (name: string): string => {
    const own = known(name, ask);
    const whole = WHOLE_PACKAGES[name];
    const wanted = whole === undefined ? own : known(whole, ask);
    if (wanted === own || ask(`${name}@${wanted}`) === wanted) return wanted;
    remarks.push(`${String(whole)} ${wanted} is not tested, because npm has ${name} only up to version ${own}`);
    return own;
  };
  const newestOf = (versions: Versions): Versions =>
    Object.fromEntries(Object.keys(versions).map(name => [name, newest(name)]));
  return { dependencies: newestOf(dependencies), optionalDependencies: newestOf(optionalDependencies), remarks };
}

function known(name: string, ask: AskNpm): string {
  const version = ask(name);
  if (version === undefined) throw new UserError(`npm does not say the newest version of ${name}`);
  return version;
}

function askNpm(what: string): string | undefined {
  const npm = npmCommand();
  // That npm has no such version is no error.
  const stderr = what.includes('@', 1) ? 'ignore' : 'inherit';
  const { status, stdout } = spawnSync(npm.file, [...npm.args, 'view', what, 'version', '--loglevel=error'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', stderr],
  });
  const version = stdout.trim();
  return status === 0 && version !== '' ? version : undefined;
}

function installedNewest(versions: Manifest): Promise<string> {
  const content = JSON.stringify({ private: true, ...versions }, null, 2);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return cachedFolder(['peers', `newest-${hash}`], draft => {
    console.log('hookline: getting the newest versions of the agents of others from npm, once');
    writeFileSync(join(draft, 'package.json'), content);
    npmInstall(draft, []);
  });
}
