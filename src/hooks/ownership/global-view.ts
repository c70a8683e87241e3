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
  const written = new Map<PropertyKey, PropertyDescriptor | undefined>();
  const owned = (key: PropertyKey): unknown => {
    if (ITSELF.has(key)) return view;
    if (typeof key !== 'string' || !Object.hasOwn(members, key)) return undefined;
    return Reflect.get(globalThis, key) === originals.get(key) ? members[key] : undefined;
  };
  const ownWrite = (key: PropertyKey, descriptor: PropertyDescriptor | undefined): boolean => {
    written.set(key, descriptor);
    return true;
  };
  const view: object = new Proxy(globalThis, {
    get(target, key) {
      if (written.has(key)) return valueOf(written.get(key), view);
      return owned(key) ?? (Reflect.get(target, key, target) as unknown);
    },
    has: (target, key) => (written.has(key) ? written.get(key) !== undefined : Reflect.has(target, key)),
    getOwnPropertyDescriptor(target, key) {
      const real = Reflect.getOwnPropertyDescriptor(target, key);
      if (real?.configurable === false) return real;
      if (written.has(key)) return configurable(written.get(key));
      const value = owned(key);
      return value === undefined
        ? real
        : configurable({ value, writable: true, enumerable: real?.enumerable ?? false });
    },
    set(target, key, value) {
      if (!isOverlay) return Reflect.set(target, key, value, target);
      return ownWrite(key, { value: value as unknown, writable: true, enumerable: true });
    },
    defineProperty(target, key, descriptor) {
      return isOverlay ? ownWrite(key, descriptor) : Reflect.defineProperty(target, key, descriptor);
    },
    deleteProperty(target, key) {
      return isOverlay ? ownWrite(key, undefined) : Reflect.deleteProperty(target, key);
    },
  });
  return view;
}

function valueOf(descriptor: PropertyDescriptor | undefined, self: object): unknown {
  return descriptor !== undefined && 'get' in descriptor
    ? Reflect.get(Object.defineProperty({}, 'own', { get: descriptor.get }), 'own', self)
    : (descriptor?.value as unknown);
}

/** A proxy may claim that a property cannot change only if its target says so too. */
function configurable(descriptor: PropertyDescriptor | undefined): PropertyDescriptor | undefined {
  return descriptor === undefined ? undefined : { ...descriptor, configurable: true };
}
