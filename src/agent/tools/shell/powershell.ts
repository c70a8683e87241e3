import { win32 } from 'node:path';
import { isReachable } from '../../../base/files/on-disk';
import { localRun, operationsOf, type LocalOperations } from './bash-operations';
import type { BashToolOptions } from './execute-bash';
import type { FolderVariables } from './process';
import { findPowerShell, joinedCommand, type ShellCommand, type ShellLookup } from './shell';
import { createShellTool, type ShellTool } from './shell-tool';

/** Without profile and questions; scripts of the machine may be run. */
const SWITCHES = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass'] as const;
const ARGUMENTS = [...SWITCHES, '-Command'] as const;

/**
 * Output is read as UTF-8, whatever encoding the console has. A process without a console refuses this setting and does not need
 * it.
 */
const UTF8 = 'try { [Console]::OutputEncoding = [Text.Encoding]::UTF8 } catch { <# No console: nothing to set. #> }\n';

/**
 * Windows PowerShell treats what a native program writes to a redirected stderr as its own error, and then exits with 1 although
 * the program succeeded. The semicolon keeps an unfinished last line from going on here.
 */
const WINDOWS_EXIT = [
  '',
  ';',
  'if ($?) { exit 0 }',
  '$hooklineWhy = if ($Error.Count -gt 0) { [string]$Error[0].FullyQualifiedErrorId } else { "" }',
  'if ($LASTEXITCODE -eq 0 -and $hooklineWhy.StartsWith("NativeCommandError")) { exit 0 }',
  'exit 1',
].join('\n');

/** A script in a file exits with 0 where a command exits with 1, unless it says otherwise. */
const FILE_EXIT = ['', ';', 'if ($?) { exit 0 }', 'exit 1'].join('\n');

/** Without it, the PowerShell of Windows reads a file in the encoding of the machine. */
const BYTE_ORDER_MARK = '\ufeff';

/** Options of {@link createPowerShellTool}. */
export type PowerShellToolOptions = Pick<
  BashToolOptions,
  'operations' | 'exposeSessionEnvironment' | 'spawnHook' | 'variables'
>;

/** How PowerShell is started on this machine; throws an error that says where it was looked for. */
export function getPowerShellConfig(lookup: ShellLookup = thisMachine()): {
  readonly shell: string;
  readonly args: readonly string[];
} {
  return { shell: findPowerShell(lookup), args: [...ARGUMENTS] };
}

/** Whether this machine has a PowerShell. */
export function hasPowerShell(lookup: ShellLookup = thisMachine()): boolean {
  try {
    return findPowerShell(lookup) !== '';
  } catch {
    return false; // The error says where it was looked for, which is not needed here.
  }
}

/** The command line as PowerShell gets it. */
export function powerShellScript(shell: string, line: string): string {
  const isWindowsOwn = win32.basename(shell).toLowerCase() === 'powershell.exe';
  // A backtick at the end would continue on the next line.
  return `${UTF8}${line}${isWindowsOwn && !line.endsWith('`') ? WINDOWS_EXIT : ''}`;
}

/** Runs commands on this machine. */
export function createLocalPowerShellOperations(variables?: FolderVariables): LocalOperations {
  return operationsOf(localPowerShell, variables);
}

const localPowerShell = localRun('PowerShell', env => {
  const { shell, args } = getPowerShellConfig({ ...thisMachine(), env });
  const start = (rest: readonly string[]): ShellCommand => joinedCommand(shell, rest, process.platform);
  return {
    runLine: line => start([...args, powerShellScript(shell, line)]),
    runFile: {
      extension: '.ps1',
      fileText: line => `${BYTE_ORDER_MARK}${powerShellScript(shell, line)}${FILE_EXIT}`,
      run: path => start([...SWITCHES, '-File', path]),
    },
  };
});

/** The `powershell` tool: inactive until the user or a hook activates it. */
export function createPowerShellTool(cwd: string, options: PowerShellToolOptions = {}): ShellTool {
  const { operations, exposeSessionEnvironment, spawnHook, variables } = options;
  return createShellTool(
    { name: 'powershell', shellName: 'PowerShell', promptSnippet: 'Run PowerShell commands', defaultActive: false },
    cwd,
    { operations, exposeSessionEnvironment, spawnHook, variables, local: localPowerShell },
  );
}

function thisMachine(): ShellLookup {
  return { platform: process.platform, env: process.env, exists: isReachable };
}
