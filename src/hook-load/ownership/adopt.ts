import { errorMonitor, type EventEmitter } from 'node:events';
import type { Disposable } from '../../base/disposable';
import type { OwnedThing, ResourceOwner } from './resource-owner';

type Listener = (...args: unknown[]) => unknown;

/** Is called for each event before the listeners. */
export type Observer = (event: string | symbol, args: readonly unknown[]) => void;

/**
 * Prevents an emitter of the hook from ending the process: a listener that throws or rejects, and an `error` event
 * without a listener, are reported to the scope. Only this object changes, not its class.
 */
export function guardEmitter(scope: ResourceOwner, emitter: EventEmitter, what: string, observe?: Observer): void {
  const emit = (event: string | symbol, ...args: unknown[]): boolean => {
    observe?.(event, args);
    if (event === 'error' && emitter.listenerCount(errorMonitor) > 0) emit(errorMonitor, ...args);
    const listeners = emitter.rawListeners(event) as Listener[];
    for (const listener of listeners) {
      scope.guarded(`${what}, on "${String(event)}"`, () => Reflect.apply(listener, emitter, args));
    }
    // After the release, errors are not reported, because closing causes them.
    if (event === 'error' && listeners.length === 0 && !scope.isReleased) scope.report(args[0], what);
    return listeners.length > 0;
  };
  Object.defineProperty(emitter, 'emit', { value: emit, writable: true, configurable: true, enumerable: false });
}

/** That the scope owns something. */
export interface Ownership {
  /** The scope does not close it. May be called twice. */
  letGo(): void;
  /** The scope closes it again. May be called twice. */
  hold(): void;
}

/** Guards an emitter; the scope owns it until it emits one of `ends` (by default `close`), or until the claim lets it go. */
export function adoptEmitter(
  scope: ResourceOwner,
  emitter: EventEmitter,
  thing: OwnedThing,
  options: { readonly ends?: readonly string[]; readonly observe?: Observer } = {},
): Ownership {
  const ends = options.ends ?? ['close'];
  let held: Disposable | undefined;
  const claim: Ownership = {
    letGo: () => {
      held?.dispose();
      held = undefined;
    },
    hold: () => {
      held ??= scope.own(thing);
    },
  };
  guardEmitter(scope, emitter, thing.what, (event, args) => {
    if (typeof event === 'string' && ends.includes(event)) claim.letGo();
    options.observe?.(event, args);
  });
  claim.hold();
  return claim;
}

/** Resolves at the next event of this name; never rejects. */
export function happens(emitter: EventEmitter, event: string): Promise<void> {
  return new Promise(resolve => {
    emitter.once(event, () => resolve());
  });
}

/**
 * The class as the hook sees it: `new`, calls, subclasses and `instanceof` work as with the original, and each new
 * instance is passed to `adopt`.
 */
export function ownedClass<T extends object>(
  original: new (...args: never[]) => T,
  adopt: (instance: T) => void,
): new (...args: never[]) => T {
  const taken = (instance: unknown): unknown => {
    if (instance instanceof original) adopt(instance);
    return instance;
  };
  const owned: typeof original = new Proxy(original, {
    construct: (target, args, newTarget) =>
      taken(Reflect.construct(target, args, newTarget === owned ? target : newTarget)) as object,
    // Node's older classes can be called without `new`, for example as super constructors.
    apply: (target, self, args) => taken(Reflect.apply(target as unknown as Listener, self, args) ?? self),
  });
  return owned;
}

type Func = (...args: never[]) => unknown;

/**
 * The function as the hook sees it: each result is passed to `adopt`; members such as `promisify.custom` are copied.
 */
export function ownedFunction<F extends Func>(original: F, adopt: (result: ReturnType<F>, args: unknown[]) => void): F {
  const owned = (...args: unknown[]): unknown => {
    const result = Reflect.apply(original, undefined, args) as ReturnType<F>;
    adopt(result, args);
    return result;
  };
  Object.defineProperties(owned, Object.getOwnPropertyDescriptors(original));
  return owned as unknown as F;
}

/**
 * A copy of a module with some members replaced, for every kind of import: named, default, namespace and `require`.
 * Getters of the original stay getters.
 */
export function moduleWith(original: object, replaced: Readonly<Record<string, unknown>>): object {
  const descriptors: Record<string, PropertyDescriptor> = Object.getOwnPropertyDescriptors(original);
  for (const [name, value] of Object.entries(replaced)) {
    descriptors[name] = { value, writable: true, enumerable: true, configurable: true };
  }
  const copy = Object.defineProperties({}, descriptors);
  Object.defineProperty(copy, 'default', { value: copy, enumerable: false, configurable: true, writable: true });
  Object.defineProperty(copy, '__esModule', { value: true, enumerable: false });
  return copy;
}
