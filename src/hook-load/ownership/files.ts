import type { EventEmitter } from 'node:events';
import type * as fs from 'node:fs';
import type { Disposable } from '../../base/disposable';
import { adoptEmitter, happens, moduleWith, ownedClass, ownedFunction } from './adopt';
import { protectedFiles } from './protected-streams';
import type { ResourceOwner } from './resource-owner';
import { cancellable } from './timers';

type WatchListener = (current: fs.Stats, previous: fs.Stats) => void;

/**
 * `node:fs` for one scope, which owns watchers and streams. It does not own file descriptors: the hook must close them.
 */
export function fsModule(scope: ResourceOwner, real: typeof fs, promises: object): object {
  const owned = ownedFs(scope, real, promises);
  return scope.protectsStdio === true ? moduleWith(owned, protectedFiles(owned, real)) : owned;
}

function ownedFs(scope: ResourceOwner, real: typeof fs, promises: object): object {
  const read = (stream: fs.ReadStream): void => {
    const close = async (): Promise<void> => {
      if (stream.closed) return;
      const closed = happens(stream, 'close');
      stream.destroy();
      await closed;
    };
    adoptEmitter(scope, stream, { what: `read stream of ${String(stream.path)}`, kind: 'work', close });
  };
  const write = (stream: fs.WriteStream): void => {
    const close = async (): Promise<void> => {
      if (stream.closed) return;
      const closed = happens(stream, 'close');
      stream.end(); // Unlike `destroy`, this writes what is still buffered.
      await closed;
    };
    adoptEmitter(scope, stream, { what: `write stream of ${String(stream.path)}`, kind: 'work', close });
  };
  const ReadStream = ownedClass(real.ReadStream as new (...args: never[]) => fs.ReadStream, read);
  const WriteStream = ownedClass(real.WriteStream as new (...args: never[]) => fs.WriteStream, write);
  return moduleWith(real, {
    watch: ownedFunction(real.watch, (watcher, args) => {
      const close = (): void => {
        watcher.close();
      };
      adoptEmitter(scope, watcher, { what: `watcher of ${String(args[0])}`, kind: 'listener', close });
    }),
    ...watchFileOf(scope, real),
    createReadStream: ownedFunction(real.createReadStream, read),
    createWriteStream: ownedFunction(real.createWriteStream, write),
    ReadStream,
    FileReadStream: ReadStream,
    WriteStream,
    FileWriteStream: WriteStream,
    promises,
  });
}

/** `node:fs/promises` for one scope, which owns watchers and file handles. */
export function fsPromisesModule(scope: ResourceOwner, real: typeof fs.promises, sync: typeof fs): object {
  const owned = ownedPromises(scope, real);
  return scope.protectsStdio === true ? moduleWith(owned, protectedFiles(owned, sync)) : owned;
}

function ownedPromises(scope: ResourceOwner, real: typeof fs.promises): object {
  return moduleWith(real, {
    watch: (path: fs.PathLike, given?: unknown) => changes(scope, real, path, given),
    open: async (...args: Parameters<typeof real.open>) => {
      const handle = await real.open(...args);
      const held = scope.own({ what: `file ${String(args[0])}`, kind: 'work', close: () => handle.close() });
      // A file handle is an event emitter, but its type does not say so.
      (handle as unknown as EventEmitter).once('close', () => held.dispose());
      return handle;
    },
  });
}

async function* changes(
  scope: ResourceOwner,
  real: typeof fs.promises,
  path: fs.PathLike,
  given: unknown,
): AsyncGenerator {
  const encoded = typeof given === 'string' ? { encoding: given } : given;
  const { options, cancelled, owned } = cancellable(scope, `watcher of ${String(path)}`, encoded);
  try {
    yield* real.watch(path, options);
  } catch (error) {
    if (!cancelled()) throw error; // After the release, the hook's loop over the changes ends without an error.
  } finally {
    owned.dispose();
  }
}

/**
 * The process has one poller for each path, shared by all listeners, so the scope owns each listener, not the poller.
 */
function watchFileOf(scope: ResourceOwner, real: typeof fs): Record<string, unknown> {
  const watched = new Map<string, Map<WatchListener, Disposable & { readonly stop: () => void }>>();
  const watchFile = (path: fs.PathLike, ...rest: unknown[]): unknown => {
    const listener = rest.at(-1);
    if (typeof listener !== 'function') return Reflect.apply(real.watchFile, undefined, [path, ...rest]) as unknown;
    const own: WatchListener = (...args) => {
      scope.guarded(`watcher of ${String(path)}`, () => Reflect.apply(listener, undefined, args) as unknown);
    };
    const stop = (): void => {
      real.unwatchFile(path, own);
    };
    const poller: unknown = Reflect.apply(real.watchFile, undefined, [path, ...rest.slice(0, -1), own]);
    const held = scope.own({ what: `watcher of ${String(path)}`, kind: 'listener', close: stop });
    const listeners = watched.get(String(path)) ?? new Map<WatchListener, Disposable & { stop: () => void }>();
    watched.set(String(path), listeners);
    listeners.set(listener as WatchListener, { ...held, stop });
    return poller;
  };
  const unwatchFile = (path: fs.PathLike, listener?: WatchListener): void => {
    const listeners = watched.get(String(path));
    for (const [original, held] of listeners ?? []) {
      if (listener !== undefined && original !== listener) continue;
      listeners?.delete(original);
      held.stop();
      held.dispose();
    }
  };
  return { watchFile, unwatchFile };
}
