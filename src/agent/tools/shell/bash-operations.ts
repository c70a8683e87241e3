import { statSync } from 'node:fs';
import { unlink, writeFile } from 'node:fs/promises';
import { isReachable } from '../../../base/files/on-disk';
import { slashed } from '../../../base/files/slashed';
import { fullOutputPath } from '../full-output-file';
import { commandEnvironment, runProcess, type EndedProcess, type FolderVariables } from './process';
import { findShell, shellCommand, type ShellCommand } from './shell';

/** How the `bash` tool has a command run; hooks replace it to run commands elsewhere. */
export interface BashExecOptions {
  /** A returned promise asks the caller to wait before sending more. */
  readonly onData: (data: Buffer) => void | Promise<void>;
  readonly signal?: AbortSignal | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

export type BashExec = (
  command: string,
  cwd: string,
  options: BashExecOptions,
) => Promise<{ readonly exitCode: number | null }>;

/**
 * `exec` rejects with the message `aborted` on abort and `timeout:<seconds>` on timeout. Extensions may also
 * call it `execute`, whose result may be the output itself (docs/dialects.md, D23).
 */
export type BashOperations =
  | { readonly exec: BashExec }
  | { readonly execute: (command: string, cwd: string, options: BashExecOptions) => unknown };

export interface LocalOperations {
  readonly exec: BashExec;
}

/** Runs a command line on this machine. Throws if it cannot be started. */
export type LocalRun = (line: string, cwd: string, options: BashExecOptions) => Promise<EndedProcess>;

/** Runs commands on this machine. */
export function createLocalBashOperations(
  options: { readonly shellPath?: string | undefined } = {},
  variables?: FolderVariables,
): LocalOperations {
  return operationsOf(localBash(options.shellPath), variables);
}

/** `shellPath` is used instead of the shell that is looked up. */
export function localBash(shellPath: string | undefined): LocalRun {
  const { platform } = process;
  return localRun('bash', env => {
    const shell = findShell({ platform, env, shellPath, exists: isReachable });
    const runLine = (line: string): ShellCommand => shellCommand(shell, line, platform);
    const run = (path: string): ShellCommand => runLine(`. ${quoted(slashed(path))}`);
    return { runLine, runFile: { extension: '.sh', fileText: line => line, run } };
  });
}

/** A shell of this machine: how it runs a command line, and how one that is too long for an argument. */
interface LocalShell {
  readonly runLine: (line: string) => ShellCommand;
  readonly runFile: {
    readonly extension: '.sh' | '.ps1';
    /** What to write into the file for a command line. */
    readonly fileText: (line: string) => string;
    readonly run: (path: string) => ShellCommand;
  };
}

/** Runs commands on this machine in the shell of this name; `find` throws where there is none. */
export function localRun(shellName: string, find: (env: NodeJS.ProcessEnv) => LocalShell): LocalRun {
  return async (line, cwd, { onData, signal, timeout, env = commandEnvironment(process.env) }) => {
    refuseTimeout(timeout);
    if (!isDirectory(cwd)) {
      throw new Error(`Working directory does not exist: ${cwd}\nCannot execute ${shellName} commands.`);
    }
    const end = await withCommand(find(env), line, command =>
      runProcess({
        ...command,
        cwd,
        env,
        signal,
        timeoutMs: timeout === undefined ? undefined : timeout * 1000,
        onStdout: onData,
        onStderr: onData,
      }),
    );
    if (end.kind === 'failed') throw new Error(`Cannot start ${shellName}: ${end.error.message}`);
    return end;
  };
}

/** The same in the form that hooks know. */
export function operationsOf(run: LocalRun, variables: FolderVariables = () => ({})): LocalOperations {
  return {
    async exec(line, cwd, options) {
      const env = options.env ?? { ...commandEnvironment(process.env), ...variables() };
      const { kind, code } = await run(line, cwd, { ...options, env });
      if (kind === 'aborted') throw new Error('aborted');
      if (kind === 'timeout') throw new Error(`timeout:${options.timeout ?? 0}`);
      return { exitCode: code };
    },
  };
}

/**
 * Bytes. Linux takes 128 KiB in one argument. Windows takes 32,767 characters in all, and quotes may need two of them for
 * one.
 */
const LONGEST_ARGUMENT = process.platform === 'win32' ? 12 * 1024 : 120 * 1024;

/** Calls `run` with the command for a line. A long line is in a temporary file meanwhile, which only the user can read. */
async function withCommand<T>(
  { runLine, runFile }: LocalShell,
  line: string,
  run: (command: ShellCommand) => Promise<T>,
): Promise<T> {
  if (Buffer.byteLength(line) <= LONGEST_ARGUMENT) return await run(runLine(line));
  const path = fullOutputPath('bash', runFile.extension);
  try {
    await writeFile(path, runFile.fileText(line), { flag: 'wx', mode: 0o600 });
    return await run(runFile.run(path));
  } finally {
    await unlink(path).catch(() => undefined); // The first output of a later process removes it.
  }
}

const LONGEST_TIMEOUT_S = (2 ** 31 - 1) / 1000;

function refuseTimeout(seconds: number | undefined): void {
  if (seconds === undefined) return;
  if (!Number.isFinite(seconds) || seconds <= 0) {
    throw new Error('Invalid timeout: must be a finite number of seconds');
  }
  if (seconds > LONGEST_TIMEOUT_S) throw new Error(`Invalid timeout: maximum is ${LONGEST_TIMEOUT_S} seconds`);
}

/**
 * Calls operations of either form. Output that foreign operations return instead of sending it to `onData` is sent
 * there for them. Gives the exit code, null when they do not know one.
 */
export async function callBashOperations(
  operations: BashOperations,
  command: string,
  cwd: string,
  options: BashExecOptions,
): Promise<number | null> {
  const sent = { any: false };
  const onData = (data: Buffer | string): void | Promise<void> => {
    sent.any = true;
    return options.onData(typeof data === 'string' ? Buffer.from(data) : data);
  };
  const passed = { ...options, onData };
  const outcome: unknown =
    'exec' in operations ? await operations.exec(command, cwd, passed) : await operations.execute(command, cwd, passed);
  if (!sent.any) await options.onData(Buffer.from(returnedOutput(outcome)));
  return returnedCode(outcome);
}

function returnedOutput(outcome: unknown): string {
  if (typeof outcome === 'string') return outcome;
  if (typeof outcome !== 'object' || outcome === null) return '';
  const parts = ['output', 'stdout', 'stderr'].map(name => Reflect.get(outcome, name) as unknown);
  return parts.filter(part => typeof part === 'string').join('');
}

function returnedCode(outcome: unknown): number | null {
  if (typeof outcome !== 'object' || outcome === null) return null;
  const codes = ['exitCode', 'code'].map(name => Reflect.get(outcome, name) as unknown);
  return codes.find(code => typeof code === 'number') ?? null;
}

/** The path as a word of a shell. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
