import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { join } from 'node:path';
import { defined } from '../../base/defined';
import { isCode } from '../../base/errors';
import { readProcessRow } from '../../base/ending/process-table';
import type { CallingRun } from './approval-record';

/**
 * Two computed boot times of the same boot differ by less than this, in s; they may differ because clocks are adjusted.
 */
const SAME_BOOT_S = 60;

/** Replaces the process id of a process that has ended. */
export const ENDED = 0;

/**
 * The files of this process's own run. While the idle file exists, no call is open. So if the process is killed during
 * a call, or an agent deletes files here, the next start finds an open call, although nothing could be written.
 */
export class OwnRun {
  readonly row: CallingRun;
  private readonly idleFile: string;

  /** `dir` is absolute; `marker` is the name of an environment variable that all processes of the calls have. */
  constructor(
    private readonly dir: string,
    marker: string,
  ) {
    this.row = { id: randomUUID(), ...thisProcess(), marker };
    this.idleFile = idleFileOf(dir, this.row);
  }

  /** Marks that a call is open. */
  begin(): void {
    rmSync(this.idleFile, { force: true });
  }

  /** Marks that no call is open. Call this after the changes of the calls were checked. */
  end(): void {
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    writeFileSync(this.idleFile, '');
  }

  /** Records a process that a call started as the leader of a new process session. */
  started(pid: number): void {
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    appendFileSync(rootsFileOf(this.dir, this.row), `${pid}\n`);
  }

  /** Removes the files. Call this when no record contains the run any more. */
  forget(): void {
    forgetRun(this.dir, this.row);
  }
}

/** Whether a call of the run is open, or was open when its process ended. */
export function isAtCall(dir: string, run: CallingRun): boolean {
  return !existsSync(idleFileOf(dir, run));
}

/** Identifies a process among all processes of this machine and of machines that share its files. */
export type KnownProcess = Pick<CallingRun, 'host' | 'pid' | 'bootedAt' | 'startedAt'>;

export function thisProcess(): KnownProcess {
  const { pid } = process;
  const startedAt = startOf(pid);
  return { host: hostname(), pid, bootedAt: bootedAt(), ...defined({ startedAt }) };
}

/** Whether a process is still running; false for one on another machine. */
export function isRunning(run: KnownProcess): boolean {
  if (run.pid === ENDED || run.host !== hostname() || !isOfThisBoot(run)) return false;
  try {
    process.kill(run.pid, 0);
  } catch (error) {
    if (!isCode(error, 'EPERM')) return false;
  }
  return run.startedAt === undefined || run.startedAt === startOf(run.pid);
}

/**
 * The ids of processes that a run's calls started as session leaders; none after a reboot, since ids are reused then.
 */
export function rootsOf(dir: string, run: CallingRun): readonly number[] {
  if (!isOfThisBoot(run)) return [];
  try {
    const lines = readFileSync(rootsFileOf(dir, run), 'utf8').split('\n');
    return lines.map(Number).filter(pid => pid > 0);
  } catch {
    return []; // The run started no process.
  }
}

export function forgetRun(dir: string, run: CallingRun): void {
  rmSync(idleFileOf(dir, run), { force: true });
  rmSync(rootsFileOf(dir, run), { force: true });
}

function idleFileOf(dir: string, { id }: CallingRun): string {
  return join(dir, `${id}.idle`);
}

function rootsFileOf(dir: string, { id }: CallingRun): string {
  return join(dir, `${id}.started`);
}

/** Whether a process was started on this machine since it was booted. */
export function isOfThisBoot(run: KnownProcess): boolean {
  return run.host === hostname() && Math.abs(run.bootedAt - bootedAt()) < SAME_BOOT_S;
}

/** When the machine was booted, in seconds since 1970. */
function bootedAt(): number {
  return Math.round(Date.now() / 1000 - uptime());
}

/**
 * When a process started, which distinguishes it from a later one with the same id; undefined if it is not on Linux.
 */
function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? readProcessRow(pid)?.startedAt.toString() : undefined;
}
