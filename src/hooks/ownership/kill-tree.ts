import { execFile, type ChildProcess } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** How long a process may take to end after it was asked to. */
const GRACE_MS = 500;

/**
 * Ends a child and all that descends from it, first politely, then by force; resolves when the child is gone. The
 * descendants are listed before the first signal, because an orphan no longer tells whose it was.
 */
export async function killTree(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const ended = new Promise<void>(resolve => {
    child.once('exit', () => {
      resolve();
    });
  });
  if (process.platform === 'win32') {
    await output('taskkill', ['/pid', String(pid), '/T', '/F']);
    await ended;
    return;
  }
  const tree = [pid, ...descendants(pid, await parents())];
  for (const member of tree) signal(member, 'SIGTERM');
  await untilGone(tree, GRACE_MS);
  for (const member of tree) signal(member, 'SIGKILL');
  await ended;
}

/** Process id to the id of its parent. */
async function parents(): Promise<ReadonlyMap<number, number>> {
  if (process.platform === 'linux') return await parentsFromProc();
  const table = await output('ps', ['-axo', 'pid=,ppid=']);
  return new Map(table.split('\n').map(line => pairOf(line.trim().split(/\s+/))));
}

async function parentsFromProc(): Promise<ReadonlyMap<number, number>> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  const pairs = pids.map(async pid => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''); // It ended meanwhile.
    // The name in parentheses may hold anything.
    return pairOf([pid, stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? '0']);
  });
  return new Map(await Promise.all(pairs));
}

function pairOf(parts: readonly string[]): readonly [number, number] {
  return [Number(parts[0]), Number(parts[1])];
}

/** All ids below `root`. */
export function descendants(root: number, parentOf: ReadonlyMap<number, number>): readonly number[] {
  const direct = [...parentOf].filter(([pid, parent]) => parent === root && pid !== root).map(([pid]) => pid);
  return direct.flatMap(pid => [pid, ...descendants(pid, parentOf)]);
}

async function untilGone(pids: readonly number[], ms: number): Promise<void> {
  const end = Date.now() + ms;
  while (pids.some(pid => signal(pid, 0)) && Date.now() < end) {
    await new Promise(resolve => setTimeout(resolve, 15));
  }
}

/** False when there is no such process any more. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function output(command: string, args: readonly string[]): Promise<string> {
  return new Promise(resolve => {
    execFile(command, args, (_error, stdout) => {
      resolve(stdout);
    });
  });
}
