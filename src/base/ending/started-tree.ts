import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Mark } from './mark.ts';
import { provenProcesses, type Roots } from './proven.ts';
import { THIS_SYSTEM, type ProcessSystem } from './system.ts';

/** Pauses between two looks at what is left after SIGKILL, in ms; their sum bounds how long an end may take. */
const KILL_PAUSES = [5, 10, 20, 40, 80, 160, 320, 640, 1000];
const GRACE_POLL_MS = 40;

type Child = Pick<ChildProcess, 'pid' | 'exitCode' | 'signalCode' | 'kill'> & {
  once(event: 'exit', listener: () => void): unknown;
};

/** A child process of ours with all that grew from it. Unless it was let go, it does not outlive this process's own end. */
export class StartedTree {
  private readonly child: Child;
  private readonly mark: Mark;
  private readonly system: ProcessSystem;

  /** `mark` was put into the environment of the child. */
  constructor(child: Child, mark: Mark, system: ProcessSystem = THIS_SYSTEM) {
    this.child = child;
    this.mark = mark;
    this.system = system;
    this.hold();
    child.once('exit', () => this.letGo());
  }

  /** The child, as long as its end was not reported: until then, nobody else has its pid. */
  get children(): readonly number[] {
    const { pid, exitCode, signalCode } = this.child;
    return pid === undefined || exitCode !== null || signalCode !== null ? [] : [pid];
  }

  /** Proven by the child alone, not by the mark. */
  get descent(): Roots {
    return { children: this.children, mark: this.mark, byMark: false, known: new Map() };
  }

  /**
   * Ends the tree and resolves when nothing of it is left, or after some two seconds in which the system did not end all of it.
   * With `graceMs`, the tree is asked with SIGTERM first, and killed after that time. Never rejects.
   */
  end(graceMs = 0): Promise<void> {
    return new Ending(this.mark, this, this.system).run(graceMs);
  }

  /** Kills the child alone, which is quicker: for a program that is known to start no others. */
  endAlone(): void {
    this.child.kill('SIGKILL');
  }

  /** From now on, the tree is not ended with this process. */
  letGo(): void {
    open.delete(this);
  }

  /** Undoes {@link letGo}. */
  hold(): void {
    // A tree of another system has nothing to do with the processes of this one.
    if (this.children.length === 0 || this.system !== THIS_SYSTEM) return;
    if (!isListening) {
      process.on('exit', () => {
        endNow(open, THIS_SYSTEM);
      });
    }
    isListening = true;
    open.add(this);
  }
}

/** Trees whose child has not ended. There is one set, because the process ends once. */
const open = new Set<StartedTree>();
let isListening = false;

/** Ends everything that has the mark, with its descendants, as {@link StartedTree.end} does. */
export function endMarked(mark: Mark, graceMs = 0, system: ProcessSystem = THIS_SYSTEM): Promise<void> {
  return new Ending(mark, { children: [], endAlone: () => undefined }, system).run(graceMs);
}

/**
 * Kills the children of the trees, and the descendants of these, while nothing else of this process can run. What has lost
 * its parents lives on.
 */
export function endNow(trees: Iterable<StartedTree>, system: ProcessSystem): void {
  const running = [...trees].filter(({ children }) => children.length > 0);
  if (running.length === 0) return;
  const children = running.flatMap(tree => tree.children);
  if (system.platform === 'win32') {
    for (const tree of running) {
      if (!tree.children.every(child => system.endWithTaskkillNow(child))) tree.endAlone();
    }
    return;
  }
  const table = system.tableNow();
  if (table === undefined) signalGroups(children, 'SIGKILL', system);
  else {
    for (const row of running.flatMap(({ descent }) => provenProcesses(table, descent, system.pid))) {
      system.send(row, 'SIGKILL');
    }
  }
}

/** Where the system does not list its processes. */
function signalGroups(leaders: readonly number[], signal: NodeJS.Signals, system: ProcessSystem): void {
  for (const leader of leaders) system.sendToGroup(leader, signal);
}

/** One end of a tree, which takes several looks. */
class Ending {
  private readonly mark: Mark;
  private readonly tree: Pick<StartedTree, 'children' | 'endAlone'>;
  private readonly system: ProcessSystem;
  /** What was proven so far: it stays proven when its parents have ended. */
  private readonly known = new Map<number, number>();

  constructor(mark: Mark, tree: Pick<StartedTree, 'children' | 'endAlone'>, system: ProcessSystem) {
    this.mark = mark;
    this.tree = tree;
    this.system = system;
  }

  async run(graceMs: number): Promise<void> {
    if (this.system.platform === 'win32') {
      const ended = await Promise.all(this.tree.children.map(child => this.system.endWithTaskkill(child)));
      // Where taskkill is missing or refused, the child at least must not run on.
      if (ended.includes(false)) this.tree.endAlone();
      return;
    }
    if (graceMs > 0) await this.terminate(graceMs);
    for (const pause of KILL_PAUSES) {
      if (!(await this.signal('SIGKILL'))) return;
      await delay(pause);
    }
  }

  private async terminate(graceMs: number): Promise<void> {
    if (!(await this.signal('SIGTERM'))) return;
    const end = Date.now() + graceMs;
    while (Date.now() < end) {
      await delay(Math.min(GRACE_POLL_MS, graceMs));
      if (!(await this.signal(undefined))) return;
    }
  }

  /** Signals what is proven, or only looks. Resolves with whether anything was there. */
  private async signal(signal: NodeJS.Signals | undefined): Promise<boolean> {
    const { system, mark, known } = this;
    const table = await system.table();
    // Asked after the table was read: so the pids in it are theirs.
    const { children } = this.tree;
    if (table === undefined) {
      if (signal !== undefined) signalGroups(children, signal, system);
      return children.length > 0;
    }
    const found = provenProcesses(table, { children, mark, byMark: true, known }, system.pid);
    for (const row of found) {
      known.set(row.pid, row.startedAt);
      if (signal !== undefined) system.send(row, signal);
    }
    return found.length > 0;
  }
}
