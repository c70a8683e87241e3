import type * as childProcess from 'node:child_process';
import { promisify } from 'node:util';
import type * as workerThreads from 'node:worker_threads';
import type * as readline from 'node:readline';
import { adoptEmitter, guardEmitter, moduleWith, ownedClass, ownedFunction } from './adopt';
import { killTree } from './kill-tree';
import type { OwnershipScope } from './scope';

type Child = childProcess.ChildProcess;
type Func = (...args: never[]) => unknown;

/** `node:child_process` for one scope. The `…Sync` functions leave nothing behind and stay as they are. */
export function childProcessModule(scope: OwnershipScope, real: typeof childProcess): object {
  const adopt = (child: Child): void => {
    adoptChild(scope, child);
  };
  return moduleWith(real, {
    ChildProcess: ownedClass(real.ChildProcess, adopt),
    spawn: ownedFunction(real.spawn as (...args: never[]) => Child, adopt),
    fork: ownedFunction(real.fork as (...args: never[]) => Child, adopt),
    exec: withCallback(scope, real.exec, adopt),
    execFile: withCallback(scope, real.execFile, adopt),
  });
}

/** `exec` and `execFile`: the callback is guarded, and `promisify` of them is owned too. */
function withCallback(scope: OwnershipScope, real: Func, adopt: (child: Child) => void): Func {
  const owned = (...args: unknown[]): unknown => {
    const guardedArgs = args.map(arg =>
      typeof arg === 'function'
        ? (...results: unknown[]) =>
            scope.guarded('callback of a child process', () => Reflect.apply(arg, undefined, results) as unknown)
        : arg,
    );
    const child = Reflect.apply(real, undefined, guardedArgs) as Child;
    adopt(child);
    return child;
  };
  const promised = promisify(real as (...args: unknown[]) => void) as unknown as (...args: unknown[]) => unknown;
  const ownedPromised = (...args: unknown[]): unknown => {
    const running = promised(...args) as { readonly child: Child };
    adopt(running.child);
    return running;
  };
  return Object.assign(owned, { [promisify.custom]: ownedPromised });
}

function adoptChild(scope: OwnershipScope, child: Child): void {
  const what = `child process ${child.spawnfile}`;
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    if (stream !== null) guardEmitter(scope, stream, what);
  }
  const close = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await killTree(child);
  };
  adoptEmitter(scope, child, { what, kind: 'work', close }, { ends: ['exit', 'error'] });
}

/** `node:worker_threads` for one scope. */
export function workerThreadsModule(
  scope: OwnershipScope,
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
      channel.port1.once('close', () => {
        held.dispose();
      });
    }),
    BroadcastChannel: globals['BroadcastChannel'],
  });
}

/** `node:readline` or `node:readline/promises` for one scope. */
export function readlineModule(
  scope: OwnershipScope,
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
