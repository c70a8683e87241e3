import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { uptime } from 'node:os';
import { dirname, join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { defined } from '../../base/defined';
import type { Ancestor } from '../../base/ending/ancestors';
import { isOfThisBoot, thisProcess, type KnownProcess } from '../../base/ending/known-process';
import { besideState, linesIn, replaceLines } from './second-place';

const Text = Type.String();

/** A line: calls of a process began, or ended. */
const LineSchema = Type.Union([
  Type.Object({
    type: Type.Literal('began'),
    run: Text,
    host: Text,
    pid: Type.Number(),
    bootedAt: Type.Number(),
    startedAt: Type.Optional(Text),
    /** The control group of the process (Linux): what it starts stays in it, also when it gives up all else. */
    group: Type.Optional(Text),
    /** Seconds since the machine was booted. */
    at: Type.Number(),
  }),
  Type.Object({ type: Type.Literal('ended'), run: Text, at: Type.Number() }),
]);
type Line = Readonly<Static<typeof LineSchema>>;

/** A time in which calls of a process were open; until now if `to` is undefined. In seconds since the machine was booted. */
interface CallTime extends KnownProcess {
  readonly run: string;
  readonly group?: string;
  readonly from: number;
  readonly to: number | undefined;
}

/** The file of calls is written again with its last times only when it has more bytes. */
const LONG_BYTES = 256 * 1024;
const KEPT_TIMES = 500;

/** Linux counts the starts of processes in these parts of a second. */
const TICKS_PER_SECOND = 100;
/** How exactly the start of a process and the time of a call compare, in seconds. */
const EXACT_S = 0.1;
/** Parents of processes whose own parent has ended. */
const REAPERS = /^(init|systemd|launchd)$/;

/**
 * Remembers which processes ran tool calls, and when, in a second place: beside the folder with the record of approvals, so
 * that what finds one finds the other, and what removes one leaves the other.
 */
export class PastCalls {
  private readonly file: string;

  /** `stateDir` is absolute, as in `ApprovalPlace`. */
  constructor(stateDir: string) {
    this.file = join(besideState(stateDir), 'calls.jsonl');
  }

  /** Remembers that calls of this process are open. Throws when writing fails. */
  began(run: string): void {
    const { size = 0 } = statSync(this.file, { throwIfNoEntry: false }) ?? {};
    if (size > LONG_BYTES) this.shorten();
    const group = controlGroupOf('self');
    this.add({ type: 'began', run, ...thisProcess(), ...defined({ group }), at: uptime() });
  }

  /** Remembers that no call of the run is open. Throws when writing fails. */
  ended(run: string): void {
    this.add({ type: 'ended', run, at: uptime() });
  }

  /** Whether a process has run tool calls, in any folder: what it starts may be an agent's. */
  isHost({ pid, startedAt }: Pick<Ancestor, 'pid' | 'startedAt'>): boolean {
    if (startedAt === undefined) return false;
    return this.times().some(time => time.pid === pid && time.startedAt === String(startedAt));
  }

  /**
   * The process, among one and all above it, that was started during a tool call in any folder, and whose parent has ended:
   * a program that an agent left behind, also when it gave up its environment and its session. It is in the control group
   * of the agent's process; a terminal that a desktop opened meanwhile has another one.
   */
  leftBehind(chain: readonly Ancestor[]): Ancestor | undefined {
    const orphan = chain.find(({ parent }, at) => isReaper(parent, chain[at + 1]));
    if (orphan?.startedAt === undefined) return undefined;
    const started = orphan.startedAt / TICKS_PER_SECOND;
    const group = controlGroupOf(orphan.pid);
    const wasOpen = ({ from, to = Infinity }: CallTime): boolean =>
      from - EXACT_S <= started && started <= to + EXACT_S;
    return this.times().some(time => time.group === group && wasOpen(time)) ? orphan : undefined;
  }

  private times(): readonly CallTime[] {
    return timesIn(linesIn(this.file, LineSchema));
  }

  private add(line: Line): void {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    appendFileSync(this.file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }

  /** Keeps the last calls of this boot. */
  private shorten(): void {
    const kept = this.times().slice(-KEPT_TIMES);
    const lines = kept.flatMap(({ from, to, ...row }): Line[] => [
      { type: 'began', ...row, at: from },
      ...(to === undefined ? [] : [{ type: 'ended', run: row.run, at: to } as const]),
    ]);
    replaceLines(this.file, lines);
  }
}

/** The times of this boot, in order. */
function timesIn(lines: readonly Line[]): readonly CallTime[] {
  const times: CallTime[] = [];
  for (const line of lines) {
    if (line.type === 'began' && isOfThisBoot(line)) {
      const { run, host, pid, bootedAt, startedAt, group, at } = line;
      times.push({ run, host, pid, bootedAt, ...defined({ startedAt, group }), from: at, to: undefined });
    } else if (line.type === 'ended') {
      const at = times.findIndex(({ run, to }) => run === line.run && to === undefined);
      const open = times[at];
      if (open !== undefined) times[at] = { ...open, to: line.at };
    }
  }
  return times;
}

function isReaper(pid: number, row: Ancestor | undefined): boolean {
  return pid === 1 || (row !== undefined && REAPERS.test(row.words[0]?.split('/').at(-1) ?? ''));
}

function controlGroupOf(pid: number | 'self'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  } catch {
    return undefined; // Only Linux has it.
  }
}
