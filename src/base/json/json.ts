/** Plain data as it can be written to a file. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/** Adds a member whatever its name: assignment would lose one named `__proto__`. */
export function put<V>(target: Record<string, V>, name: string, member: V): void {
  if (name === '__proto__') Object.defineProperty(target, name, { value: member, enumerable: true });
  else target[name] = member;
}

/** `Array.isArray` does not narrow lists that are read-only. */
export function isJsonList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
