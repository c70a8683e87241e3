import { execFile, spawnSync } from 'node:child_process';
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
  /** Signals the process of this row, unless it has ended and its pid was given away. */
  readonly send: (row: ProcessRow, signal: NodeJS.Signals) => void;
  /** Signals a process that waits to be reported, and the group that it leads. */
  readonly sendToGroup: (leader: number, signal: NodeJS.Signals) => void;
  /** Ends a process that waits to be reported, with all that it started (Windows). */
  readonly endWithTaskkill: (pid: number) => Promise<void>;
  /** The same while nothing else can run. */
  readonly endWithTaskkillNow: (pid: number) => void;
}

/** The system that this process runs on. */
export const THIS_SYSTEM: ProcessSystem = {
  platform: process.platform,
  pid: process.pid,
  table: readProcessTable,
  tableNow: readProcessTableNow,
  send: (row, signal) => {
    if (process.platform === 'linux' && readProcessRow(row.pid)?.startedAt !== row.startedAt) return;
    send(row.pid, signal);
  },
  sendToGroup: (leader, signal) => {
    send(-leader, signal);
    send(leader, signal);
  },
  endWithTaskkill: pid =>
    new Promise(resolve => {
      execFile('taskkill', taskkillArguments(pid), { windowsHide: true }, () => resolve());
    }),
  endWithTaskkillNow: pid => {
    spawnSync('taskkill', taskkillArguments(pid), { windowsHide: true, stdio: 'ignore' });
  },
};

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // It has ended, or the system does not let us end it: nothing more can be done.
  }
}

function taskkillArguments(pid: number): string[] {
  return ['/pid', String(pid), '/T', '/F'];
}
