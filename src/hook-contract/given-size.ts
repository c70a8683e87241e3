/** The most that a hook may give at once, in characters. Each copy of a longer text takes a good part of the memory. */
const MOST_GIVEN = 64_000_000;
/** The same for what people are shown. */
export const MOST_SHOWN = 4_000_000;
/** What a value counts beside its text, since a number or an empty object takes memory, too. */
const VALUE_CHARACTERS = 16;

/**
 * Refuses what a hook answers, sends or stores if it is too large to be copied, stored and sent. What is in it several times
 * counts each time, as in JSON, but for a value inside of itself. The work is bounded by the limit. Throws an error that says
 * so, and what getters of the value throw.
 */
export function refuseTooLarge(value: unknown, limit = MOST_GIVEN): void {
  const above = new Set<object>();
  /** What is still to be counted, and where an object is left again. */
  const pending: { readonly value: unknown; readonly isLeft?: true }[] = [{ value }];
  let left = limit;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const each = next.value;
    if (typeof each === 'object' && each !== null) {
      if (next.isLeft === true) above.delete(each);
      if (next.isLeft === true || above.has(each)) continue;
      above.add(each);
      pending.push({ value: each, isLeft: true });
      const members = left > 0 ? valuesIn(each) : [];
      left -= VALUE_CHARACTERS * members.length;
      if (left >= 0) for (const member of members) pending.push({ value: member });
    }
    left -= VALUE_CHARACTERS + sizeOf(each);
    if (left < 0) throw new RangeError(`The hook gave more than ${limit / 1e6} million characters at once.`);
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return ArrayBuffer.isView(value) ? value.byteLength : 0;
}

function valuesIn(value: object): readonly unknown[] {
  if (ArrayBuffer.isView(value)) return [];
  if (value instanceof Map || value instanceof Set) return [...value.entries()];
  return Object.keys(value).map((name): unknown => Reflect.get(value, name));
}
