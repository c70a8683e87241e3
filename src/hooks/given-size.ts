/** The most that a hook may give at once, in characters. Each copy of a longer text takes a good part of the memory. */
const MOST_GIVEN = 64_000_000;
/** The same for what people are shown. */
export const MOST_SHOWN = 4_000_000;
/** What a value counts beside its text, since a number or an empty object takes memory, too. */
const VALUE_CHARACTERS = 16;

/**
 * Refuses what a hook answers, sends or stores if it is too large to be copied, stored and sent. The work is bounded by
 * the limit. Throws an error that says so, and what getters of the value throw.
 */
export function refuseTooLarge(value: unknown, limit = MOST_GIVEN): void {
  const seen = new Set<object>();
  const pending: unknown[] = [value];
  let left = limit;
  while (pending.length > 0) {
    const each = pending.pop();
    left -= VALUE_CHARACTERS + (typeof each === 'string' ? each.length : 0);
    if (ArrayBuffer.isView(each)) left -= each.byteLength;
    else if (typeof each === 'object' && each !== null && !seen.has(each)) {
      seen.add(each);
      const names = Object.keys(each);
      left -= VALUE_CHARACTERS * names.length;
      if (left >= 0) for (const name of names) pending.push(Reflect.get(each, name));
    }
    if (left < 0) throw new RangeError(`The hook gave more than ${limit / 1e6} million characters at once.`);
  }
}
