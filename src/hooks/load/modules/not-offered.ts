/** What promises and module loaders look for on anything. */
const ASKED_BY_LOADERS = /^(then|default|__.*)$/;

const standIns = new WeakSet();

/** Gives the stand-ins a prototype, so that they can be extended. */
function Absent(): void {
  // Never called: the stand-in refuses first.
}

/**
 * A stand-in for something that a module of the time exports and this runtime does not have. It can be imported,
 * extended, passed on and taken apart; calling or constructing it, or any member of it, throws and says so.
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

/** Whether a value is such a stand-in. */
export function isNotOffered(value: unknown): boolean {
  return typeof value === 'function' && standIns.has(value);
}

/** Stand-ins by name. */
export function notOfferedMembers(
  specifier: string,
  names: readonly string[],
  instead?: string,
): Record<string, object> {
  return Object.fromEntries(names.map(name => [name, notOffered(specifier, name, instead)]));
}
