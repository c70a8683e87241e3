import { hostname, uptime } from 'node:os';
import { Type, type Static } from '@sinclair/typebox';
import { defined } from '../defined';
import { isCode } from '../errors';
import { readProcessRow } from './process-table';

/**
 * Two computed boot times of the same boot differ by less than this, in s; they may differ because clocks are adjusted.
 */
const SAME_BOOT_S = 60;

/** Replaces the process id of a process that has ended. */
export const ENDED = 0;

export const KnownProcessSchema = Type.Object({
  host: Type.String(),
  pid: Type.Number(),
  bootedAt: Type.Number(),
  startedAt: Type.Optional(Type.String()),
});

/** Identifies a process among all processes of this machine and of machines that share its files. */
export type KnownProcess = Readonly<Static<typeof KnownProcessSchema>>;

export function thisProcess(): KnownProcess {
  const { pid } = process;
  const startedAt = startOf(pid);
  return { host: hostname(), pid, bootedAt: bootedAt(), ...defined({ startedAt }) };
}

/** Whether a process is still running; false for one on another machine. */
export function isRunning(known: KnownProcess): boolean {
  if (known.pid === ENDED || known.host !== hostname() || !isOfThisBoot(known)) return false;
  try {
    process.kill(known.pid, 0);
  } catch (error) {
    if (!isCode(error, 'EPERM')) return false;
  }
  return known.startedAt === undefined || known.startedAt === startOf(known.pid);
}

/** Whether a process was started on this machine since it was booted. */
export function isOfThisBoot(known: KnownProcess): boolean {
  return known.host === hostname() && Math.abs(known.bootedAt - bootedAt()) < SAME_BOOT_S;
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
