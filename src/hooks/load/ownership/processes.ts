import type * as childProcess from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type * as workerThreads from 'node:worker_threads';
import type * as readline from 'node:readline';
import { killTree } from '../../../agent/tools/shell/kill-tree';
import { orphans } from '../../../agent/tools/shell/orphans';
import { defined } from '../../../base/defined';
import { isRecord } from '../../../base/json/is-record';
import { happens, adoptEmitter, guardEmitter, moduleWith, ownedClass, ownedFunction } from './adopt';
import type { ResourceOwner } from './resource-owner';

type Child = childProcess.ChildProcess;
type Func = (...args: never[]) => unknown;

/** How long processes may take to end after they were asked to, in ms; must be less than a scope's `closeTimeoutMs`. */
const GRACE_MS = 500;
const NO_MARKER = 'HOOKLINE_NO_MARKER';

/**
 * `node:child_process` for one scope. All processes inherit an environment variable that only this scope uses. By it,
 * the release finds processes that are still running in the background.
 */
export function childProcessModule(scope: ResourceOwner, real: typeof childProcess): object {
  const marker = `HOOKLINE_HOOK_${randomUUID().replaceAll('-', '')}`;
  let marked = false;
  const mark = (args: readonly unknown[]): unknown[] => {
    orphans.begin();
    if (!marked) scope.own({ what: 'background processes', kind: 'rest', close: () => killMarked(marker) });
    marked = true;
    return withOptions(args, options => {
      const env = { ...(options.env ?? process.env) };
      return {
        ...defined({ cwd: scope.cwd }),
        ...options,
        env: { ...env, ...scope.pi?.variablesFor(env, args[0], args[1]), [marker]: '1', ...orphans.mark },
      };
    });
  };
  const starting = (original: Func): Func => {
    const owned = (...args: unknown[]): unknown => {
      const child = call(original, mark(args.map(arg => guardedCallback(scope, arg))));
      adoptChild(scope, child as Child);
      return child;
    };
    return owned;
  };
  const promising = (original: Func): Func => {
    const promised = promisify(original as unknown as (...args: unknown[]) => void) as unknown as Func;
    const owned = (...args: unknown[]): unknown => {
      const running = call(promised, mark(args)) as { readonly child: Child };
      adoptChild(scope, running.child);
      return running;
    };
    return Object.assign(starting(original), { [promisify.custom]: owned });
  };
  const marking =
    (original: Func): Func =>
    (...args: unknown[]) =>
      call(original, mark(args));
  return moduleWith(real, {
    spawn: starting(real.spawn),
    fork: starting(real.fork),
    exec: promising(real.exec),
    execFile: promising(real.execFile),
    spawnSync: marking(real.spawnSync),
    execSync: marking(real.execSync),
    execFileSync: marking(real.execFileSync),
  });
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

async function killMarked(marker: string): Promise<void> {
  // On Windows, the environment of a process cannot be read; only descendants of running children are ended there.
  if (process.platform === 'win32') return;
  await killTree({ pid: 0, marker, isRootAlive: () => false }, GRACE_MS);
}

function adoptChild(scope: ResourceOwner, child: Child): void {
  const { pid: started } = child;
  if (started !== undefined) {
    orphans.started(started);
    child.once('exit', () => orphans.ended(started));
  }
  const what = `child process ${child.spawnfile}`;
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    if (stream !== null) guardEmitter(scope, stream, what);
  }
  const isRootAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  const close = async (): Promise<void> => {
    const { pid } = child;
    if (pid === undefined || !isRootAlive()) return;
    // While no handler runs, `killMarked` runs in the same release and ends this process too; one search is enough.
    if (scope.isIdle && process.platform === 'linux') await happens(child, 'exit');
    else await killTree({ pid, marker: NO_MARKER, isRootAlive }, GRACE_MS);
  };
  adoptEmitter(scope, child, { what, kind: 'work', close }, { ends: ['exit', 'error'] });
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
