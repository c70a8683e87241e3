/** Marks a branch that the compiler proved unreachable; throws if outside data reaches it anyway. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}
