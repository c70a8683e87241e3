import type { ProcessRow, ProcessTable } from '../../../src/base/ending/process-table';
import type { ProcessSystem } from '../../../src/base/ending/system';

/** The process that ends others in these tests. */
export const SELF = 100;

/** A process with more than its row. */
export interface Standing extends ProcessRow {
  readonly user?: number;
  readonly flags?: readonly string[];
}

/** By default in a group of its own, of our user, and started at the time that is its pid. */
export function standing(pid: number, parent: number, more: Partial<Standing> = {}): Standing {
  return { pid, parent, group: pid, startedAt: pid, ...more };
}

/** Us, our parent, and the first process of the system. */
export const OURS = [standing(1, 0), standing(50, 1), standing(SELF, 50)] as const;

/** `gone`: pids that were given to other processes after the table was read. */
export function tableOf(rows: readonly Standing[], gone: readonly number[] = []): ProcessTable {
  const of = (pid: number): Standing | undefined => rows.find(row => row.pid === pid);
  return {
    rows,
    isStill: ({ pid }) => !gone.includes(pid),
    userOf: ({ pid }) => of(pid)?.user ?? 7,
    flagsOf: ({ pid }) => of(pid)?.flags ?? [],
  };
}

/** A system whose processes ignore SIGTERM, with what was done to them. `hasTaskkill`: taskkill does what it is told. */
export function systemWith(
  platform: NodeJS.Platform,
  rows: readonly Standing[] | undefined,
  { hasTaskkill = true }: { readonly hasTaskkill?: boolean } = {},
) {
  const done: string[] = [];
  const killed = new Set<number>();
  const table = (): ProcessTable | undefined => rows && tableOf(rows.filter(({ pid }) => !killed.has(pid)));
  const system: ProcessSystem = {
    platform,
    pid: SELF,
    table: () => Promise.resolve(table()),
    tableNow: table,
    send: ({ pid }, signal) => {
      done.push(`${signal} ${pid}`);
      if (signal === 'SIGKILL') killed.add(pid);
    },
    sendToGroup: (leader, signal) => {
      done.push(`${signal} group ${leader}`);
    },
    endWithTaskkill: pid => {
      done.push(`taskkill ${pid}`);
      return Promise.resolve(hasTaskkill);
    },
    endWithTaskkillNow: pid => {
      done.push(`taskkill ${pid} now`);
      return hasTaskkill;
    },
  };
  return { system, done };
}

/** A child process whose end was not reported, until `report` is called. `killed` gets the signals that it was sent itself. */
export function childWith(pid: number | undefined, killed: string[] = []) {
  const child = {
    pid,
    exitCode: null as number | null,
    signalCode: null,
    once: () => child,
    kill: (signal?: number | NodeJS.Signals) => killed.push(`child ${String(signal)}`) > 0,
    report: () => {
      child.exitCode = 0;
    },
  };
  return child;
}
