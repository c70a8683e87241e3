import { readFileSync, writeFileSync } from 'node:fs';

/** ms that this thread computed since it started. Other programs on the machine do not count. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** ms this thread computes until the work is done. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = threadCpuMs();
  await work();
  return threadCpuMs() - before;
}

/** The system counts a thread's time in steps of a few ms: short work is repeated until it took this long. */
const LONG_ENOUGH_MS = 120;

/**
 * ms this thread computes each time the work is done; the work is done often enough to tell. What `before` does each
 * time does not count.
 */
export async function cpuEachMs<T>(work: (prepared: T) => unknown, before?: () => T | Promise<T>): Promise<number> {
  let spent = 0;
  for (let times = 1; ; times++) {
    const prepared = await before?.();
    const start = threadCpuMs();
    await work(prepared as T);
    spent += threadCpuMs() - start;
    if (spent >= LONG_ENOUGH_MS) return spent / times;
  }
}

/** ms on the clock until the work is done. */
export async function wallMs(work: () => unknown): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** What a piece of work cost. */
export interface Cost {
  /** ms on the clock. */
  readonly ms: number;
  /** ms of computing on this thread. */
  readonly cpu: number;
  /** The longest piece of computing, in ms, during which nothing else of this thread could run. */
  readonly stall: number;
  /** MB by which memory grew at its peak, what was to be collected included. */
  readonly mb: number;
  /** MB that what the work returned holds. */
  readonly kept: number;
}

/** Runs the work once and says what it cost. */
export async function cost(work: () => unknown): Promise<Cost & Record<string, number>> {
  globalThis.gc?.();
  const before = beginPeak();
  const heldBefore = heldBytes();
  const watch = new StallWatch();
  const start = performance.now();
  const cpuBefore = threadCpuMs();
  const results = [await work()];
  const cpu = threadCpuMs() - cpuBefore;
  const ms = performance.now() - start;
  const stall = watch.end();
  const mb = (peakBytes() - before) / 1e6;
  globalThis.gc?.();
  const kept = (heldBytes() - heldBefore) / 1e6;
  results.length = 0;
  return { ms, cpu, stall, mb, kept };
}

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Looks each millisecond how much the thread computed since the last look. */
class StallWatch {
  private last = threadCpuMs();
  private longest = 0;
  private readonly timer = setInterval(() => this.look(), 1);

  end(): number {
    this.look();
    clearInterval(this.timer);
    return this.longest;
  }

  private look(): void {
    const now = threadCpuMs();
    this.longest = Math.max(this.longest, now - this.last);
    this.last = now;
  }
}

/** Where the system cannot forget a peak, only one that is higher than all before is seen. */
function beginPeak(): number {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Not Linux, or not allowed.
  }
  return process.memoryUsage.rss();
}

function peakBytes(): number {
  try {
    const kb = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (kb !== undefined) return Number(kb) * 1024;
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS * 1024;
}
