import { clipped } from '../../base/text/clipped';

/** Functions that define suites, as in mocha; those with `x` skip them. */
export const SUITE_FUNCTIONS = ['describe', 'context', 'xdescribe', 'xcontext'] as const;

/** Functions that define tests, as in mocha; those with `x` skip them. */
export const TEST_FUNCTIONS = ['it', 'specify', 'xit', 'xspecify'] as const;

/** Characters; a longer title is cut. */
const LONGEST_TITLE = 500;

/** What a suite or test is called here, in the list and when it runs; `given` is what its file says. */
export function testTitle(given: unknown): string {
  return clipped(String(given), LONGEST_TITLE);
}

/**
 * Gives each suite and test of one file its id. The same title in the same suite gets another id each time, so the file
 * must be read, or run, in its own order.
 */
export class TestIds {
  private readonly counts = new Map<string, number>();

  /** The id of the next suite or test with this title. `parent`: id of the suite around it, or the file's path. */
  next(parent: string, title: string): string {
    const id = `${parent} › ${JSON.stringify(title)}`;
    const count = (this.counts.get(id) ?? 0) + 1;
    this.counts.set(id, count);
    return count === 1 ? id : `${id} (${count})`;
  }
}
