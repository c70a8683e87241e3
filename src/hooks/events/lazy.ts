/** What functions that work out members give, by name. */
type WorkedOutBy<Members> = { [K in keyof Members]: Members[K] extends () => infer Value ? Value : never };

/**
 * Adds members that are worked out on first reading, enumerable and assignable like any other, so that hooks may spread,
 * log, clone and overwrite what they got.
 */
export function lazy<T extends object, Members extends Readonly<Record<string, () => unknown>>>(
  target: T,
  members: Members,
): T & WorkedOutBy<Members> {
  for (const name of Object.keys(members)) {
    const compute = members[name] as () => unknown;
    Object.defineProperty(target, name, {
      enumerable: true,
      configurable: true,
      get(this: object): unknown {
        const value = compute();
        settle(this, name, value);
        return value;
      },
      set(this: object, value: unknown) {
        settle(this, name, value);
      },
    });
  }
  return target as T & WorkedOutBy<Members>;
}

function settle(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
