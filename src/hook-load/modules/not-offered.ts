/** Members that promises and module loaders read on any value. */
const ASKED_BY_LOADERS = /^(then|default|__.*)$/;

const standIns = new WeakSet();

/** The target of the stand-ins: its prototype lets a class extend them. */
function Absent(): void {
  // Never called: the proxy throws first.
}

/**
 * A stand-in for an export that some version of pi has and this runtime does not. Code can import it, extend it, pass
 * it on and read its members. Calling or constructing it or one of its members throws an error that says that it is not
 * available. `instead` is a hint that the error ends with.
 */
export function notOffered(specifier: string, name: string, instead?: string): object {
  const refuse = (): never => {
    const hint = instead === undefined ? '' : `; ${instead}`;
    throw new Error(`'${name}' of '${specifier}' is not available in this runtime${hint}.`);
  };
  const standIn = new Proxy(Absent, {
    apply: refuse,
    construct: refuse,
    get: (target, key) => {
      if (typeof key === 'symbol' || key in target || ASKED_BY_LOADERS.test(key)) {
        return Reflect.get(target, key) as unknown;
      }
      return notOffered(specifier, `${name}.${key}`, instead);
    },
  });
  standIns.add(standIn);
  return standIn;
}

/** Whether a value was made by {@link notOffered}. */
export function isNotOffered(value: unknown): boolean {
  return typeof value === 'function' && standIns.has(value);
}

/** Makes a stand-in with {@link notOffered} for each name. */
export function notOfferedMembers(
  specifier: string,
  names: readonly string[],
  instead?: string,
): Record<string, object> {
  return Object.fromEntries(names.map(name => [name, notOffered(specifier, name, instead)]));
}
