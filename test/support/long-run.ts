import { tried } from './tried';

/** Whether `npm run test:long` runs: soaks and fuzzes at full length. */
const isLong = process.env['HOOKLINE_TEST_LONG'] === 'yes';

/** How often a soak goes round, or how much it goes through. */
export function rounds(short: number, long: number): number {
  return isLong ? long : short;
}

/** For `fc.assert`: some runs, with the same values each time, or many with new ones. They count as tries of the test. */
export function runs(short: number, long: number): { readonly numRuns: number; readonly seed?: number } {
  tried(isLong ? long : short);
  return isLong ? { numRuns: long } : { numRuns: short, seed: 1 };
}
