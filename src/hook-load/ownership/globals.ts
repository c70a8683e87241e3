import { AsyncLocalStorage } from 'node:async_hooks';
import { OWNED_GLOBALS } from '../compile/compile';
import type { ResourceOwner } from './resource-owner';
import { ownedClass } from './adopt';
import { cancellable, ownedTimers } from './timers';
import { createRequire, isBuiltin } from 'node:module';
import process from 'node:process';
import { Readable } from 'node:stream';
import { toDisposable, type Disposable } from '../../base/disposable';

type Listener = (...args: unknown[]) => unknown;

const real = createRequire(import.meta.url);
const ADDERS = new Set(['on', 'once', 'addListener', 'prependListener', 'prependOnceListener']);
const REMOVERS = new Set(['off', 'removeListener']);

/** Methods that end this process or change it for all code in it. */
const NOT_FOR_HOOKS = [
  'exit',
  'reallyExit',
  'abort',
  'chdir',
  'execve',
  'setUncaughtExceptionCaptureCallback',
] as const;

/** Replaces a method of `process` that a hook may not call; it throws an error that names the hook. */
function refusedMethod(scope: ResourceOwner, name: string, why: string): Listener {
  return (...args) => {
    const given = args.map(arg => (typeof arg === 'function' ? 'function' : String(arg))).join(', ');
    throw new Error(`${scope.owner} called process.${name}(${given}). A hook must not ${why}.`);
  };
}

/** `process.kill` that refuses this process, its group, and all processes at once, except for signal 0. */
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
 * The `process` object as one scope sees it: the scope owns listeners, errors of `nextTick` callbacks are reported,
 * methods that end the process or change it for all code throw, and everything else is the original.
 */
function ownedProcess(scope: ResourceOwner): object {
  const held = new Map<string | symbol, Map<Listener, Disposable[]>>();
  const add = (name: string, event: string | symbol, listener: Listener): unknown => {
    const what = `listener for process "${String(event)}"`;
    // An error in a listener for "exit" would keep this process from its end.
    const guarded: Listener = (...args) => scope.guarded(what, () => Reflect.apply(listener, view, args));
    call(name, event, guarded);
    const close = (): void => {
      process.removeListener(event, guarded);
    };
    const owned = scope.own({ what, kind: 'listener', close });
    const listeners = held.get(event) ?? new Map<Listener, Disposable[]>();
    const removal = toDisposable(() => {
      owned.dispose();
      close();
    });
    held.set(event, listeners.set(listener, [...(listeners.get(listener) ?? []), removal]));
    return view;
  };
  const remove = (name: string, event: string | symbol, listener: Listener): unknown => {
    const own = held.get(event)?.get(listener)?.pop();
    if (own === undefined) call(name, event, listener);
    else own.dispose();
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
        ? 'change the folder of the process that it runs in; use ctx.cwd'
        : 'end or take over the process that it runs in';
    replaced.set(name, refusedMethod(scope, name, why));
  }
  const { cwd, pi, protectsStdio } = scope;
  if (protectsStdio === true) replaced.set('stdin', Object.assign(Readable.from([]), { fd: 0 }));
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

/** The owned versions of {@link OWNED_GLOBALS}; a global that this version of Node does not have is undefined. */
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
  // Code that reads `globalThis.fetch` before it was replaced usually does so to wrap it, so it gets a version that
  // always calls the original.
  const found = {
    fetch: (input: string | URL | Request, init?: RequestInit) => ownedFetch(scope, direct, input, init),
  };
  return withGlobalObject({ ...members, Function }, false, found);
}

/** Adds a view of the global object. The view shows the members of `found`, and `members` where `found` has none. */
export function withGlobalObject(
  members: Readonly<Record<string, unknown>>,
  isOverlay: boolean,
  found: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const view = globalView({ members: { ...members, ...found }, isOverlay });
  return Object.freeze({ ...members, global: view, globalThis: view });
}

/**
 * `original` is the global `fetch` at the time of the load. If `replacement` is given, a `fetch` that later replaced it
 * is called instead; the storage says whether that replacement is running.
 */
interface Fetching {
  readonly original: typeof fetch;
  readonly replacement?: AsyncLocalStorage<true>;
}

/**
 * A `fetch` that is aborted when the scope is released; its promise then never settles and is garbage-collected. If
 * other code replaced the global `fetch`, the replacement is called. If the replacement calls this function, the
 * original is called.
 */
async function ownedFetch(
  scope: ResourceOwner,
  { original, replacement }: Fetching,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const current = globalThis.fetch;
  const isWrapped = current !== original;
  // A wrapper that this load installed stays in place after the release, so requests of all code still go through it.
  if (isWrapped && scope.isReleased) return await original(input, init);
  const call = (options: RequestInit): Promise<Response> =>
    isWrapped && replacement !== undefined && replacement.getStore() === undefined
      ? replacement.run(true, () => current(input, options))
      : original(input, options);
  const given = init?.signal === undefined && input instanceof Request ? { ...init, signal: input.signal } : init;
  const { options, cancelled, owned } = cancellable(scope, 'fetch', given);
  try {
    return await call(options);
  } catch (error) {
    if (cancelled()) return await new Promise(() => undefined);
    throw error;
  } finally {
    owned.dispose();
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

/** How to make the view of the global object for a hook. */
interface GlobalView {
  /** Owned versions of globals, by name. */
  readonly members: Readonly<Record<string, unknown>>;
  /** If true, what the hook writes stays in this view: for copies of a hook that must not affect the running one. */
  readonly isOverlay?: boolean;
}

/** Names of the global object itself. */
const ITSELF: ReadonlySet<PropertyKey> = new Set(['globalThis', 'global']);

/**
 * The global object as one load sees it: `globalThis.setTimeout` is the same owned version as `setTimeout` alone. All
 * code sees what the hook writes to it, unless `isOverlay`. A global that other code replaced after the load is not
 * owned.
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
  // The property must stay configurable: a proxy may not report one as non-configurable if its target does not have it
  // so.
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
