import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOfThisBoot, thisProcess } from '../../base/ending/known-process';
import type { CallingRun } from './approval-record';

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
