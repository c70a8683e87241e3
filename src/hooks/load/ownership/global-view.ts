/** How a hook sees the global object. */
export interface GlobalView {
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
export function globalView({ members, isOverlay = false }: GlobalView): object {
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
