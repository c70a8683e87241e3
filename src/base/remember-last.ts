import { areSame } from './are-same';

/**
 * A function that makes something from its arguments, and gives what it made last again while each of them is the same
 * as then. What it makes must depend on nothing else.
 */
export function rememberLast<A extends readonly unknown[], V>(make: (...args: A) => V): (...args: A) => V {
  let last: { readonly args: A; readonly made: V } | undefined;
  return (...args) => {
    if (last === undefined || !areSame(last.args, args)) last = { args, made: make(...args) };
    return last.made;
  };
}
