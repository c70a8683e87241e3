import { AsyncLocalStorage } from 'node:async_hooks';
import { OWNED_GLOBALS } from '../compile/compile';
import type { ResourceOwner } from './resource-owner';
import { ownedClass } from './adopt';
import { cancellable, ownedTimers } from './timers';
import { createRequire, isBuiltin } from 'node:module';
import process from 'node:process';
import type { Disposable } from '../../../base/disposable';

type Listener = (...args: unknown[]) => unknown;

const real = createRequire(import.meta.url);
const ADDERS = new Set(['on', 'once', 'addListener', 'prependListener', 'prependOnceListener']);
const REMOVERS = new Set(['off', 'removeListener']);

/** Methods that end this process or change it for everybody. */
const NOT_FOR_HOOKS = [
  'exit',
  'reallyExit',
  'abort',
  'chdir',
  'execve',
  'setUncaughtExceptionCaptureCallback',
] as const;

/** Stands for a method of `process` that a hook may not call; what it throws names the hook. */
function refusedMethod(scope: ResourceOwner, name: string, why: string): Listener {
  return (...args) => {
    const given = args.map(arg => (typeof arg === 'function' ? 'function' : String(arg))).join(', ');
    throw new Error(`${scope.owner} called process.${name}(${given}). A hook must not ${why}.`);
  };
}

/** `process.kill` for everything but this process, its group, and all processes at once; asking whether it lives is free. */
function killOthers(scope: ResourceOwner): Listener {
  const refused = refusedMethod(scope, 'kill', 'end the process that it runs in');
  return (pid, ...rest) => {
    const [signal] = rest;
    const isMeantForAll = [process.pid, -process.pid, 0, -1].includes(Number(pid));
    if (isMeantForAll && signal !== 0) return refused(pid, ...rest);
    return Reflect.apply(Reflect.get(process, 'kill') as Listener, process, [pid, ...rest]);
  };
}

/**
 * The `process` object as one scope sees it: its listeners and `nextTick` callbacks are owned, what ends the process or
 * changes it for everybody throws, and all else is the original.
 */
function ownedProcess(scope: ResourceOwner): object {
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
  replaced.set('kill', killOthers(scope));
  for (const name of NOT_FOR_HOOKS) {
    if (Reflect.get(process, name) === undefined) continue;
    const why =
      name === 'chdir'
        ? 'move the process that it runs in; use ctx.cwd'
        : 'end or take over the process that it runs in';
    replaced.set(name, refusedMethod(scope, name, why));
  }
  const { cwd, pi } = scope;
  if (cwd !== undefined) replaced.set('cwd', () => cwd);
  if (pi !== undefined) replaced.set('argv', pi.argv);
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

/** The owned versions of {@link OWNED_GLOBALS}; those that this Node does not have are undefined, as they were. */
export function ownedGlobals(scope: ResourceOwner): Readonly<Record<string, unknown>> {
  const direct = { original: globalThis.fetch };
  const fetching = { ...direct, replacement: new AsyncLocalStorage<true>() };
  const owned: Record<string, unknown> = {
    ...ownedTimers(scope),
    process: ownedProcess(scope),
    queueMicrotask: (callback: () => unknown) =>
      queueMicrotask(() => scope.guarded('queueMicrotask callback', callback)),
    fetch: (input: string | URL | Request, init?: RequestInit) => ownedFetch(scope, fetching, input, init),
    ...Object.fromEntries(['BroadcastChannel', 'EventSource', 'WebSocket'].map(name => [name, closable(scope, name)])),
  };
  const members = Object.fromEntries(OWNED_GLOBALS.map(name => [name, owned[name]]));
  // Whoever reads it off the global object while it is the one that was found is about to wrap it.
  const found = {
    fetch: (input: string | URL | Request, init?: RequestInit) => ownedFetch(scope, direct, input, init),
  };
  return withGlobalObject({ ...members, Function }, false, found);
}

/** Adds the global object that leads to these members, and to those of `found` instead where it has one. */
export function withGlobalObject(
  members: Readonly<Record<string, unknown>>,
  isOverlay: boolean,
  found: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const view = globalView({ members: { ...members, ...found }, isOverlay });
  return Object.freeze({ ...members, global: view, globalThis: view });
}

/** The `fetch` that a load found. With `replacement`, which tells whether its code runs, one that replaced it is called. */
interface Fetching {
  readonly original: typeof fetch;
  readonly replacement?: AsyncLocalStorage<true>;
}

/**
 * Ends with the scope: what waits for the answer then waits for ever, and is collected. A `fetch` that somebody put into
 * the place of the one that was found is called; when that calls this one, as one that wraps it does, it means what was
 * found.
 */
async function ownedFetch(
  scope: ResourceOwner,
  { original, replacement }: Fetching,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const current = globalThis.fetch;
  const isWrapped = current !== original;
  // What wraps it stays in place when its load ends, and everybody's requests go through it.
  if (isWrapped && scope.isReleased) return await original(input, init);
  const call = (options: RequestInit): Promise<Response> =>
    isWrapped && replacement !== undefined && replacement.getStore() === undefined
      ? replacement.run(true, () => current(input, options))
      : original(input, options);
  const given = init?.signal === undefined && input instanceof Request ? { ...init, signal: input.signal } : init;
  const { options, cancelled, settled } = cancellable(scope, 'fetch', given);
  try {
    return await call(options);
  } catch (error) {
    if (cancelled()) return await new Promise(() => undefined);
    throw error;
  } finally {
    settled.dispose();
  }
}

type Closable = EventTarget & { close(): void };

function closable(scope: ResourceOwner, name: string): unknown {
  const original: unknown = Reflect.get(globalThis, name);
  if (typeof original !== 'function') return undefined;
  return ownedClass(original as new (...args: never[]) => Closable, instance => {
    const close = (): void => {
      instance.close();
    };
    const held = scope.own({ what: name, kind: 'work', close });
    instance.addEventListener('close', () => held.dispose());
  });
}

/** How a hook sees the global object. */
interface GlobalView {
  /** Owned versions of globals, by name. */
  readonly members: Readonly<Record<string, unknown>>;
  /** What the hook writes stays with this view: for copies of a hook that must not disturb the one at work. */
  readonly isOverlay?: boolean;
}

/** Names by which code gets at the global object itself. */
const ITSELF: ReadonlySet<PropertyKey> = new Set(['globalThis', 'global']);

/**
 * The global object as one load sees it: what opens or starts something is the load's own version, as it is where a hook
 * names it without `globalThis`. What a hook writes is seen by everybody, unless `isOverlay`; a global that was replaced
 * since is no longer ours to own.
 */
function globalView({ members, isOverlay = false }: GlobalView): object {
  const originals = new Map(Object.keys(members).map(name => [name, Reflect.get(globalThis, name) as unknown]));
  const written = {};
  const touched = new Set<PropertyKey>();
  const owned = (key: PropertyKey): unknown => {
    if (ITSELF.has(key)) return view;
    if (typeof key !== 'string' || !Object.hasOwn(members, key)) return undefined;
    return Reflect.get(globalThis, key) === originals.get(key) ? members[key] : undefined;
  };
  // A proxy may claim that a property cannot change only if its target says so too.
  const write = (key: PropertyKey, descriptor: PropertyDescriptor): boolean => {
    touched.add(key);
    return Reflect.defineProperty(written, key, { ...descriptor, configurable: true });
  };
  const view: object = new Proxy(globalThis, {
    get(target, key) {
      if (touched.has(key)) return Reflect.get(written, key, view) as unknown;
      return owned(key) ?? (Reflect.get(target, key, target) as unknown);
    },
    has: (target, key) => (touched.has(key) ? Object.hasOwn(written, key) : Reflect.has(target, key)),
    getOwnPropertyDescriptor(target, key) {
      const real = Reflect.getOwnPropertyDescriptor(target, key);
      if (real?.configurable === false) return real;
      if (touched.has(key)) return Reflect.getOwnPropertyDescriptor(written, key);
      const value = owned(key);
      if (value === undefined) return real;
      return { value, writable: true, enumerable: real?.enumerable ?? false, configurable: true };
    },
    set(target, key, value) {
      if (!isOverlay) return Reflect.set(target, key, value, target);
      return write(key, { value: value as unknown, writable: true, enumerable: true });
    },
    defineProperty(target, key, descriptor) {
      return isOverlay ? write(key, descriptor) : Reflect.defineProperty(target, key, descriptor);
    },
    deleteProperty(target, key) {
      if (!isOverlay) return Reflect.deleteProperty(target, key);
      touched.add(key);
      return Reflect.deleteProperty(written, key);
    },
  });
  return view;
}
