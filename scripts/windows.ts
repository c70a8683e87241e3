// `npm run test:windows -- [--file text] [--grep text]`: runs the tests that need no network in Node for Windows, under Wine. Where
// there is no Wine, it says `not run: …`, runs no test, and does not fail.
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildCommandLine } from './build/command-line.ts';
import { bundleSuite } from './bundle-tests.ts';
import { runMain, UserError } from './support/fail.mjs';
import { OUT } from './support/paths.ts';
import { closingLines, runMochaParts, type SuiteResult } from './support/suite.ts';
import { makeTestPlace } from './support/test-place.ts';
import { bringWine, newPrefix, windowsPath } from './support/wine.ts';

/** What Windows in Wine lacks, see test/support/platform.ts. */
const LACKS = ['git', 'links', 'removal of open files', 'TCP'];

/** How many processes run at the same time. */
const AT_A_TIME = 2;

/** How many files a process runs. */
const FILES = 30;

await runMain(async () => {
  const { values } = parseArgs({ options: { grep: { type: 'string' }, file: { type: 'string' } } });
  const { grep, file } = values;
  const wine = await bringWine();
  if ('missing' in wine) {
    console.log(`\nnot run: the tests in Node for Windows, because this machine has no Wine: ${wine.missing}`);
    console.log(closingLines([]));
    return 0;
  }
  console.log(`hookline: Node for Windows runs in ${wine.text}`);
  const { tests } = await bundleSuite('windows', { file, pathFor: windowsPath });
  if (tests.length === 0) throw new UserError(`no test file of the suite "windows" has "${String(file)}" in its path`);
  const cli = await buildCommandLine(join(OUT, 'windows-under-test'), { production: true });
  const places = Array.from({ length: Math.min(AT_A_TIME, tests.length) }, () => makeTestPlace());
  try {
    const within = [process.execPath, join(import.meta.dirname, 'support', 'in-wine.ts'), JSON.stringify(wine)];
    const env = {
      ...wine.env,
      HOOKLINE_TEST_LACKS: LACKS.join(','),
      HOOKLINE_TEST_CLI: windowsPath(cli),
      HOOKLINE_TEST_PATH: windowsPath(dirname(wine.ripgrep)),
    };
    const environments = places.map(place => {
      const prefix = join(place.root, 'wine');
      newPrefix(wine, prefix);
      return { ...place.env, ...env, WINEPREFIX: prefix };
    });
    const result = await runMochaParts(chunksOf(tests, FILES), environments, {
      suite: 'windows',
      grep,
      within,
      testTimeoutMs: 60_000,
      suiteTimeoutMs: 20 * 60_000,
    });
    console.log(`\n${notHereText(result)}${closingLines([result])}`);
    return result.failed > 0 ? 1 : 0;
  } finally {
    for (const place of places) place.remove();
  }
});

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/** How many tests Windows in Wine cannot run, by what they need. */
function notHereText({ notHere = [] }: SuiteResult): string {
  const needs = [...new Set(notHere.map(({ reason }) => reason))];
  const counts = needs.map(need => `${need} ${notHere.filter(({ reason }) => reason === need).length}`);
  return notHere.length === 0 ? '' : `not for Windows in Wine: ${notHere.length} tests need ${counts.join(', ')}\n`;
}
