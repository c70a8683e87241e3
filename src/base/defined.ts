import { put } from './json/json';

type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The members that are not undefined: for readers who tell an undefined member from an absent one, such as hooks and JSON. */
export function defined<T extends object>(members: T): Defined<T> {
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(members)) {
    const value = (members as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) put(kept, name, value);
  }
  return kept as Defined<T>;
}
