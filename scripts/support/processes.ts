import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { killTree, listProcesses } from '../../src/agent/tools/shell/kill-tree.ts';

/** How long what was started may take to end after it was asked to. */
const GRACE_MS = 3000;

export interface StartedTree {
  readonly child: ChildProcess;
  /** Ends the child and everything that grew from it; at the end none of it is left. May be called twice. */
  readonly end: () => Promise<void>;
}

/** Starts a program so that it can be ended with all it starts, also with what cuts itself off (Linux only). */
export function spawnTree(file: string, args: readonly string[], options: SpawnOptions): StartedTree {
  const marker = `HOOKLINE_RUN_${randomBytes(8).toString('hex')}`;
  const child = spawn(file, args, { ...options, env: { ...(options.env ?? process.env), [marker]: '1' } });
  const isRootAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  const end = async (): Promise<void> => {
    if (child.pid !== undefined) await killTree({ pid: child.pid, marker, isRootAlive }, GRACE_MS);
  };
  return { child, end };
}

/** Whether a process runs; a zombie, which only waits for its parent, does not. */
export async function isAlive(pid: number): Promise<boolean> {
  const rows = await listProcesses('HOOKLINE_NO_MARKER');
  if (rows !== undefined) return rows.some(row => row.pid === pid);
  try {
    return process.kill(pid, 0);
  } catch {
    // Gone, or another user's.
    return false;
  }
}

/** Resolves when this process is asked to end: by a signal, or because its parent disconnects or is gone. */
export function stopRequest(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve());
    process.once('disconnect', () => resolve());
    // Disconnected before we listened.
    if ('connected' in process && !process.connected) resolve();
    process.channel?.unref();
  });
}
