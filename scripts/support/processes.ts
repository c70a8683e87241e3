import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { newMark, withMark } from '../../src/base/ending/mark.ts';
import { readProcessTable } from '../../src/base/ending/process-table.ts';
import { StartedTree } from '../../src/base/ending/started-tree.ts';

/** How long processes may take to end after they were asked to, ms. Then they are killed. */
const GRACE_MS = 3000;

/** A started program. */
export interface Started {
  readonly child: ChildProcess;
  /** Ends the child and all its descendants. Resolves when none of them runs. May be called twice. */
  readonly end: () => Promise<void>;
}

/** Starts a program so that it can be ended with all its descendants; on Linux also with those that detached themselves. */
export function spawnTree(file: string, args: readonly string[], options: SpawnOptions): Started {
  const mark = newMark();
  const child = spawn(file, args, { ...options, env: { ...(options.env ?? process.env), ...withMark(mark) } });
  const tree = new StartedTree(child, mark);
  return { child, end: () => tree.end(GRACE_MS) };
}

/** Whether a process runs. A zombie, which has ended and waits for its parent, does not count. */
export async function isAlive(pid: number): Promise<boolean> {
  const table = await readProcessTable();
  if (table !== undefined) return table.rows.some(row => row.pid === pid);
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
