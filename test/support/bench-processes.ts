import { readdirSync, readFileSync } from 'node:fs';

/** A process of this machine whose command line holds what only one run uses. */
export interface Marked {
  readonly pid: number;
  readonly isSleep: boolean;
}

/** All marked processes, oldest first. Empty where there is no /proc. */
export function markedProcesses(mark: string): Marked[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => ({ pid: Number(name), command: commandOf(name) }))
    .filter(({ command }) => command.includes(mark))
    .map(({ pid, command }) => ({ pid, isSleep: command.startsWith('sleep\0') }))
    .sort((a, b) => a.pid - b.pid);
}

/** Ends them for good, those first that would start others. */
export function endMarked(mark: string): void {
  for (let found = markedProcesses(mark); found.length > 0; found = markedProcesses(mark)) {
    for (const { pid } of found) end(pid);
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return ''; // It ended while we looked.
  }
}
