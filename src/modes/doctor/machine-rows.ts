import { accessSync, constants } from 'node:fs';
import { stat } from 'node:fs/promises';
import { release } from 'node:os';
import { dirname, join } from 'node:path';
import { loadSettings } from '../../agent/settings/load-settings';
import { RipgrepLocator } from '../../agent/tools/search/ripgrep';
import { runProcess } from '../../agent/tools/shell/process';
import { findShell, onPath } from '../../agent/tools/shell/shell';
import { messageOf } from '../../base/errors';
import { isWithin } from '../../base/files/is-within';
import { isFile, isFolder, isReachable } from '../../base/files/on-disk';
import { PI_VERSION } from '../../base/pi-version';
import { singleLine } from '../../base/text/single-line';
import type { CodePlace } from '../../startup/hook-setup';
import type { DoctorRow } from './report';

/** The folders that Hookline uses. All paths are absolute. */
export interface DoctorPlaces extends CodePlace {
  readonly cwd: string;
  readonly agentDir: string;
}

type Machine = Pick<NodeJS.Process, 'env' | 'platform' | 'arch' | 'execPath' | 'versions'>;

/** How long a program may take to say its version, in ms. */
const VERSION_MS = 5_000;
/** Clocks of two machines differ by less, in ms. */
const CLOCK_SLACK_MS = 24 * 60 * 60 * 1000;

/** Versions, and whether the clock can be right. */
export async function versionRows(places: DoctorPlaces, machine: Machine): Promise<readonly DoctorRow[]> {
  const { versions, execPath, platform, arch } = machine;
  return [
    { name: 'Hookline', value: `${places.version}, with the engine of pi ${PI_VERSION}` },
    { name: 'Node', value: `${versions.node} (${execPath})` },
    { name: 'System', value: `${platform} ${arch}, ${release()}` },
    await clockRow(places),
  ];
}

/** No file that Hookline wrote can be from the future. */
async function clockRow({ distDir, agentDir, stateDir }: DoctorPlaces): Promise<DoctorRow> {
  const now = Date.now();
  const value = new Date(now).toISOString();
  for (const path of [join(distDir, 'cli.js'), agentDir, stateDir]) {
    const time = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
    if (time <= now + CLOCK_SLACK_MS) continue;
    const written = new Date(time).toISOString();
    const problem = `The clock is wrong: ${path} was written at ${written}. Providers may refuse requests. Set the clock.`;
    return { name: 'Clock', value, problem };
  }
  return { name: 'Clock', value };
}

/** The folders, and whether Hookline can write to them. */
export function placeRows({ cwd, agentDir, stateDir, storageDir }: DoctorPlaces): readonly DoctorRow[] {
  return [
    { name: 'This folder', ...folderState(cwd, 'The agent cannot write files here.') },
    { name: 'Agent folder', ...folderState(agentDir, 'Settings, keys and sessions cannot be saved.') },
    { name: 'State', ...folderState(stateDir, 'Approvals of hooks and the guard cannot be saved.') },
    { name: 'Cache', ...folderState(storageDir, 'Each start is slower.') },
  ];
}

function folderState(path: string, consequence: string): Omit<DoctorRow, 'name'> {
  const fault = whyNotWritable(path);
  const value = isReachable(path) ? path : `${path} (not there yet)`;
  return fault === undefined ? { value } : { value, problem: `${fault}. ${consequence}` };
}

/** Looks only: nothing is made. */
function whyNotWritable(path: string): string | undefined {
  if (isReachable(path)) {
    if (!isFolder(path)) return `${path} is not a folder`;
    try {
      accessSync(path, constants.W_OK);
      return undefined;
    } catch (error) {
      return `${path} cannot be written (${messageOf(error)})`;
    }
  }
  const above = dirname(path);
  return above === path ? undefined : whyNotWritable(above);
}

/** The programs that tools and packages start. */
export async function programRows(
  places: DoctorPlaces,
  machine: Machine,
  ripgrep = new RipgrepLocator(),
): Promise<readonly DoctorRow[]> {
  const { env, platform } = machine;
  const find = (names: readonly string[]): string | undefined => {
    const endings = platform === 'win32' ? ['.exe', '.cmd'] : [''];
    return names.flatMap(name => endings.flatMap(ending => onPath(`${name}${ending}`, machine))).find(isFile);
  };
  const { settings } = await loadSettings({ ...places, includeProject: false });
  const looks = [
    {
      name: 'git',
      look: () => find(['git']),
      missing: 'Hooks that use git, and packages from git, do not work. Install git.',
    },
    {
      name: 'ripgrep',
      look: () => ripgrep.locate(),
      missing: 'The tools grep and find do not work. Install ripgrep, so that rg is on PATH.',
    },
    {
      name: 'Shell',
      look: () => findShell({ platform, env, shellPath: settings.shellPath, exists: isFile }),
      missing: 'The tool bash does not work. Install bash, or set shellPath in settings.json.',
    },
    { name: 'VS Code', look: () => find(['code', 'code-insiders', 'codium', 'cursor']) },
  ];
  return Promise.all(
    looks.map(async ({ name, look, missing }) => {
      const program = await Promise.resolve()
        .then(look)
        .catch(() => undefined);
      if (program !== undefined) return { name, value: await programText(program, places.cwd, env) };
      return { name, value: 'not found', ...(missing === undefined ? {} : { problem: missing }) };
    }),
  );
}

/** The version and path of a program. One in the folder is code of the folder, and does not run. */
async function programText(program: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  if (isWithin(program, cwd)) return `${program} (in this folder, so it was not asked for its version)`;
  let said = '';
  const end = await runProcess({
    command: program,
    args: ['--version'],
    cwd: dirname(program),
    env,
    timeoutMs: VERSION_MS,
    onStdout: chunk => {
      said += chunk.toString('utf8');
    },
  });
  const version = end.kind === 'exited' ? /\d+(?:\.\d+)+/.exec(singleLine(said))?.[0] : undefined;
  return version === undefined ? program : `${version} (${program})`;
}
