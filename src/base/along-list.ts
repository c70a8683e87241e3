/**
 * A function that makes a value of a list, element by element. If a list begins with the elements that it had last
 * time, only the later elements are added to the value; otherwise, a new value is made. Compares references, a thousand
 * in a microsecond.
 */
export function alongList<T extends object, V>(
  begin: () => V,
  add: (made: V, element: T) => void,
): (list: readonly T[]) => V {
  const known = new WeakMap<readonly T[], { readonly from: T[]; readonly made: V }>();
  return list => {
    const last = known.get(list);
    const { from, made } = last !== undefined && startsWith(list, last.from) ? last : { from: [], made: begin() };
    for (let at = from.length; at < list.length; at++) {
      const element = list[at];
      if (element === undefined) continue;
      from.push(element);
      add(made, element);
    }
    if (made !== last?.made) known.set(list, { from, made });
    return made;
  };
}

function startsWith(list: readonly object[], start: readonly object[]): boolean {
  if (list.length < start.length) return false;
  for (let at = 0; at < start.length; at++) if (list[at] !== start[at]) return false;
  return true;
}
