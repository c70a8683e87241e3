import { toDisposable, type Disposable } from '../../../base/disposable';
import { withTimeout } from '../../../base/wait';
import { ownedBuiltin } from './builtins';
import { ownedGlobals } from './globals';
import { RunningWork } from './running-work';

export interface OwnershipOptions {
  /** Whose resources these are, for reports: the hook's path. */
  readonly owner: string;
  /**
   * Told of everything that would otherwise have ended the process: throws and rejections in callbacks, errors of owned
   * servers and streams that nobody listens to, and what could not be closed. `where` says what failed, for people.
   */
  readonly onDidThrow: (error: unknown, where: string) => void;
  /** How long one resource may take to close; 5 s when absent. */
  readonly closeTimeoutMs?: number;
}

/** Something open that belongs to a load. */
export interface OwnedThing {
  /** For people: `http server on port 3333`. */
  readonly what: string;
  /**
   * `listener`: gets events from outside and must be gone before a successor starts. `work`: something a running handler
   * may be waiting for, so it may live until the handlers that ran when it was opened have ended. `rest`: goes when the
   * last handler has ended.
   */
  readonly kind: 'listener' | 'work' | 'rest';
  /** Closes it; resolves when the operating system has let go of it. */
  close(): void | Promise<void>;
}

interface Entry {
  readonly thing: OwnedThing;
  /** Number of handlers begun before it was opened. */
  readonly openedAt: number;
}

const ORDER: readonly OwnedThing['kind'][] = ['listener', 'work', 'rest'];
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Holds what one load of one hook has opened. Its wrappers around Node's modules and globals are handed to that hook's
 * code only; nothing is patched, so other code in the process sees the originals.
 */
export class OwnershipScope {
  private readonly entries = new Set<Entry>();
  private readonly running = new RunningWork();
  private readonly builtins = new Map<string, object | undefined>();
  private begun = 0;
  private releasing: Promise<void> | undefined;
  private cachedGlobals: object | undefined;

  constructor(private readonly options: OwnershipOptions) {}

  get owner(): string {
    return this.options.owner;
  }

  /** True from the first call of {@link release} on. */
  get isReleased(): boolean {
    return this.releasing !== undefined;
  }

  /** True while no handler of the hook runs. */
  get isIdle(): boolean {
    return this.running.oldest === undefined;
  }

  /** How many things are open now. */
  get size(): number {
    return this.entries.size;
  }

  /** What is open now, for people. */
  get open(): readonly string[] {
    return [...this.entries].map(({ thing }) => thing.what);
  }

  /** Whether code of this load must not get at Node's own loader, around what the scope gives out. */
  get isSealed(): boolean {
    return false;
  }

  /** The wrapper of a Node module, or undefined for modules that open nothing. With or without `node:`. */
  builtin(specifier: string): object | undefined {
    const name = specifier.replace(/^node:/, '');
    if (!this.builtins.has(name)) this.builtins.set(name, ownedBuiltin(this, name));
    return this.builtins.get(name);
  }

  /** The owned versions of the globals that open or start something. */
  get globals(): object {
    this.cachedGlobals ??= ownedGlobals(this);
    return this.cachedGlobals;
  }

  /**
   * Marks that a handler of the hook runs, until disposed. What such a handler may be waiting for outlives a release that
   * happens meanwhile, because its verdict still counts.
   */
  begin(): Disposable {
    return this.running.begin(++this.begun, this.whenEnded);
  }

  /** Takes responsibility for something; the result forgets it again. After the release it is closed at once. */
  own(thing: OwnedThing): Disposable {
    const entry: Entry = { thing, openedAt: thing.kind === 'rest' ? Number.POSITIVE_INFINITY : this.begun };
    this.entries.add(entry);
    if (this.isReleased && (thing.kind === 'listener' || !this.isAwaited(entry))) void this.closeAll([entry]);
    return toDisposable(() => this.entries.delete(entry));
  }

  /**
   * Closes what is open, listeners first, and resolves when the ports are free again or the time for that is over; what
   * would not close is reported. Calling it again gives the same promise.
   */
  release(): Promise<void> {
    this.releasing ??= Promise.resolve().then(() => this.closeAll(this.due()));
    return this.releasing;
  }

  /** Tells of an error in code of the hook that has no caller to throw to. */
  report(error: unknown, where: string): void {
    this.options.onDidThrow(error, where);
  }

  /** Runs a callback of the hook for code that must not see it fail: throws and rejections are reported. */
  guarded(where: string, callback: () => unknown): unknown {
    try {
      const answer = callback();
      if (!isThenable(answer)) return answer;
      answer.then(undefined, (error: unknown) => this.report(error, where));
      return answer;
    } catch (error) {
      this.report(error, where);
      return undefined;
    }
  }

  private readonly whenEnded = (): void => {
    if (this.isReleased) void this.closeAll(this.due()); // Reports its failures itself.
  };

  private due(): readonly Entry[] {
    const all = [...this.entries].filter(entry => entry.thing.kind === 'listener' || !this.isAwaited(entry));
    return all.sort((a, b) => ORDER.indexOf(a.thing.kind) - ORDER.indexOf(b.thing.kind));
  }

  private isAwaited(entry: Entry): boolean {
    const { oldest } = this.running;
    return oldest !== undefined && oldest <= entry.openedAt;
  }

  private async closeAll(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) this.entries.delete(entry);
    await Promise.all(entries.map(({ thing }) => this.closeOne(thing)));
  }

  private async closeOne(thing: OwnedThing): Promise<void> {
    const limit = this.options.closeTimeoutMs ?? CLOSE_TIMEOUT_MS;
    try {
      await withTimeout(thing.close(), limit, () => {
        throw new Error(`not closed within ${limit} ms`);
      });
    } catch (error) {
      this.report(error, `closing ${thing.what}`);
    }
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
