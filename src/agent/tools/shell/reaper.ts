import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { belongsTo, killTree, listProcesses, selectTree, taskkill } from './kill-tree';

/**
 * Entry of `dist/reaper.cjs`, a process beside the host that ends what a killed host leaves behind. Its argument is the name
 * of the variable that everything the host starts has in its environment. It reads lines until the pipe closes: `+<pid>
 * <variable of its tree>` when the host starts a process, `-<pid>` when that has ended, `end` when the host ends by itself.
 */
const [marker = ''] = process.argv.slice(2);

/** Between the look after a process has ended and its end, in ms: most have nothing left, and many end at once. */
const PRUNE_MS = 1000;
const GRACE_MS = 500;
/** Pauses between two looks at the processes that are left, in ms. */
const KILL_PAUSES = [10, 20, 40, 80, 160, 320, 640, 1000, 2000];

interface Root {
  readonly treeMarker: string;
  readonly isOpen: boolean;
}

/** Processes that were started, except those that have ended and left nothing. */
const roots = new Map<number, Root>();
let pruning: NodeJS.Timeout | undefined;
let endedByItself = false;

// A signal to the group of the host must not end this process, which is needed after the host.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

// It holds nothing that must be put away, and an orderly exit of Node can wait forever for one of its own threads.
createInterface({ input: process.stdin })
  .on('line', line => take(line))
  .on('close', () => void finish().finally(() => process.kill(process.pid, 'SIGKILL')));

function take(line: string): void {
  if (line === 'end') {
    endedByItself = true;
    return;
  }
  const [, sign, digits, treeMarker = ''] = /^([+-])(\d+)(?: (\w+))?$/.exec(line) ?? [];
  const pid = Number(digits);
  if (sign === '+') roots.set(pid, { treeMarker, isOpen: true });
  const root = roots.get(pid);
  if (sign !== '-' || root === undefined) return;
  roots.set(pid, { ...root, isOpen: false });
  pruning ??= setTimeout(() => void prune(), PRUNE_MS).unref();
}

/** Forgets processes that have ended and left nothing: the system may use their numbers again. */
async function prune(): Promise<void> {
  pruning = undefined;
  const rows = process.platform === 'win32' ? [] : await listProcesses(marker);
  if (rows === undefined) return;
  for (const [pid, { isOpen }] of roots) if (!isOpen && !rows.some(row => belongsTo(row, pid))) roots.delete(pid);
}

/**
 * If the host ended by itself, it left some processes running on purpose; only those that still worked for it are
 * ended.
 */
async function finish(): Promise<void> {
  const open = [...roots].filter(([, { isOpen }]) => isOpen);
  if (process.platform === 'win32') {
    await Promise.all(open.map(([pid]) => taskkill(pid)));
  } else if (endedByItself) {
    await Promise.all(
      open.map(([pid, { treeMarker }]) => killTree({ pid, marker: treeMarker, isRootAlive: () => true }, GRACE_MS)),
    );
  } else {
    await endAll();
  }
}

async function endAll(): Promise<void> {
  const known = new Map<number, string>();
  let signal: NodeJS.Signals = 'SIGTERM';
  for (const pause of [GRACE_MS / 10, ...KILL_PAUSES]) {
    const rows = (await listProcesses(marker)) ?? [];
    const marked = rows.map(row => ({
      ...row,
      marked: row.marked || [...roots.keys()].some(pid => belongsTo(row, pid)),
    }));
    const left = selectTree(marked, { pid: 0, alive: false }, known);
    if (left.length === 0) return;
    for (const { pid, startedAt } of left) {
      known.set(pid, startedAt);
      send(pid, signal);
    }
    signal = 'SIGKILL';
    await delay(pause);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or we may not end it.
  }
}
