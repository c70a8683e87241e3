import realTimers from 'node:timers';
import realPromises from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Disposable } from '../../base/disposable';
import { moduleWith } from './adopt';
import type { ResourceOwner } from './resource-owner';

type Callback = (...args: unknown[]) => unknown;
type TimerName = 'setTimeout' | 'setInterval' | 'setImmediate';
type Cancel = (handle: never) => void;

/** The owned versions of the global timer functions, by name. */
export function ownedTimers(scope: ResourceOwner): Record<string, unknown> {
  const held = new Map<unknown, Disposable>();
  const start = (name: TimerName, real: Callback, cancel: Cancel): Callback => {
    const once = name !== 'setInterval';
    const owned = (callback: unknown, ...rest: unknown[]): unknown => {
      if (typeof callback !== 'function') return real(callback, ...rest);
      const fire = (...args: unknown[]): void => {
        if (once) letGo(held, handle);
        scope.guarded(`${name} callback`, () => Reflect.apply(callback, handle, args) as unknown);
      };
      const handle: unknown = real(fire, ...rest);
      const hold = (): void => {
        letGo(held, handle);
        const close = (): void => {
          held.delete(handle);
          cancel(handle as never);
        };
        held.set(handle, scope.own({ what: name, kind: 'work', close }));
      };
      hold();
      if (once) refreshHolds(handle, hold);
      return handle;
    };
    return name === 'setInterval' ? owned : Object.assign(owned, { [promisify.custom]: waiting(scope, name) });
  };
  const cancel =
    (real: Cancel) =>
    (handle: unknown): void => {
      letGo(held, handle);
      real(handle as never);
    };
  return {
    setTimeout: start('setTimeout', setTimeout as unknown as Callback, clearTimeout),
    setInterval: start('setInterval', setInterval as unknown as Callback, clearInterval),
    setImmediate: start('setImmediate', setImmediate as unknown as Callback, clearImmediate),
    clearTimeout: cancel(clearTimeout),
    clearInterval: cancel(clearInterval),
    clearImmediate: cancel(clearImmediate),
  };
}

/** `node:timers` for one scope. */
export function timersModule(scope: ResourceOwner, globals: Readonly<Record<string, unknown>>): object {
  return moduleWith(realTimers, { ...globals, promises: timersPromisesModule(scope) });
}

/**
 * `node:timers/promises` for one scope: after the release, a waiting promise never settles and is garbage-collected.
 */
export function timersPromisesModule(scope: ResourceOwner): object {
  const setTimeout = waiting(scope, 'setTimeout');
  return moduleWith(realPromises, {
    setTimeout,
    setImmediate: waiting(scope, 'setImmediate'),
    setInterval: (delay?: number, value?: unknown, options?: { signal?: AbortSignal }) =>
      ticking(scope, delay, value, options),
    scheduler: {
      wait: (delay: number, options?: { signal?: AbortSignal }) => setTimeout(delay, undefined, options),
      yield: () => realPromises.scheduler.yield(),
    },
  });
}

function waiting(scope: ResourceOwner, name: 'setTimeout' | 'setImmediate') {
  return (...args: unknown[]): Promise<unknown> => {
    const at = name === 'setTimeout' ? 2 : 1;
    const { options, cancelled, owned } = cancellable(scope, name, args[at]);
    args[at] = options;
    const real = realPromises[name] as (...args: unknown[]) => Promise<unknown>;
    return real(...args).then(
      value => {
        owned.dispose();
        return value;
      },
      (error: unknown) => {
        owned.dispose();
        if (cancelled()) return new Promise(() => undefined);
        throw error;
      },
    );
  };
}

async function* ticking(
  scope: ResourceOwner,
  delay: number | undefined,
  value: unknown,
  given: { signal?: AbortSignal } | undefined,
): AsyncGenerator {
  const { options, cancelled, owned } = cancellable(scope, 'setInterval', given);
  try {
    yield* realPromises.setInterval(delay, value, options);
  } catch (error) {
    if (!cancelled()) throw error;
  } finally {
    owned.dispose();
  }
}

/** Adds to options a signal that also fires at the release; dispose `owned` when the operation has ended. */
export function cancellable(scope: ResourceOwner, what: string, given: unknown) {
  const controller = new AbortController();
  const signal =
    typeof given === 'object' && given !== null && 'signal' in given && given.signal instanceof AbortSignal
      ? AbortSignal.any([given.signal, controller.signal])
      : controller.signal;
  const owned = scope.own({
    what,
    kind: 'work',
    close: () => controller.abort(),
  });
  return {
    options: { ...(typeof given === 'object' ? given : {}), signal },
    cancelled: () => controller.signal.aborted,
    owned,
  };
}

function letGo(held: Map<unknown, Disposable>, handle: unknown): void {
  held.get(handle)?.dispose();
  held.delete(handle);
}

/** Makes `refresh` own the timer again, because it restarts even a timer that has fired. */
function refreshHolds(handle: unknown, hold: () => void): void {
  if (typeof handle !== 'object' || handle === null || !('refresh' in handle)) return;
  const { refresh } = handle;
  if (typeof refresh !== 'function') return;
  Object.defineProperty(handle, 'refresh', {
    configurable: true,
    value: (): unknown => {
      hold();
      return Reflect.apply(refresh, handle, []) as unknown;
    },
  });
}
