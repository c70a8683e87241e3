import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { join } from 'node:path';
import { isCode } from '../../base/errors';
import { parseProcStat } from '../../agent/tools/shell/kill-tree';
import type { CallingRun } from './approval-record';

/** Clocks are set now and then: two times of the same start of a machine differ by less, s. */
const SAME_BOOT_S = 60;

/** Stands for the number of a process that is known to be over. */
export const ENDED = 0;

/**
 * The files of this process's own run. While the idle file is there, no call is open. So a call that a kill cuts off, or
 * an agent that removes files here, leaves what a start takes for an open call; nothing has to be written for that.
 */
export class OwnRun {
  readonly row: CallingRun;
  private readonly idleFile: string;

  /** `dir` is absolute; `marker` is a variable in the environment of all that the calls start. */
  constructor(
    private readonly dir: string,
    marker: string,
  ) {
    this.row = { id: randomUUID(), ...thisProcess(), marker };
    this.idleFile = idleFileOf(dir, this.row);
  }

  /** From here on a call is open. */
  begin(): void {
    rmSync(this.idleFile, { force: true });
  }

  /** What the calls changed was looked at, and what was found is held. */
  end(): void {
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    writeFileSync(this.idleFile, '');
  }

  /** A process was started by a call, as the head of a session of its own. */
  started(pid: number): void {
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    appendFileSync(rootsFileOf(this.dir, this.row), `${pid}\n`);
  }

  /** Removes the files; to be called when no record names the run any more. */
  forget(): void {
    forgetRun(this.dir, this.row);
  }
}

/** Whether a call is open there, or was when the process ended. */
export function isAtCall(dir: string, run: CallingRun): boolean {
  return !existsSync(idleFileOf(dir, run));
}

/** What tells a process from all others, on this machine and on those that share its files. */
export type KnownProcess = Pick<CallingRun, 'host' | 'pid' | 'bootedAt' | 'startedAt'>;

export function thisProcess(): KnownProcess {
  const { pid } = process;
  const startedAt = startOf(pid);
  return { host: hostname(), pid, bootedAt: bootedAt(), ...(startedAt === undefined ? {} : { startedAt }) };
}

/** Whether a process, such as that of a run, is still there. */
export function isRunning(run: KnownProcess): boolean {
  if (run.pid === ENDED || run.host !== hostname() || !isOfThisBoot(run)) return false;
  try {
    process.kill(run.pid, 0);
  } catch (error) {
    if (!isCode(error, 'EPERM')) return false;
  }
  return run.startedAt === undefined || run.startedAt === startOf(run.pid);
}

/** Processes that the calls of a run started, each the head of a session of its own, while their numbers still mean them. */
export function rootsOf(dir: string, run: CallingRun): readonly number[] {
  if (!isOfThisBoot(run)) return [];
  try {
    const lines = readFileSync(rootsFileOf(dir, run), 'utf8').split('\n');
    return lines.map(Number).filter(pid => pid > 0);
  } catch {
    return []; // It started none.
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

function isOfThisBoot(run: KnownProcess): boolean {
  return run.host === hostname() && Math.abs(run.bootedAt - bootedAt()) < SAME_BOOT_S;
}

/** Seconds since the epoch. */
function bootedAt(): number {
  return Math.round(Date.now() / 1000 - uptime());
}

/** Tells a process from a later one with the same number; undefined where only a program of the system could tell. */
function startOf(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.startedAt;
  } catch {
    return undefined; // It is gone, or there is no /proc.
  }
}
