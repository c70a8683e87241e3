import type Mocha from 'mocha';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A test takes about as long to open a window of VS Code as to run this many bytes of tests. */
const WINDOW_BYTES = 6000;
/** Matches a call that opens a window or loads it again. */
const WINDOW = /\b(?:openWorkbench|openWindow|windowOpenedBy|reload|load)\(/g;

/** Sorts end-to-end tests by the time that they probably take, the longest file first. Paths are absolute. */
export function longestFirst(files: readonly string[]): readonly string[] {
  const sized = files.map(file => {
    const text = readFileSync(file, 'utf8');
    return { file, size: text.length + WINDOW_BYTES * [...text.matchAll(WINDOW)].length };
  });
  return sized.sort((a, b) => b.size - a.size).map(({ file }) => file);
}

/**
 * Lets several processes that have loaded the same test files run each file in one of them. Takes the suites of all files
 * from the root suite, and returns a function that gives it those of the next file that no process has claimed, and returns
 * all suites of that file. Mocha looks for its next suite when one has ended, so the function must be called before the last
 * one ends.
 *
 * @param claims - absolute path of a folder in which the processes claim files; it must be empty at the start
 * @param hasTests - whether a suite has tests to run; a file without any is passed over
 */
export function shareFiles(
  root: Mocha.Suite,
  claims: string,
  hasTests: (suite: Mocha.Suite) => boolean,
): () => readonly Mocha.Suite[] {
  const waiting = new Map<string, Mocha.Suite[]>();
  for (const suite of root.suites.splice(0)) {
    const { file = '' } = suite;
    waiting.set(file, [...(waiting.get(file) ?? []), suite]);
  }
  return () => {
    for (const [file, suites] of waiting) {
      waiting.delete(file);
      const some = suites.filter(hasTests);
      if (some.length === 0 || !claim(join(claims, basename(file)))) continue;
      root.suites.push(...some);
      return suites;
    }
    return [];
  };
}

/** Makes a file that marks something as taken; false if another process was faster. */
function claim(mark: string): boolean {
  try {
    closeSync(openSync(mark, 'wx'));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
