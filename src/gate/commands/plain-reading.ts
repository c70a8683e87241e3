import { isAbsolute, join, resolve } from 'node:path';
import { isReachable } from '../../base/files/on-disk';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';
import { gitStartsNothing } from './git-programs';
import { readingCommand, type ReadingCommand } from './reading-form';
import { realPathOf } from '../calls/real-path';
import { simpleCommands } from './shell-words';

/** What the user says about commands that only read. */
export interface PlainReadingChoice {
  /** False: Ask asks about all of them. */
  readonly enabled: boolean;
  /** Names of those about which Ask asks nevertheless, as `READING_COMMANDS` has them. */
  readonly asks: readonly string[];
}

/** Under which conditions commands that only read run without a question. */
export interface PlainReading {
  readonly choice: PlainReadingChoice;
  readonly platform: NodeJS.Platform;
  /** The environment in which commands run. */
  readonly env: NodeJS.ProcessEnv;
}

export interface ReadingQuestion {
  /** Whether a tool that reads may read a file or folder, by its absolute real path, without a question. */
  readonly mayRead: (real: string) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Whether a command only reads, and reads only what the tools `read`, `grep` and `ls` may read without a question. Each of
 * its words must be known to the gate. Never rejects.
 */
export async function onlyReads(
  { command, cwd }: Pick<CallDetails, 'command' | 'cwd'>,
  { choice, platform, env }: PlainReading,
  { mayRead, signal }: ReadingQuestion,
): Promise<boolean> {
  // Git Bash on Windows reads paths in its own way.
  if (!choice.enabled || platform === 'win32' || command?.isPosix !== true || isChanged(env)) return false;
  const here = realPathOf(cwd);
  if (here === undefined) return false;
  const commands = simpleCommands(command.line)?.map(words => readingCommand(words)) ?? [undefined];
  const known = commands.flatMap(each => each ?? []);
  if (known.length < commands.length) return false;
  const mayRun = (each: ReadingCommand): boolean =>
    !choice.asks.includes(each.name) &&
    (each.isBuiltIn || isOfSystem(each.program, { platform, env, cwd: here })) &&
    each.here.every(path => isHere(path, here)) &&
    each.paths.every(path => isIn(path, here, mayRead)) &&
    (each.program !== 'rg' || !isSet(env, 'RIPGREP_CONFIG_PATH'));
  if (!known.every(mayRun)) return false;
  const usesGit = known.some(({ program }) => program === 'git');
  return !usesGit || (!isGitChanged(env) && (await gitStartsNothing({ cwd: here, mayRead, signal })));
}

/** Whether the environment makes a shell run a file first, or replaces commands, or changes how words are read. */
function isChanged(env: NodeJS.ProcessEnv): boolean {
  const names = [
    'BASH_ENV',
    'ENV',
    'SHELLOPTS',
    'BASHOPTS',
    'BASH_COMPAT',
    'POSIXLY_CORRECT',
    'GREP_OPTIONS',
    'CDPATH',
  ];
  return names.some(name => isSet(env, name)) || Object.keys(env).some(name => name.startsWith('BASH_FUNC_'));
}

/** Variables of git that are not about what a reading command does. */
const HARMLESS_GIT =
  /^GIT_(?:AUTHOR_|COMMITTER_|ASKPASS$|EDITOR$|SEQUENCE_EDITOR$|PAGER$|TERMINAL_PROMPT$|MERGE_AUTOEDIT$|OPTIONAL_LOCKS$|SSH|SSL_|HTTP_)/;

function isGitChanged(env: NodeJS.ProcessEnv): boolean {
  return Object.keys(env).some(name => name.startsWith('GIT_') && !HARMLESS_GIT.test(name));
}

function isSet(env: NodeJS.ProcessEnv, name: string): boolean {
  return env[name] !== undefined && env[name] !== '';
}

/** Folders of programs that a workspace does not change, also not by the settings of a version manager. */
const OF_SYSTEM = [
  ...['/bin', '/usr/bin', '/usr/local/bin', '/sbin', '/usr/sbin', '/opt/homebrew/bin', '/opt/local/bin', '/snap/bin'],
  ...['/home/linuxbrew/.linuxbrew/bin', '/run/current-system/sw/bin', '/nix/var/nix/profiles/default/bin'],
];

/** Whether the program that a shell would find by this name is one of the system. */
function isOfSystem(
  program: string,
  machine: { readonly platform: NodeJS.Platform; readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): boolean {
  const folders = (machine.env['PATH'] ?? '').split(':');
  const found = folders.map(folder => join(resolve(machine.cwd, folder), program)).find(path => isReachable(path));
  return found !== undefined && OF_SYSTEM.some(folder => join(folder, program) === found);
}

/** Whether a path leads to the folder of the call, in whatever way a shell reads it. */
function isHere(path: string, here: string): boolean {
  return (path === '.' || isAbsolute(path)) && !climbs(path) && realPathOf(path === '.' ? here : path) === here;
}

function isIn(path: string, here: string, mayRead: (real: string) => boolean): boolean {
  const real = climbs(path) ? undefined : realPathOf(resolve(here, path));
  return real !== undefined && mayRead(real);
}

/** Whether a path goes up after a name: what is above the name depends on links. */
function climbs(path: string): boolean {
  const names = path.split('/');
  const first = names.findIndex(name => name !== '' && name !== '.' && name !== '..');
  return first >= 0 && names.includes('..', first);
}
