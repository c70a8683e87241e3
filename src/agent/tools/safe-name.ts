/** Longest name that every provider takes. */
const MAX_LENGTH = 64;

/**
 * A name that every provider takes for a tool: letters, digits, `_` and `-`, at most 64 of them. `taken` tells which names
 * are in use; such a name gets `prefix` in front, and a number behind it if even that is taken.
 */
export function safeToolName(name: string, prefix: string, taken: (name: string) => boolean): string {
  const plain = name.replace(/[^\w-]/g, '_').slice(0, MAX_LENGTH);
  if (plain !== '' && !taken(plain)) return plain;
  const long = `${prefix}${plain}`.slice(0, MAX_LENGTH);
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `_${number}`;
    const candidate = `${long.slice(0, MAX_LENGTH - suffix.length)}${suffix}`;
    if (!taken(candidate)) return candidate;
  }
}
