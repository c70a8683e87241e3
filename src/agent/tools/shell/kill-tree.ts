import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';

// The scripts run this file as it is, so it imports Node's own modules only.

/** One living process, as the system lists it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Outlives a change of the group; only Linux shows it. */
  readonly session?: number;
  /** Name of the program, for display; only Linux shows it. */
  readonly name?: string;
  /** Tells a process from a later one with the same pid. */
  readonly startedAt: string;
  /** Its environment carries the marker of the tree; only Linux shows it. */
  readonly marked: boolean;
}

/** Whether a process is `root`, or is in the group or the session that `root` leads. */
export function belongsTo({ pid, group, session }: ProcessRow, root: number): boolean {
  return pid === root || group === root || session === root;
}

/** The tree that grew from one spawned process. Our own: libraries miss processes that left its group or session. */
export interface ProcessTree {
  readonly pid: number;
  /** Name of an environment variable that all of the tree inherits: it outlives `setsid` and lost parents. */
  readonly marker: string;
  /** While true, `pid` and its group cannot have been given to someone else. */
  readonly isRootAlive: () => boolean;
}

/** How the processes of a system are listed and ended. */
export interface ProcessSystem {
  readonly platform: NodeJS.Platform;
  /** All living processes; undefined where the system does not list them. */
  readonly list: (marker: string) => Promise<readonly ProcessRow[] | undefined>;
  /** Sends a signal to a process, or to a group if the number is negative. Returns whether it was sent. */
  readonly send: (pid: number, signal: NodeJS.Signals | 0) => boolean;
  /** Ends a process with all it started, on Windows. */
  readonly taskkill: (pid: number) => Promise<void>;
}

const THIS_SYSTEM: ProcessSystem = { platform: process.platform, list: listProcesses, send, taskkill };

/** Pauses between two looks at the tree, in ms; their sum bounds how long a kill may take. */
const KILL_PAUSES = [5, 10, 20, 40, 80, 160, 320, 640, 1000];
const GRACE_POLL_MS = 40;
const PS_BUFFER_BYTES = 16 * 1024 * 1024;
/** How many processes are read synchronously, several times faster than with promises, before other work gets a turn. */
const PROCESSES_AT_ONCE = 100;

/**
 * Ends a whole process tree and returns when none of it is left (or the system refuses to end it). With `graceMs` the
 * tree is asked with SIGTERM first and given that long; what is left is then killed. Never rejects.
 */
export async function killTree(tree: ProcessTree, graceMs = 0, system = THIS_SYSTEM): Promise<void> {
  if (system.platform === 'win32') {
    await system.taskkill(tree.pid);
    return;
  }
  const members = new TreeMembers(tree, system);
  if (graceMs > 0) await terminate(members, graceMs);
  for (const pause of KILL_PAUSES) {
    if (!(await members.signal('SIGKILL'))) return;
    await delay(pause);
  }
}

/** Arguments of `taskkill` that end a process with all it started. */
export function taskkillArguments(pid: number): readonly string[] {
  return ['/pid', String(pid), '/T', '/F'];
}

/**
 * The rows that belong to a tree: marked ones, those known from an earlier look, the root with its group while it
 * lives, and everything started by these. `known` maps pid to `startedAt`.
 */
export function selectTree(
  rows: readonly ProcessRow[],
  root: { readonly pid: number; readonly alive: boolean },
  known: ReadonlyMap<number, string>,
): ProcessRow[] {
  const members = new Set<number>();
  for (const row of rows) {
    const byRoot = root.alive && (row.pid === root.pid || row.group === root.pid);
    if (row.marked || byRoot || known.get(row.pid) === row.startedAt) members.add(row.pid);
  }
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const row of rows) if (members.has(row.parent)) members.add(row.pid);
  }
  return rows.filter(row => members.has(row.pid) && row.pid !== process.pid);
}

/** Reads `/proc/<pid>/stat`; undefined if the process is not alive (zombies count as ended). */
export function parseProcStat(text: string): Omit<ProcessRow, 'marked'> | undefined {
  // The command name is in parentheses and may hold spaces and parentheses itself.
  const end = text.lastIndexOf(')');
  const [state, parent, group, session, ...rest] = text.slice(end + 2).split(' ');
  const pid = Number.parseInt(text, 10);
  if (state === undefined || state === 'Z' || state === 'X' || Number.isNaN(pid)) return undefined;
  const name = text.slice(text.indexOf('(') + 1, end);
  const ids = { pid, parent: Number(parent), group: Number(group), session: Number(session) };
  return { ...ids, name, startedAt: rest[15] ?? '' };
}

/** Reads the output of `ps -A -o pid=,ppid=,pgid=,stat=,lstart=` (macOS, BSD). */
export function parsePsTable(text: string): ProcessRow[] {
  return text.split('\n').flatMap(line => {
    const [, pid, parent, group, state, startedAt] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || state === undefined || state.startsWith('Z')) return [];
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), startedAt: startedAt ?? '', marked: false },
    ];
  });
}

async function terminate(members: TreeMembers, graceMs: number): Promise<void> {
  if (!(await members.signal('SIGTERM'))) return;
  const end = Date.now() + graceMs;
  while (Date.now() < end) {
    await delay(Math.min(GRACE_POLL_MS, graceMs));
    if (!(await members.signal(0))) return;
  }
}

/** The living processes of a tree, on systems with signals. */
class TreeMembers {
  private readonly tree: ProcessTree;
  private readonly system: ProcessSystem;
  /** Maps `pid` to `startedAt`. */
  private readonly known = new Map<number, string>();

  constructor(tree: ProcessTree, system: ProcessSystem) {
    this.tree = tree;
    this.system = system;
  }

  /** Signals all of them and tells whether there were any. */
  async signal(signal: NodeJS.Signals | 0): Promise<boolean> {
    const { pid, marker, isRootAlive } = this.tree;
    const rows = await this.system.list(marker);
    const alive = isRootAlive();
    if (rows === undefined) return alive && this.system.send(-pid, signal);
    const members = selectTree(rows, { pid, alive }, this.known);
    for (const member of members) {
      this.known.set(member.pid, member.startedAt);
      if (signal !== 0) this.system.send(member.pid, signal);
    }
    return members.length > 0;
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // It has ended, or we may not end it (setuid): nothing more can be done.
    return false;
  }
}

/** All living processes; undefined where the system does not list them. Never rejects. */
export async function listProcesses(marker: string): Promise<readonly ProcessRow[] | undefined> {
  return process.platform === 'linux' ? ((await listProc(marker)) ?? listPs()) : listPs();
}

async function listProc(marker: string): Promise<readonly ProcessRow[] | undefined> {
  try {
    const names = readdirSync('/proc').filter(name => /^\d+$/.test(name));
    const found: Omit<ProcessRow, 'marked'>[] = [];
    for (const [index, name] of names.entries()) {
      const row = readProc(name);
      if (row !== undefined) found.push(row);
      if (index % PROCESSES_AT_ONCE === PROCESSES_AT_ONCE - 1) await setImmediate();
    }
    const needle = `${marker}=`;
    return await Promise.all(found.map(async row => ({ ...row, marked: await environmentHolds(row.pid, needle) })));
  } catch {
    // No /proc mounted: `ps` may still answer.
    return undefined;
  }
}

function readProc(name: string): Omit<ProcessRow, 'marked'> | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${name}/stat`, 'latin1'));
  } catch {
    // Ended between listing and reading.
    return undefined;
  }
}

/** With promises, because the system lets a reader wait while the process itself waits for a disk that does not answer. */
async function environmentHolds(pid: number, needle: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/environ`)).includes(needle);
  } catch {
    // Another user's process: not of our tree unless its parents say so.
    return false;
  }
}

function listPs(): Promise<readonly ProcessRow[] | undefined> {
  return new Promise(resolve => {
    const args = ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='];
    execFile('ps', args, { maxBuffer: PS_BUFFER_BYTES }, (error, stdout) =>
      resolve(error === null ? parsePsTable(stdout) : undefined),
    );
  });
}

/** Ends a process with all it started, on Windows; resolves also when that fails. */
export function taskkill(pid: number): Promise<void> {
  return new Promise(resolve => {
    execFile('taskkill', [...taskkillArguments(pid)], { windowsHide: true }, () => resolve());
  });
}
