import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readProcessTable } from '../../../src/base/ending/process-table';

const HANDLE_LOOKS = 5;
const HANDLE_PAUSE_MS = 200;

/** What this process holds. */
export interface Footprint {
  /** Of the heap after a collection, in MB. */
  readonly heapMb: number;
  /** Timers, sockets, pipes, files and watchers that stay open for a second. */
  readonly handles: number;
  /** Listeners of our emitters that can be reached from the roots, and of `process`. */
  readonly listeners: number;
  /** Processes below this one. */
  readonly processes: number;
}

/**
 * Measures this process after a full collection.
 *
 * @param roots - objects of ours; emitters are looked for in all that they lead to
 */
export async function footprint(roots: readonly object[]): Promise<Footprint> {
  await collect();
  return {
    heapMb: process.memoryUsage().heapUsed / 1e6,
    handles: await lastingHandles(),
    listeners: listenersBelow(roots) + process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    processes: await processesBelow(process.pid),
  };
}

async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc'); // With other flags, V8 does not take bytecode that it made before.
  // What finalizers let go of is collected the next time.
  for (let time = 0; time < 3; time++) {
    gc();
    await new Promise(resolve => setImmediate(resolve));
  }
}

/** The least of several looks: timers of VS Code come and go, but what leaks is there each time. */
async function lastingHandles(): Promise<number> {
  let least = Infinity;
  for (let look = 0; look < HANDLE_LOOKS; look++) {
    least = Math.min(least, process.getActiveResourcesInfo().length);
    await new Promise(resolve => setTimeout(resolve, HANDLE_PAUSE_MS));
  }
  return least;
}

function listenersBelow(roots: readonly object[]): number {
  const seen = new Set<object>(roots);
  const open = [...roots];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isEmitter(next)) count += next.listeners.size;
    for (const value of valuesOf(next)) {
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      seen.add(value);
      open.push(value);
    }
  }
  return count;
}

/** The extension is a bundle of its own, so that its `Emitter` is another class than ours: its members tell it. */
function isEmitter(value: object): value is { readonly listeners: ReadonlySet<unknown> } {
  return Reflect.get(value, 'listeners') instanceof Set && typeof Reflect.get(value, 'event') === 'function';
}

function valuesOf(value: object): readonly unknown[] {
  if (value instanceof Map) return [...value.keys(), ...value.values()];
  if (value instanceof Set) return [...value];
  const own = Object.values(Object.getOwnPropertyDescriptors(value));
  return own.flatMap(descriptor => ('value' in descriptor ? [descriptor.value as unknown] : []));
}

async function processesBelow(pid: number): Promise<number> {
  const rows = (await readProcessTable())?.rows ?? [];
  const below = (parent: number): number =>
    rows.filter(row => row.parent === parent).reduce((sum, child) => sum + 1 + below(child.pid), 0);
  return below(pid);
}
