import { unlink, writeFile } from 'node:fs/promises';
import { fullOutputPath } from '../full-output-file';
import type { ShellCommand } from './shell';

/** A shell of this machine: how it runs a command line, and how one that is too long for an argument. */
export interface LocalShell {
  readonly runLine: (line: string) => ShellCommand;
  readonly runFile: {
    readonly extension: '.sh' | '.ps1';
    /** What to write into the file for a command line. */
    readonly fileText: (line: string) => string;
    readonly run: (path: string) => ShellCommand;
  };
}

/**
 * Bytes. Linux takes 128 KiB in one argument. Windows takes 32,767 characters in all, and quotes may need two of them for
 * one.
 */
const LONGEST_ARGUMENT = process.platform === 'win32' ? 12 * 1024 : 120 * 1024;

/** Calls `run` with the command for a line. A long line is in a temporary file meanwhile, which only the user can read. */
export async function withCommand<T>(
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
