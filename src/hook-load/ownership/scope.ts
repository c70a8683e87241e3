import { toDisposable, type Disposable } from '../../base/disposable';
import { isThenable, withTimeout } from '../../base/async/wait';
import { ownedGlobals } from './globals';
import { LOOP_LIMIT_MS, LoopLimit, type LoopStopped } from './loop-limit';
import type { PiProgram } from './pi-program';
import type { OwnedThing, ResourceOwner } from './resource-owner';
import { createRequire } from 'node:module';
import type * as childProcess from 'node:child_process';
import type * as dgram from 'node:dgram';
import type * as fs from 'node:fs';
import type * as http from 'node:http';
import type * as http2 from 'node:http2';
import type * as https from 'node:https';
import type * as net from 'node:net';
import type * as readline from 'node:readline';
import type * as tls from 'node:tls';
import type * as workerThreads from 'node:worker_threads';
import { fsModule, fsPromisesModule } from './files';
import { dgramModule, http2Module, httpModule, netModule, tlsModule } from './network';
import { childProcessModule, readlineModule, workerThreadsModule } from './processes';
import { timersModule, timersPromisesModule } from './timers';

/** Node's modules as the host's `require` returns them: VS Code replaces some by versions with its proxy settings. */
const real = createRequire(import.meta.url);

type Build = (scope: ResourceOwner) => object;

/** Makes the wrappers of Node's modules that can open something, by name without `node:`. */
const BUILDERS: Readonly<Record<string, Build>> = {
  child_process: scope => childProcessModule(scope, real('node:child_process') as typeof childProcess),
  dgram: scope => dgramModule(scope, real('node:dgram') as typeof dgram),
  fs: scope => fsModule(scope, real('node:fs') as typeof fs, scope.builtin('fs/promises') ?? {}),
  'fs/promises': scope =>
    fsPromisesModule(scope, real('node:fs/promises') as typeof fs.promises, real('node:fs') as typeof fs),
  http: scope => httpModule(scope, real('node:http') as typeof http, 'http'),
  http2: scope => http2Module(scope, real('node:http2') as typeof http2),
  https: scope => httpModule(scope, real('node:https') as typeof https, 'https'),
  net: scope => netModule(scope, real('node:net') as typeof net),
  process: scope => globalsOf(scope)['process'] as object,
  readline: scope => readlineModule(scope, real('node:readline') as typeof readline),
  'readline/promises': scope => readlineModule(scope, real('node:readline/promises') as typeof readline),
  timers: scope => timersModule(scope, globalsOf(scope)),
  'timers/promises': timersPromisesModule,
  tls: scope => tlsModule(scope, real('node:tls') as typeof tls),
  worker_threads: scope =>
    workerThreadsModule(scope, real('node:worker_threads') as typeof workerThreads, globalsOf(scope)),
};

/** The wrapper of a Node module for one scope; undefined for modules that open nothing. `name` is without `node:`. */
function ownedBuiltin(scope: ResourceOwner, name: string): object | undefined {
  return Object.hasOwn(BUILDERS, name) ? BUILDERS[name]?.(scope) : undefined;
}

function globalsOf(scope: ResourceOwner): Readonly<Record<string, unknown>> {
  return scope.globals as Readonly<Record<string, unknown>>;
}

/** Is called when code of one hook begins and ends, so that it knows which code runs. */
export interface HookWatch {
  enter(event: string): void;
  leave(): void;
}

export interface OwnershipOptions {
  /** The path of the hook whose resources these are, for messages. */
  readonly owner: string;
  /**
   * Called for every error that could otherwise end the process: errors and rejections in callbacks, `error` events of
   * owned servers and streams without a listener, and failures to close something. `where` says what failed, for
   * messages.
   */
  readonly onDidThrow: (error: unknown, where: string) => void;
  /** How long one resource may take to close, in ms; 5 s when absent. */
  readonly closeTimeoutMs?: number;
  /** How long code of the hook may block the process, in ms; 10 s when absent. */
  readonly loopLimitMs?: number;
  /**
   * The working directory that the hook sees, absolute; when absent, that of this process, which in VS Code can be any.
   */
  readonly cwd?: string;
  /**
   * Stdin and stdout of this process carry a protocol: the hook and what it starts get an empty stdin, and stderr as their stdout.
   */
  readonly protectsStdio?: boolean;
  /** Is called when code of the hook begins and ends. */
  readonly watch?: HookWatch;
  /** The program that processes of the hook find as `pi`; when absent, whatever is on their PATH. */
  readonly pi?: PiProgram;
}

interface Entry {
  readonly thing: OwnedThing;
  /** How many handlers had begun when the thing was opened; for `rest`, infinite. */
  readonly openedAt: number;
}

const ORDER: readonly OwnedThing['kind'][] = ['listener', 'work', 'rest'];
const CLOSE_TIMEOUT_MS = 5_000;

/** One running handler; disposing it means that the handler has ended. */
class Work implements Disposable {
  before: Work | undefined;
  after: Work | undefined;
  private ended = false;

  constructor(
    readonly begunAs: number,
    private readonly list: RunningWork,
    private readonly onEnd: () => void,
  ) {}

  dispose(): void {
    if (this.ended) return;
    this.ended = true;
    this.list.remove(this);
    this.onEnd();
  }
}

/**
 * The running handlers of one load, in the order in which they began. A linked list, because dispatch changes it often.
 */
class RunningWork {
  private first: Work | undefined;
  private last: Work | undefined;

  /** The number of the handler that began first; undefined when none runs. */
  get oldest(): number | undefined {
    return this.first?.begunAs;
  }

  /** Each number must be greater than the one before. `onEnd` is called once, after the work has left the list. */
  begin(number: number, onEnd: () => void): Disposable {
    const work = new Work(number, this, onEnd);
    work.before = this.last;
    if (this.last === undefined) this.first = work;
    else this.last.after = work;
    this.last = work;
    return work;
  }

  remove(work: Work): void {
    const { before, after } = work;
    if (before === undefined) this.first = after;
    else before.after = after;
    if (after === undefined) this.last = before;
    else after.before = before;
  }
}

/**
 * Owns what one load of one hook has opened, and closes it. Its wrappers of Node's modules and globals are passed only
 * to that hook's code. Nothing is patched, so other code in the process uses the originals.
 */
export class OwnershipScope implements ResourceOwner {
  private readonly entries = new Set<Entry>();
  private readonly running = new RunningWork();
  private readonly builtins = new Map<string, object | undefined>();
  private begun = 0;
  private releasing: Promise<void> | undefined;
  private cachedGlobals: object | undefined;

  /** The guards against endless loops in the hook's code. */
  readonly loops: LoopLimit;

  constructor(private readonly options: OwnershipOptions) {
    const { loopLimitMs = LOOP_LIMIT_MS, onDidThrow } = options;
    this.loops = new LoopLimit(loopLimitMs, stopped => onDidThrow(stopped, 'loop'));
  }

  get owner(): string {
    return this.options.owner;
  }

  get cwd(): string | undefined {
    return this.options.cwd;
  }

  get pi(): PiProgram | undefined {
    return this.options.pi;
  }

  get protectsStdio(): boolean {
    return this.options.protectsStdio === true;
  }

  /** True from the first call of {@link release} on. */
  get isReleased(): boolean {
    return this.releasing !== undefined;
  }

  get isIdle(): boolean {
    return this.running.oldest === undefined;
  }

  /** How many resources are open now. */
  get size(): number {
    return this.entries.size;
  }

  /** The names of the resources that are open now, for messages. */
  get open(): readonly string[] {
    return [...this.entries].map(({ thing }) => thing.what);
  }

  /**
   * Whether code of this load must not use Node's own loader, which would give it modules that the scope does not wrap.
   */
  get isSealed(): boolean {
    return false;
  }

  builtin(specifier: string): object | undefined {
    const name = specifier.replace(/^node:/, '');
    if (!this.builtins.has(name)) this.builtins.set(name, ownedBuiltin(this, name));
    return this.builtins.get(name);
  }

  get globals(): object {
    this.cachedGlobals ??= ownedGlobals(this);
    return this.cachedGlobals;
  }

  /**
   * Marks that a handler of the hook runs, until the result is disposed. If the scope is released meanwhile, what the
   * handler may be waiting for stays open until the handler ends, because its verdict still counts. `event` is the
   * event that it handles.
   */
  begin(event: string): Disposable {
    this.options.watch?.enter(event);
    return this.running.begin(++this.begun, this.whenEnded);
  }

  own(thing: OwnedThing): Disposable {
    const entry: Entry = { thing, openedAt: thing.kind === 'rest' ? Number.POSITIVE_INFINITY : this.begun };
    this.entries.add(entry);
    if (this.isReleased && (thing.kind === 'listener' || !this.isAwaited(entry))) void this.closeAll([entry]);
    return toDisposable(() => this.entries.delete(entry));
  }

  /**
   * Closes what is open, listeners first, except what running handlers may be waiting for. Resolves when that is closed
   * or the time for it is over; what could not be closed is reported. Further calls return the same promise.
   */
  release(): Promise<void> {
    this.releasing ??= Promise.resolve().then(() => this.closeAll(this.due()));
    return this.releasing;
  }

  /** The error, once an endless loop of the hook was stopped. What the hook returns after that must not be used. */
  get stopped(): LoopStopped | undefined {
    return this.loops.stopped;
  }

  report(error: unknown, where: string): void {
    if (error !== undefined && error === this.loops.stopped) return; // It was reported when the loop was stopped.
    this.options.onDidThrow(error, where);
  }

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
    this.options.watch?.leave();
    if (this.isReleased) void this.closeAll(this.due()); // `closeOne` reports failures.
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
