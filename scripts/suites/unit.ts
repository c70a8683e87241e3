import { join } from 'node:path';
import { buildCommandLine } from '../build/command-line.ts';
import { bundleSuite } from '../bundle-tests.ts';
import { HAS_OLDER_NODE, olderNode } from '../support/older-node.ts';
import { OUT } from '../support/paths.ts';
import { NOTHING, runMochaParts, type SuiteOptions, type SuiteResult } from '../support/suite.ts';
import { makeTestPlace } from '../support/test-place.ts';

const SUITE_TIMEOUT_MS = 18 * 60_000;
const LONG_SUITE_TIMEOUT_MS = 4 * 60 * 60_000;
/** Matches tests of the built command line. Most of them start it several times. */
const MODES = /[\\/]test[\\/]modes[\\/]/;
/** Matches tests that use the types for hook authors, which are built into one folder. */
const TYPES = /[\\/]test[\\/](hook-authoring|typescript-plugin|typings)[\\/]/;
/** How many files a process runs. In a process that has run many, each start of a program and each collection takes longer. */
const FILES_OF_MODES = 5;
const FILES = 30;
/** How many processes run at the same time. With as many as processors, one stood still whenever a test waited. */
const AT_A_TIME = 3;

/**
 * Runs test/**\/*.spec.ts in plain Node: parts of a few files, some at the same time, each with an empty home folder and none
 * of the developer's keys. Parts may run beside each other in any order.
 */
export async function runUnitSuite({
  grep,
  file,
  isLong,
  updatesGolden,
  whenAlone,
}: SuiteOptions): Promise<SuiteResult> {
  const { tests: files } = await bundleSuite('unit', { file });
  if (files.length === 0) return NOTHING;
  const modes = files.filter(path => MODES.test(path));
  const types = files.filter(path => TYPES.test(path));
  // The longest parts run first, so that no process waits long for the last one of the other: those of pages and command
  // lines, and those of the folder `agent` last.
  const others = files.filter(path => !MODES.test(path) && !TYPES.test(path)).reverse();
  const parts = [...chunksOf(modes, FILES_OF_MODES), ...chunksOf(types, types.length), ...chunksOf(others, FILES)];
  const built =
    modes.length === 0
      ? {}
      : {
          HOOKLINE_TEST_CLI: await buildCommandLine(join(OUT, 'cli-under-test'), { production: true }),
          ...(HAS_OLDER_NODE ? { HOOKLINE_TEST_OLD_NODE: await olderNode('tooOld') } : {}),
        };
  const places = Array.from({ length: AT_A_TIME }, () => makeTestPlace());
  try {
    return await runMochaParts(
      parts,
      places.map(place => ({
        ...place.env,
        ...built,
        ...(isLong ? { HOOKLINE_TEST_LONG: 'yes' } : {}),
        ...(updatesGolden ? { HOOKLINE_UPDATE_GOLDEN: 'yes' } : {}),
      })),
      { suite: 'unit', grep, whenAlone, suiteTimeoutMs: isLong ? LONG_SUITE_TIMEOUT_MS : SUITE_TIMEOUT_MS },
    );
  } finally {
    for (const place of places) place.remove();
  }
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: size === 0 ? 0 : Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
