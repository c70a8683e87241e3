type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that are not undefined: for readers who tell an undefined member from an absent one, such as hooks and JSON. */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
