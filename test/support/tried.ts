import { TRIES } from '../../scripts/support/mocha-run';

/**
 * Counts attacks that the running test goes through, for the tables of docs/reliability.md; a test that does not call this is one.
 */
export function tried(count = 1): void {
  const counted: unknown = Reflect.get(globalThis, TRIES);
  Reflect.set(globalThis, TRIES, (typeof counted === 'number' ? counted : 0) + count);
}
