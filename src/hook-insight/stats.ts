import type { ApprovalReason } from '../hook-contract/approvals/approval-reason';
import type { DispatchOutcome, DispatchRecord } from '../hook-contract/record';
import { defined } from '../base/defined';

/** How many of the last durations are kept per handler: few enough that the p95 reflects recent calls. */
const WINDOW = 128;
/** How many handlers are counted at most; beyond that, the one that was not called for the longest time is dropped. */
const MOST_HANDLERS = 2_000;

/** Identifies a handler or command, also after edits of the file, by its name and order. */
export interface HandlerKey {
  readonly hookPath: string;
  /** Event name as registered, or `command:<name>`. */
  readonly registeredAs: string;
  readonly nth: number;
}

/** Numbers about the calls of one handler since the window opened. */
export interface HandlerStats {
  /** How many calls have ended. */
  readonly count: number;
  /** How many of these calls threw or were late. */
  readonly errors: number;
  /** When the last call started, in ms since 1970. */
  readonly lastAt: number;
  readonly lastOutcome: DispatchOutcome;
  /** Why the built-in gate decided as it did in the last call; absent for other hooks. */
  readonly lastReason?: ApprovalReason | undefined;
  /** In ms, without the time spent waiting for the user; over the last {@link WINDOW} calls. */
  readonly p50: number;
  readonly p95: number;
}

/** Counts the calls of each handler. Its size is limited, whatever the number of calls and handlers. */
export class HookStats {
  /** By path, by name, by index: a key of all three would have to be made for each record. */
  private readonly hooks = new Map<string, Map<string, Map<number, Tally>>>();
  private count = 0;

  add(record: DispatchRecord): void {
    const { hookPath, registeredAs, nth } = record;
    const tally = this.hooks.get(hookPath)?.get(registeredAs)?.get(nth) ?? this.begin(record);
    tally.add(record);
  }

  /** Undefined when the handler was not called yet. */
  of({ hookPath, registeredAs, nth }: HandlerKey): HandlerStats | undefined {
    return this.hooks.get(hookPath)?.get(registeredAs)?.get(nth)?.stats();
  }

  /** Forgets the numbers of one file. */
  forget(hookPath: string): void {
    for (const tallies of this.hooks.get(hookPath)?.values() ?? []) this.count -= tallies.size;
    this.hooks.delete(hookPath);
  }

  private begin({ hookPath, registeredAs, nth }: HandlerKey): Tally {
    if (this.count >= MOST_HANDLERS) this.forgetSilent();
    const tally = new Tally();
    const names = this.hooks.get(hookPath) ?? new Map<string, Map<number, Tally>>();
    const tallies = names.get(registeredAs) ?? new Map<number, Tally>();
    this.hooks.set(hookPath, names.set(registeredAs, tallies.set(nth, tally)));
    this.count += 1;
    return tally;
  }

  private forgetSilent(): void {
    let silent: { readonly tallies: Map<number, Tally>; readonly nth: number } | undefined;
    let since = Infinity;
    for (const names of this.hooks.values()) {
      for (const tallies of names.values()) {
        for (const [nth, { lastAt }] of tallies) {
          if (lastAt >= since) continue;
          silent = { tallies, nth };
          since = lastAt;
        }
      }
    }
    if (silent?.tallies.delete(silent.nth) === true) this.count -= 1;
  }
}

/** Combines the numbers of several handlers; undefined when none was called. `p95` is the highest of them. */
export function totalStats(
  parts: readonly (HandlerStats | undefined)[],
): Pick<HandlerStats, 'count' | 'errors' | 'lastAt' | 'lastOutcome' | 'p95'> | undefined {
  const called = parts.filter(part => part !== undefined);
  const [first] = called;
  if (first === undefined) return undefined;
  const last = called.reduce((latest, part) => (part.lastAt > latest.lastAt ? part : latest), first);
  return {
    count: called.reduce((sum, part) => sum + part.count, 0),
    errors: called.reduce((sum, part) => sum + part.errors, 0),
    lastAt: last.lastAt,
    lastOutcome: last.lastOutcome,
    p95: Math.max(...called.map(part => part.p95)),
  };
}

class Tally {
  lastAt = 0;
  private count = 0;
  private errors = 0;
  private lastOutcome: DispatchOutcome = { type: 'nothing' };
  private lastReason: ApprovalReason | undefined;
  private readonly durations: number[] = [];

  add({ startedAt, durationMs, askedMs, outcome, approvalReason }: DispatchRecord): void {
    this.durations[this.count % WINDOW] = Math.max(0, durationMs - askedMs);
    this.count += 1;
    if (outcome.type === 'threw' || outcome.type === 'late') this.errors += 1;
    this.lastAt = startedAt;
    this.lastOutcome = outcome;
    this.lastReason = approvalReason;
  }

  stats(): HandlerStats {
    const { count, errors, lastAt, lastOutcome, lastReason } = this;
    const sorted = [...this.durations].sort((a, b) => a - b);
    const times = { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) };
    return { count, errors, lastAt, lastOutcome, ...defined({ lastReason }), ...times };
  }
}

/** The smallest value such that at least this share of the sorted values is not above it. 0 when there are none. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
