import { areSame } from './are-same';

/**
 * A function that makes a value from its arguments, and returns its last value again as long as all arguments are the
 * same. The value must depend on nothing else.
 */
export function rememberLast<A extends readonly unknown[], V>(make: (...args: A) => V): (...args: A) => V {
  let last: { readonly args: A; readonly made: V } | undefined;
  return (...args) => {
    if (last === undefined || !areSame(last.args, args)) last = { args, made: make(...args) };
    return last.made;
  };
}
