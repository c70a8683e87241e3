import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';

/** One living process, as the system lists it. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Outlives a change of the group; only Linux shows it. */
  readonly session?: number;
  /** Name of the program, for display; only Linux shows it. */
  readonly name?: string;
  /** Grows with time, in units of the system. With the pid, it tells a process from a later one that has the same pid. */
  readonly startedAt: number;
}

/** All living processes at one moment. */
export interface ProcessTable {
  readonly rows: readonly ProcessRow[];
  /** Whether the process of this row still has its pid. True where the system gives all rows at once. */
  readonly isStill: (row: ProcessRow) => boolean;
  /** Id of the user whose process it is; undefined when the process has ended. */
  readonly userOf: (row: ProcessRow) => number | undefined;
  /** Names of the variables with the value `1` in the environment of a process; none where that cannot be read. */
  readonly flagsOf: (row: ProcessRow) => readonly string[];
}

/** Whether a process is `root`, or is in the group or the session that `root` leads. */
export function belongsTo({ pid, group, session }: ProcessRow, root: number): boolean {
  return pid === root || group === root || session === root;
}

/** The rows that `isRoot` selects, and all that their parents lead to them. */
export function withDescendants(rows: readonly ProcessRow[], isRoot: (row: ProcessRow) => boolean): ProcessRow[] {
  const members = new Set(rows.filter(isRoot).map(({ pid }) => pid));
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const row of rows) if (members.has(row.parent)) members.add(row.pid);
  }
  return rows.filter(({ pid }) => members.has(pid));
}

/** Not looked for in PATH. */
export const PS = '/bin/ps';
const PS_ARGS = ['-A', '-o', 'pid=,ppid=,pgid=,uid=,stat=,lstart='];
const PS_BUFFER_BYTES = 16 * 1024 * 1024;
/** How many processes are read synchronously, several times faster than with promises, before other work gets a turn. */
const PROCESSES_AT_ONCE = 100;

/**
 * The table of this system; undefined where it has none (Windows), or where that cannot be read. `flagsOfOlder`: also has the
 * flags of processes that are older than this one. Never rejects.
 */
export async function readProcessTable({ flagsOfOlder = false } = {}): Promise<ProcessTable | undefined> {
  if (process.platform === 'win32') return undefined;
  return process.platform === 'linux' ? readProc(flagsOfOlder).catch(() => undefined) : readPs();
}

/** The same while nothing else of this process can run. */
export function readProcessTableNow(): ProcessTable | undefined {
  if (process.platform === 'win32') return undefined;
  return process.platform === 'linux' ? attempt(readProcNow) : readPsNow();
}

/** The row of one process on Linux, read now; undefined when it has ended. */
export function readProcessRow(pid: number): ProcessRow | undefined {
  return attempt(() => parseProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1')));
}

/** Reads the text of `/proc/<pid>/stat`; undefined if the process is not alive (zombies count as ended). */
export function parseProcStat(text: string): ProcessRow | undefined {
  // The command name is in parentheses and may hold spaces and parentheses itself.
  const end = text.lastIndexOf(')');
  const [state, parent, group, session, ...rest] = text.slice(end + 2).split(' ');
  const pid = Number.parseInt(text, 10);
  const startedAt = Number.parseInt(rest[15] ?? '', 10);
  if (state === undefined || state === 'Z' || state === 'X' || Number.isNaN(pid + startedAt)) return undefined;
  const name = text.slice(text.indexOf('(') + 1, end);
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), name, startedAt };
}

/** Reads the output of `ps -A -o pid=,ppid=,pgid=,uid=,stat=,lstart=` in the C locale and in UTC (macOS, BSD). */
export function parsePsTable(text: string): ProcessTable {
  const users = new Map<ProcessRow, number>();
  for (const line of text.split('\n')) {
    const [, state = 'Z', start = ''] = /^(?:\s*\d+){4}\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    const [pid = 0, parent = 0, group = 0, user = 0] = line.trim().split(/\s+/).map(Number);
    const startedAt = Date.parse(`${start} UTC`);
    if (!state.startsWith('Z') && !Number.isNaN(startedAt)) users.set({ pid, parent, group, startedAt }, user);
  }
  return { rows: [...users.keys()], isStill: () => true, userOf: row => users.get(row), flagsOf: () => [] };
}

async function readProc(flagsOfOlder: boolean): Promise<ProcessTable | undefined> {
  if (!isOwnProc()) return undefined;
  const rows: ProcessRow[] = [];
  for (const [index, pid] of pidsInProc().entries()) {
    const row = readProcessRow(pid);
    if (row !== undefined) rows.push(row);
    if (index % PROCESSES_AT_ONCE === PROCESSES_AT_ONCE - 1) await setImmediate();
  }
  const { startedAt = 0 } = (flagsOfOlder ? undefined : rows.find(({ pid }) => pid === process.pid)) ?? {};
  const asked = rows.filter(row => row.startedAt >= startedAt);
  const flags = new Map(await Promise.all(asked.map(async row => [row, await readFlags(row)] as const)));
  return { rows, isStill: isStillInProc, userOf: userInProc, flagsOf: row => flags.get(row) ?? [] };
}

function readProcNow(): ProcessTable | undefined {
  if (!isOwnProc()) return undefined;
  const rows = pidsInProc().flatMap(pid => readProcessRow(pid) ?? []);
  const flagsOf = ({ pid }: ProcessRow): readonly string[] =>
    flagsIn(attempt(() => readFileSync(`/proc/${pid}/environ`)));
  return { rows, isStill: isStillInProc, userOf: userInProc, flagsOf };
}

/** False where no /proc is mounted, or one in which processes have other pids than here. */
export function isOwnProc(): boolean {
  const status = attempt(() => readFileSync('/proc/self/status', 'latin1')) ?? '';
  // One number for each PID namespace, from the one of /proc to the one of this process.
  return /^NSpid:\s+(\d+)$/m.exec(status)?.[1] === String(process.pid);
}

function isStillInProc({ pid, startedAt }: ProcessRow): boolean {
  return readProcessRow(pid)?.startedAt === startedAt;
}

/** The real user: a program that runs with the rights of another one was still started by this one. */
function userInProc({ pid }: ProcessRow): number | undefined {
  const [, user] = /^Uid:\s+(\d+)/m.exec(attempt(() => readFileSync(`/proc/${pid}/status`, 'latin1')) ?? '') ?? [];
  return user === undefined ? undefined : Number(user);
}

function pidsInProc(): number[] {
  return readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** With promises, because the system lets a reader wait while the process itself waits for a disk that does not answer. */
async function readFlags({ pid }: ProcessRow): Promise<readonly string[]> {
  return flagsIn(await readFile(`/proc/${pid}/environ`).catch(() => undefined));
}

function flagsIn(environment: Buffer | undefined): readonly string[] {
  if (environment?.includes('=1\0') !== true) return [];
  const entries = environment.toString('latin1').split('\0');
  return entries.flatMap(entry => /^([^=]+)=1$/.exec(entry)?.[1] ?? []);
}

function readPs(): Promise<ProcessTable | undefined> {
  return new Promise(resolve => {
    execFile(PS, PS_ARGS, psOptions(), (error, stdout) => resolve(error === null ? parsePsTable(stdout) : undefined));
  });
}

function readPsNow(): ProcessTable | undefined {
  const { status, stdout } = spawnSync(PS, PS_ARGS, psOptions());
  return status === 0 ? parsePsTable(stdout) : undefined;
}

function psOptions() {
  return { encoding: 'utf8', maxBuffer: PS_BUFFER_BYTES, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } } as const;
}

/** The result; undefined where the file is gone with its process, or is another user's. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
