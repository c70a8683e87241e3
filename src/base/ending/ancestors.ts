import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isOwnProc, PS, readProcessRow } from './process-table.ts';

/** A process from which another one descends. */
export interface Ancestor {
  readonly pid: number;
  /** Pid of its parent; 0 where that is none that this process can see. */
  readonly parent: number;
  /** As in `ProcessRow`; undefined where only Linux would show it. */
  readonly startedAt: number | undefined;
  /** Its command line, the program first. On macOS, the words of its environment follow. */
  readonly words: readonly string[];
  /** Names of the variables that had a value when its program started; none where that cannot be read. */
  readonly variables: readonly string[];
}

/** More processes above one another are not real. */
const MOST_ANCESTORS = 200;
const PS_BUFFER_BYTES = 64 * 1024 * 1024;
const VARIABLE = /^(\w+)=./s;

/**
 * The process with this pid and all above it, the nearest first. Empty where the system does not show them: on Windows,
 * and in a PID namespace without a /proc of its own.
 */
export function readAncestors(pid: number): readonly Ancestor[] {
  if (process.platform === 'win32') return [];
  if (process.platform === 'linux') return isOwnProc() ? chainFrom(pid, readInProc) : [];
  const rows = readWithPs();
  return chainFrom(pid, each => rows.get(each));
}

function chainFrom(pid: number, read: (pid: number) => Ancestor | undefined): readonly Ancestor[] {
  const found: Ancestor[] = [];
  // A pid that was given away while they are read could make a ring of them.
  for (let row = read(pid); row !== undefined && found.length < MOST_ANCESTORS; row = read(row.parent)) {
    found.push(row);
  }
  return found;
}

function readInProc(pid: number): Ancestor | undefined {
  const row = readProcessRow(pid);
  if (row === undefined) return undefined;
  const { parent, startedAt, name = '' } = row;
  const words = partsOf(`/proc/${pid}/cmdline`);
  return {
    ...{ pid, parent, startedAt },
    words: words.length === 0 ? [name] : words,
    variables: variablesIn(partsOf(`/proc/${pid}/environ`)),
  };
}

/** The texts in a file of /proc that end with NUL; none where the process has ended, or is another user's. */
function partsOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\0').filter(Boolean);
  } catch {
    return [];
  }
}

function readWithPs(): ReadonlyMap<number, Ancestor> {
  try {
    const options = { encoding: 'utf8', maxBuffer: PS_BUFFER_BYTES, stdio: 'pipe' } as const;
    return parseAncestors(execFileSync(PS, ['-A', '-ww', '-E', '-o', 'pid=,ppid=,command='], options));
  } catch {
    return new Map(); // The system does not list its processes.
  }
}

/** Reads the output of `ps -A -ww -E -o pid=,ppid=,command=` (macOS), by pid. */
export function parseAncestors(text: string): ReadonlyMap<number, Ancestor> {
  return new Map(
    text.split('\n').flatMap(line => {
      const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      if (pid === undefined) return [];
      const words = command.split(/\s+/);
      const row = { pid: Number(pid), parent: Number(parent), startedAt: undefined, words };
      return [[row.pid, { ...row, variables: variablesIn(words) }] as const];
    }),
  );
}

function variablesIn(words: readonly string[]): readonly string[] {
  return words.flatMap(word => VARIABLE.exec(word)?.[1] ?? []);
}
