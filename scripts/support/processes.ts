import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { killTree, listProcesses } from '../../src/agent/tools/shell/kill-tree.ts';

/** How long processes may take to end after they were asked to, ms. Then they are killed. */
const GRACE_MS = 3000;

export interface StartedTree {
  readonly child: ChildProcess;
  /** Ends the child and all its descendants. Resolves when none of them runs. May be called twice. */
  readonly end: () => Promise<void>;
}

/** Starts a program so that it can be ended with all its descendants; on Linux also with those that detached themselves. */
export function spawnTree(file: string, args: readonly string[], options: SpawnOptions): StartedTree {
  const marker = `HOOKLINE_RUN_${randomBytes(8).toString('hex')}`;
  const child = spawn(file, args, { ...options, env: { ...(options.env ?? process.env), [marker]: '1' } });
  const isRootAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  const end = async (): Promise<void> => {
    if (child.pid !== undefined) await killTree({ pid: child.pid, marker, isRootAlive }, GRACE_MS);
  };
  return { child, end };
}

/** Whether a process runs. A zombie, which has ended and waits for its parent, does not count. */
export async function isAlive(pid: number): Promise<boolean> {
  const rows = await listProcesses('HOOKLINE_NO_MARKER');
  if (rows !== undefined) return rows.some(row => row.pid === pid);
  try {
    return process.kill(pid, 0);
  } catch {
    // The process has ended, or it belongs to another user.
    return false;
  }
}

/** Resolves when this process is asked to end: by a signal, or because its parent disconnects or has ended. */
export function stopRequest(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve());
    process.once('disconnect', () => resolve());
    // The parent may have disconnected before this was called.
    if ('connected' in process && !process.connected) resolve();
    process.channel?.unref();
  });
}
