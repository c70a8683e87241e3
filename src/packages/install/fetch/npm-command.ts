import { existsSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import * as l10n from '@vscode/l10n';
import { InstallFailure } from '../install-failure';

/** The package manager whose arguments a command accepts. */
export type PackageManager = 'npm' | 'pnpm' | 'bun' | 'other';

/** The program that installs npm packages. */
export interface NpmCommand {
  readonly command: string;
  /** Arguments that come before the arguments of each call. */
  readonly args: readonly string[];
  readonly manager: PackageManager;
}

const MANAGERS: readonly PackageManager[] = ['npm', 'pnpm', 'bun'];

/**
 * Reads the setting `npmCommand` (npm when it is empty): a program and its first arguments. The program may start
 * another one that installs, which the arguments name (`["mise", "exec", "node@20", "--", "npm"]`).
 * @throws InstallFailure when it names no program or several package managers
 */
export function npmCommandFrom(setting: readonly string[], system: NodeJS.Process = process): NpmCommand {
  if (setting.length === 0) return { ...plainNpm(system), manager: 'npm' };
  const [command = '', ...args] = setting;
  if (command === '') throw new InstallFailure(l10n.t('Setting "npmCommand": the first entry must name a program.'));
  return { command, args, manager: managerOf(command, args) };
}

function managerOf(command: string, args: readonly string[]): PackageManager {
  const separator = args.lastIndexOf('--');
  if (separator >= 0) return managerNamed(args[separator + 1] ?? command);
  const own = managerNamed(command);
  if (own !== 'other') return own;
  const wrapped = [...new Set(args.map(managerNamed).filter(manager => manager !== 'other'))];
  if (wrapped.length > 1) {
    throw new InstallFailure(l10n.t('Setting "npmCommand" names several programs: {0}.', wrapped.join(', ')));
  }
  return wrapped[0] ?? 'other';
}

function managerNamed(command: string): PackageManager {
  const name = basename(command).replace(/\.(cmd|exe)$/i, '');
  return MANAGERS.find(manager => manager === name) ?? 'other';
}

/**
 * On Windows npm is a batch file, which only a shell can run; so Node is called with npm's script, as the file does.
 */
function plainNpm({ platform, env }: NodeJS.Process): Omit<NpmCommand, 'manager'> {
  if (platform !== 'win32') return { command: 'npm', args: [] };
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter);
  const folder = folders.find(each => each !== '' && existsSync(join(each, 'npm.cmd')));
  if (folder === undefined) return { command: 'npm', args: [] };
  const node = join(folder, 'node.exe');
  const script = join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return { command: existsSync(node) ? node : 'node', args: [script] };
}

/** Arguments to add packages: without peer dependencies, because Hookline provides them, and without audit messages. */
export function installArgs(
  { manager }: NpmCommand,
  specs: readonly string[],
  folder: string,
  scripts: 'run' | 'skip',
): readonly string[] {
  const ignore = ignoreScripts(scripts);
  switch (manager) {
    case 'bun':
      return ['install', ...specs, '--cwd', folder, '--omit=peer', ...ignore];
    case 'pnpm':
      return ['install', ...specs, '--prefix', folder, ...PNPM_PEERS, ...ignore];
    case 'npm':
      return ['install', ...specs, '--prefix', folder, ...NPM_QUIET, ...NPM_TELLING, ...ignore];
    case 'other':
      return ['install', ...specs, '--prefix', folder, ...NPM_QUIET, ...ignore];
  }
}

/**
 * Arguments to install the dependencies of the package in the working directory, without its development dependencies.
 */
export function dependencyArgs({ manager }: NpmCommand, scripts: 'run' | 'skip'): readonly string[] {
  const ignore = ignoreScripts(scripts);
  switch (manager) {
    case 'bun':
      return ['install', '--omit=dev', '--omit=peer', ...ignore];
    case 'pnpm':
      return ['install', '--prod', ...PNPM_PEERS, ...ignore];
    case 'npm':
      return ['install', '--omit=dev', ...NPM_QUIET, ...NPM_TELLING, ...ignore];
    case 'other':
      return ['install', ...ignore];
  }
}

export function uninstallArgs({ manager }: NpmCommand, name: string, folder: string): readonly string[] {
  if (manager === 'bun') return ['uninstall', name, '--cwd', folder, '--ignore-scripts'];
  const quiet = manager === 'pnpm' ? [] : NPM_QUIET;
  return ['uninstall', name, '--prefix', folder, ...quiet, '--ignore-scripts'];
}

/** Arguments to run the install scripts of packages that are already in the folder. */
export function rebuildArgs(names: readonly string[], folder: string): readonly string[] {
  return ['rebuild', ...names, '--prefix', folder, '--ignore-scripts=false'];
}

function ignoreScripts(scripts: 'run' | 'skip'): readonly string[] {
  return scripts === 'run' ? ['--ignore-scripts=false'] : ['--ignore-scripts'];
}

const NPM_QUIET = ['--legacy-peer-deps', '--no-audit', '--no-fund'];
/** Makes npm print each download on stderr, and errors as JSON on stdout. */
const NPM_TELLING = ['--loglevel=http', '--json'];
const PNPM_PEERS = [
  '--config.auto-install-peers=false',
  '--config.strict-peer-dependencies=false',
  '--config.strict-dep-builds=false',
];
