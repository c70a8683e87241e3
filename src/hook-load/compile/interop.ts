/** The name that compiled code passes to `require` to get {@link interop}. */
export const INTEROP_MODULE = 'hookline:interop';

type Exports = Record<string, unknown>;

const namespaces = new WeakMap<object, Exports>();

/** What compiled modules call to import modules that may be CommonJS, with the results that Babel's helpers give. */
export const interop = {
  /** The module as an object with a `default`, which is a CommonJS module itself. */
  default: (module: unknown): unknown => (isEsModule(module) ? module : { default: module }),

  /** The module as a namespace object. A CommonJS module gets the same one each time. */
  namespace: namespaceOf,

  /** The same for an `import()`. */
  later: async (loading: Promise<unknown>): Promise<unknown> => namespaceOf(await loading),

  /** Adds the exports of a module to those of another one; `own` are the names that the other one exports by itself. */
  exportAll: (exports: Exports, module: unknown, own: readonly string[]): void => {
    if (!isObject(module)) return;
    for (const key of Object.keys(module)) {
      if (key === 'default' || key === '__esModule' || own.includes(key)) continue;
      if (key in exports && exports[key] === module[key]) continue;
      Object.defineProperty(exports, key, { enumerable: true, get: () => module[key] });
    }
  },
};

function namespaceOf(module: unknown): unknown {
  if (isEsModule(module)) return module;
  const known = isObject(module) ? namespaces.get(module) : undefined;
  if (known !== undefined) return known;
  const namespace: Exports = { __proto__: null, default: module };
  if (!isObject(module)) return namespace;
  namespaces.set(module, namespace);
  for (const key in module) {
    if (key === 'default' || !Object.hasOwn(module, key)) continue;
    const property = Object.getOwnPropertyDescriptor(module, key);
    if (property?.get === undefined && property?.set === undefined) namespace[key] = module[key];
    else Object.defineProperty(namespace, key, property);
  }
  return namespace;
}

function isEsModule(module: unknown): boolean {
  return isObject(module) && Boolean(module['__esModule']);
}

function isObject(value: unknown): value is Exports {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
