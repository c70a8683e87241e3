import { createRequire, isBuiltin } from 'node:module';
import process from 'node:process';
import type { Disposable } from '../../../base/disposable';
import type { ResourceOwner } from './resource-owner';

type Listener = (...args: unknown[]) => unknown;

const real = createRequire(import.meta.url);
const ADDERS = new Set(['on', 'once', 'addListener', 'prependListener', 'prependOnceListener']);
const REMOVERS = new Set(['off', 'removeListener']);

/** The `process` object as one scope sees it: its listeners and `nextTick` callbacks are owned, all else is the original. */
export function ownedProcess(scope: ResourceOwner): object {
  const held = new Map<string | symbol, Map<Listener, Disposable[]>>();
  const forget = (event: string | symbol, listener: Listener): void => {
    held.get(event)?.get(listener)?.pop()?.dispose();
  };
  const add = (name: string, event: string | symbol, listener: Listener): unknown => {
    call(name, event, listener);
    const close = (): void => {
      process.removeListener(event, listener);
    };
    const owned = scope.own({ what: `listener for process "${String(event)}"`, kind: 'listener', close });
    const listeners = held.get(event) ?? new Map<Listener, Disposable[]>();
    held.set(event, listeners.set(listener, [...(listeners.get(listener) ?? []), owned]));
    return view;
  };
  const remove = (name: string, event: string | symbol, listener: Listener): unknown => {
    forget(event, listener);
    call(name, event, listener);
    return view;
  };
  const nextTick = (callback: Listener, ...args: unknown[]): void => {
    process.nextTick(() => scope.guarded('process.nextTick callback', () => callback(...args)));
  };
  const replaced = new Map<string | symbol, unknown>([
    ['nextTick', nextTick],
    [
      'getBuiltinModule',
      (name: string) => (isBuiltin(name) ? (scope.builtin(name) ?? (real(name) as unknown)) : undefined),
    ],
  ]);
  for (const name of ADDERS) replaced.set(name, (event: string, listener: Listener) => add(name, event, listener));
  for (const name of REMOVERS) replaced.set(name, (event: string, listener: Listener) => remove(name, event, listener));
  const view: object = new Proxy(process, {
    get: (target, key): unknown => {
      if (key === 'default') return view;
      if (key === '__esModule') return true;
      return replaced.get(key) ?? (Reflect.get(target, key, target) as unknown);
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
  return view;
}

function call(name: string, event: string | symbol, listener: Listener): void {
  const method: unknown = Reflect.get(process, name);
  if (typeof method === 'function') Reflect.apply(method, process, [event, listener]);
}
