import { execFile, spawnSync } from 'node:child_process';
import { win32 } from 'node:path';
import {
  readProcessRow,
  readProcessTable,
  readProcessTableNow,
  type ProcessRow,
  type ProcessTable,
} from './process-table.ts';

/** How the processes of a system are listed and ended. */
export interface ProcessSystem {
  readonly platform: NodeJS.Platform;
  /** The process that ends others. */
  readonly pid: number;
  /** Undefined where the system does not list its processes. */
  readonly table: () => Promise<ProcessTable | undefined>;
  /** The same while nothing else can run. */
  readonly tableNow: () => ProcessTable | undefined;
  /** Signals the process of a row. */
  readonly send: (row: ProcessRow, signal: NodeJS.Signals) => void;
  /** Signals a process that waits to be reported, and the group that it leads. */
  readonly sendToGroup: (leader: number, signal: NodeJS.Signals) => void;
  /** Ends a process that waits to be reported, with all that it started (Windows). False when the system did not do that. */
  readonly endWithTaskkill: (pid: number) => Promise<boolean>;
  /** The same while nothing else can run. */
  readonly endWithTaskkillNow: (pid: number) => boolean;
}

/** The system that this process runs on. */
export const THIS_SYSTEM: ProcessSystem = {
  platform: process.platform,
  pid: process.pid,
  table: readProcessTable,
  tableNow: readProcessTableNow,
  send: (row, signal) => sendTo(row, signal, process),
  sendToGroup: (leader, signal) => {
    send(-leader, signal, process);
    send(leader, signal, process);
  },
  endWithTaskkill: pid =>
    new Promise(resolve => {
      execFile(...taskkill(pid, process.env), { windowsHide: true }, error => resolve(error === null));
    }),
  endWithTaskkillNow: pid =>
    spawnSync(...taskkill(pid, process.env), { windowsHide: true, stdio: 'ignore' }).status === 0,
};

/** What sends signals: this process, or one that tests make. */
type Sender = Pick<NodeJS.Process, 'platform'> & { kill(pid: number, signal: NodeJS.Signals): unknown };

/** Signals the process of a row, unless it has ended and its pid was given away. */
export function sendTo(row: ProcessRow, signal: NodeJS.Signals, sender: Sender): void {
  if (sender.platform === 'linux' && readProcessRow(row.pid)?.startedAt !== row.startedAt) return;
  send(row.pid, signal, sender);
}

function send(target: number, signal: NodeJS.Signals, sender: Sender): void {
  try {
    sender.kill(target, signal);
  } catch {
    // It has ended, or the system does not let us end it: nothing more can be done.
  }
}

/** The program, which is not looked for in PATH or in the current folder, and its arguments. */
export function taskkill(pid: number, { SystemRoot = 'C:\\Windows' }: NodeJS.ProcessEnv): [string, string[]] {
  return [win32.join(SystemRoot, 'System32', 'taskkill.exe'), ['/pid', String(pid), '/T', '/F']];
}
