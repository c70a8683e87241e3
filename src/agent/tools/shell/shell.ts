import { posix, win32 } from 'node:path';

/** What the choice of a shell depends on. */
export interface ShellLookup {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  /** The user's choice. If it is set, nothing else is tried. */
  readonly shellPath?: string | undefined;
  readonly exists: (path: string) => boolean;
}

/** How to run one command line. */
export interface ShellCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Shells in the order in which they are tried. */
export function shellCandidates(lookup: Omit<ShellLookup, 'exists'>): readonly string[] {
  if (lookup.shellPath !== undefined && lookup.shellPath !== '') return [lookup.shellPath];
  if (lookup.platform !== 'win32') return ['/bin/bash', ...onPath('bash', lookup), '/bin/sh', ...onPath('sh', lookup)];
  const roots = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap(name => {
    const folder = variable(lookup.env, name);
    if (folder === undefined) return [];
    return [name === 'LOCALAPPDATA' ? win32.join(folder, 'Programs') : folder];
  });
  return [...roots.map(root => win32.join(root, 'Git', 'bin', 'bash.exe')), ...onPath('bash.exe', lookup)];
}

/** The shell to use; throws an error that says where it was looked for. */
export function findShell(lookup: ShellLookup): string {
  const candidates = shellCandidates(lookup);
  const found = candidates.find(candidate => lookup.exists(candidate));
  if (found !== undefined) return found;
  if (lookup.shellPath !== undefined && lookup.shellPath !== '') {
    throw new Error(`Custom shell path not found: ${lookup.shellPath}`);
  }
  const hint =
    lookup.platform === 'win32' ? ' Install Git for Windows, or put bash.exe on PATH, or set shellPath.' : '';
  throw new Error(`No shell found.${hint} Searched:\n${candidates.map(path => `  ${path}`).join('\n')}`);
}

/** The PowerShell to use, version 7 before that of Windows; throws an error that says where it was looked for. */
export function findPowerShell(lookup: Omit<ShellLookup, 'shellPath'>): string {
  const { env, exists } = lookup;
  const below = (name: string, ...path: readonly string[]): string[] => {
    const folder = variable(env, name);
    return folder === undefined ? [] : [win32.join(folder, ...path)];
  };
  const candidates =
    lookup.platform === 'win32'
      ? [
          ...onPath('pwsh.exe', lookup),
          ...below('ProgramFiles', 'PowerShell', '7', 'pwsh.exe'),
          ...onPath('powershell.exe', lookup),
          ...below('SystemRoot', 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe'),
        ]
      : [...onPath('pwsh', lookup), ...onPath('powershell', lookup)];
  const found = candidates.find(candidate => exists(candidate));
  if (found !== undefined) return found;
  throw new Error(`No PowerShell found. Searched:\n${candidates.map(path => `  ${path}`).join('\n')}`);
}

/** Runs `line` in `shell`; see {@link joinedCommand}. */
export function shellCommand(shell: string, line: string, platform: NodeJS.Platform): ShellCommand {
  return joinedCommand(shell, ['-c', line], platform);
}

/**
 * On Unix an outer `sh` joins stderr to stdout and replaces itself by the shell, so that the order of the output is the
 * order of writing; two pipes would lose it.
 */
export function joinedCommand(shell: string, args: readonly string[], platform: NodeJS.Platform): ShellCommand {
  if (platform === 'win32') return { command: shell, args };
  return { command: '/bin/sh', args: ['-c', 'exec "$0" "$@" 2>&1', shell, ...args] };
}

/** A program's possible places on PATH, in order. */
export function onPath(
  program: string,
  machine: { readonly platform: NodeJS.Platform; readonly env: NodeJS.ProcessEnv },
): string[] {
  const paths = machine.platform === 'win32' ? win32 : posix;
  return (variable(machine.env, 'PATH') ?? '')
    .split(paths.delimiter)
    .map(folder => folder.replace(/^"(.*)"$/, '$1'))
    .filter(folder => paths.isAbsolute(folder))
    .map(folder => paths.join(folder, program));
}

/** Windows does not care about the case of variable names, but copies of `process.env` do. */
function variable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  if (env[name] !== undefined) return env[name];
  const key = Object.keys(env).find(candidate => candidate.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : env[key];
}
