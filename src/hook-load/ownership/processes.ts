import type * as childProcess from 'node:child_process';
import { promisify } from 'node:util';
import type * as workerThreads from 'node:worker_threads';
import type * as readline from 'node:readline';
import { defined } from '../../base/defined';
import { newMark, withMark, withoutMarks, type Mark } from '../../base/ending/mark';
import { endMarked, StartedTree } from '../../base/ending/started-tree';
import { isRecord } from '../../base/json/is-record';
import { adoptEmitter, guardEmitter, moduleWith, ownedClass, ownedFunction, type Ownership } from './adopt';
import { protectedStdio } from './protected-streams';
import type { ResourceOwner } from './resource-owner';

type Child = childProcess.ChildProcess;
type Func = (...args: never[]) => unknown;

/** How long processes may take to end after they were asked to, in ms; must be less than a scope's `closeTimeoutMs`. */
const GRACE_MS = 500;

/**
 * `node:child_process` for one scope. All processes inherit a mark of the scope: by it, the release finds what runs in the
 * background. Those with `detached` do not, because the hook may let them go (docs/hooks.md, "Programs that hooks start").
 */
export function childProcessModule(scope: ResourceOwner, real: typeof childProcess): object {
  const ofScope = newMark();
  let isUsed = false;
  const useMark = (): Mark => {
    if (!isUsed) scope.own({ what: 'background processes', kind: 'rest', close: () => endMarked(ofScope, GRACE_MS) });
    isUsed = true;
    return ofScope;
  };
  const prepare = (args: readonly unknown[], { canDetach = false, inherits = false }: Starting = {}): Prepared => {
    const mark = newMark();
    let isDetached = false;
    const prepared = withOptions(args, options => {
      isDetached = canDetach && Boolean(options.detached);
      const given = options.env ?? process.env;
      const env = isDetached ? withoutMarks(given) : { ...given, ...withMark(useMark()) };
      return {
        ...defined({ cwd: scope.cwd }),
        ...options,
        ...stdioFor(scope, options, inherits),
        env: { ...env, ...scope.pi?.variablesFor(env, args[0], args[1]), ...withMark(mark) },
      };
    });
    return { args: prepared, mark, isDetached };
  };
  const isOver = (): boolean => scope.isReleased && scope.isIdle;
  /** A program that the hook starts again whenever it ends would run for ever. */
  const refuseAfterEnd = (): void => {
    if (isOver()) throw new Error(`${scope.owner} was reloaded or has ended, so it cannot start programs any more.`);
  };
  const starting =
    (original: Func, how: Starting = {}): Func =>
    (...args: unknown[]): unknown => {
      refuseAfterEnd();
      const guarded = args.map(arg => guardedCallback(scope, arg));
      const prepared = prepare(guarded, how);
      const child = call(original, prepared.args) as Child;
      adoptChild(scope, child, prepared);
      return child;
    };
  const promising = (original: Func): Func => {
    const promised = promisify(original as unknown as (...args: unknown[]) => void) as unknown as Func;
    const owned = (...args: unknown[]): unknown => {
      refuseAfterEnd();
      const prepared = prepare(args);
      const running = call(promised, prepared.args) as { readonly child: Child };
      adoptChild(scope, running.child, prepared);
      return running;
    };
    return Object.assign(starting(original), { [promisify.custom]: owned });
  };
  const marking =
    (original: Func): Func =>
    (...args: unknown[]) => {
      try {
        return call(original, prepare(args).args);
      } finally {
        // After the release, nobody else looks for what the program left in the background.
        if (isOver()) void endMarked(ofScope, GRACE_MS);
      }
    };
  return moduleWith(real, {
    spawn: starting(real.spawn, { canDetach: true }),
    fork: starting(real.fork, { canDetach: true, inherits: true }),
    exec: promising(real.exec),
    execFile: promising(real.execFile),
    spawnSync: marking(real.spawnSync),
    execSync: marking(real.execSync),
    execFileSync: marking(real.execFileSync),
  });
}

interface Starting {
  readonly canDetach?: boolean;
  /** Without options, the child has the streams of this process. */
  readonly inherits?: boolean;
}

function stdioFor(
  scope: ResourceOwner,
  { stdio, silent }: ChildOptions,
  inherits: boolean,
): { readonly stdio?: unknown } {
  if (scope.protectsStdio !== true) return {};
  return defined({ stdio: protectedStdio(stdio, inherits && silent !== true) });
}

/** A child process that is about to be started. */
interface Prepared {
  readonly args: readonly unknown[];
  /** In its environment, and in that of no other child. */
  readonly mark: Mark;
  readonly isDetached: boolean;
}

function call(original: Func, args: readonly unknown[]): unknown {
  return Reflect.apply(original, undefined, args) as unknown;
}

function guardedCallback(scope: ResourceOwner, arg: unknown): unknown {
  if (typeof arg !== 'function') return arg;
  return (...results: unknown[]) =>
    scope.guarded('callback of a child process', () => Reflect.apply(arg, undefined, results) as unknown);
}

interface ChildOptions {
  readonly env?: NodeJS.ProcessEnv | null;
  readonly cwd?: unknown;
  readonly detached?: unknown;
  readonly stdio?: unknown;
  /** Of `fork`: its streams are pipes. */
  readonly silent?: unknown;
}

/**
 * Returns the arguments of a `child_process` function with changed options; if there are none, options are inserted.
 */
export function withOptions(args: readonly unknown[], change: (options: ChildOptions) => ChildOptions): unknown[] {
  const given = [...args];
  while (given.length > 1 && given.at(-1) == null) given.pop();
  const at = given.findIndex((arg, index) => index > 0 && isRecord(arg));
  const changed = change((at === -1 ? {} : given[at]) as ChildOptions);
  if (at !== -1) return given.with(at, changed);
  const callback = given.findIndex(arg => typeof arg === 'function');
  return given.toSpliced(callback === -1 ? given.length : callback, 0, changed);
}

function adoptChild(scope: ResourceOwner, child: Child, { mark, isDetached }: Prepared): void {
  const tree = new StartedTree(child, mark);
  const what = `child process ${child.spawnfile}`;
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    if (stream !== null) guardEmitter(scope, stream, what);
  }
  // An `error` of a child that runs, for example of its signal, is not its end.
  const ends = [child.pid === undefined ? 'error' : 'exit'];
  const claim = adoptEmitter(scope, child, { what, kind: 'work', close: () => tree.end(GRACE_MS) }, { ends });
  if (isDetached) letGoOnUnref(child, tree, claim);
}

/** As with pi, a detached child that the hook does not wait for lives on, with all that it starts: over a reload and an end. */
function letGoOnUnref(child: Child, tree: StartedTree, claim: Ownership): void {
  const ref = child.ref.bind(child);
  const unref = child.unref.bind(child);
  child.unref = () => {
    claim.letGo();
    tree.letGo();
    unref();
  };
  child.ref = () => {
    if (tree.children.length > 0) claim.hold();
    tree.hold();
    ref();
  };
}

/** `node:worker_threads` for one scope. */
export function workerThreadsModule(
  scope: ResourceOwner,
  real: typeof workerThreads,
  globals: Readonly<Record<string, unknown>>,
): object {
  return moduleWith(real, {
    Worker: ownedClass(real.Worker, worker => {
      const close = async (): Promise<void> => {
        await worker.terminate();
      };
      adoptEmitter(scope, worker, { what: 'worker thread', kind: 'work', close }, { ends: ['exit'] });
    }),
    MessageChannel: ownedClass(real.MessageChannel, channel => {
      const close = (): void => {
        channel.port1.close();
        channel.port2.close();
      };
      const held = scope.own({ what: 'message channel', kind: 'work', close });
      channel.port1.once('close', () => held.dispose());
    }),
    BroadcastChannel: globals['BroadcastChannel'],
  });
}

/** `node:readline` or `node:readline/promises` for one scope. */
export function readlineModule(
  scope: ResourceOwner,
  real: Pick<typeof readline, 'createInterface' | 'Interface'>,
): object {
  const adopt = (lines: readline.Interface): void => {
    const close = (): void => {
      lines.close();
    };
    adoptEmitter(scope, lines, { what: 'readline interface', kind: 'work', close });
  };
  return moduleWith(real, {
    createInterface: ownedFunction(real.createInterface as (...args: never[]) => readline.Interface, adopt),
    Interface: ownedClass(real.Interface as unknown as new (...args: never[]) => readline.Interface, adopt),
  });
}
