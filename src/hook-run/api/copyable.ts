/**
 * Makes an object whose members are getters of its prototype look like pi's plain object: copies (`{ ...ctx }`), objects
 * derived from it and proxies around it have all of its members.
 */
export function copyable<T extends object>(object: T): T {
  return new Proxy<T>(object, AS_OWN);
}

const AS_OWN: ProxyHandler<object> = {
  get: (target, name) => memberOf(target, name),
  ownKeys: target => [...new Set([...Reflect.ownKeys(target), ...namesOf(Reflect.getPrototypeOf(target))])],
  getOwnPropertyDescriptor: (target, name) => {
    const own = Reflect.getOwnPropertyDescriptor(target, name);
    if (own !== undefined || !namesOf(Reflect.getPrototypeOf(target)).has(name)) return own;
    return { get: () => memberOf(target, name), enumerable: true, configurable: true };
  },
};

/** The getter runs on the object itself, whatever was derived from it. */
function memberOf(target: object, name: PropertyKey): unknown {
  return Reflect.get(target, name, target);
}

const known = new WeakMap<object, ReadonlySet<string | symbol>>();

/** Members of a prototype and of those above it, without those of all objects. */
function namesOf(prototype: object | null): ReadonlySet<string | symbol> {
  if (prototype === null || prototype === Object.prototype) return NOTHING;
  const found = known.get(prototype);
  if (found !== undefined) return found;
  const names = new Set([...Reflect.ownKeys(prototype), ...namesOf(Reflect.getPrototypeOf(prototype))]);
  names.delete('constructor');
  known.set(prototype, names);
  return names;
}

const NOTHING: ReadonlySet<string | symbol> = new Set();
