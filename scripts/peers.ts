// `npm run test:peers -- [--file text] [--grep text]`: tests that the real pi reads what we write, and the reverse.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleSuite } from './bundle-tests.ts';
import { runMain, UserError } from './support/fail.mjs';
import { bringPeers } from './support/peer-packages.ts';
import { runMochaParts, closingLines } from './support/suite.ts';
import { makeTestPlace } from './support/test-place.ts';

/** How many processes share the files. Most tests wait for programs, so two processors are enough for them. */
const AT_A_TIME = 3;

/** Matches the files that take longest: they run each example or scenario in several programs. They are first. */
const LONGEST = /[\\/](examples|hooks)\.peer\.mjs$/;

await runMain(async () => {
  const options = { grep: { type: 'string' }, file: { type: 'string' } } as const;
  const { values } = parseArgs({ options });
  const { grep, file } = values;
  const { tests } = await bundleSuite('peers', { file });
  if (tests.length === 0) throw new UserError(`no test file of the suite "peers" has "${String(file)}" in its path`);
  const peers = await bringPeers();
  const files = [...tests.filter(path => LONGEST.test(path)), ...tests.filter(path => !LONGEST.test(path))];
  const places = Array.from({ length: Math.min(AT_A_TIME, files.length) }, () => makeTestPlace());
  try {
    const claims = join(places[0]?.root ?? '', 'claims');
    mkdirSync(claims);
    const result = await runMochaParts(
      places.map(() => files),
      places.map(place => ({ ...place.env, HOOKLINE_PEERS: JSON.stringify(peers) })),
      { suite: 'peers', grep, claims, testTimeoutMs: 120_000, suiteTimeoutMs: 20 * 60_000 },
    );
    console.log(`\n${closingLines([result])}`);
    return result.failed > 0 ? 1 : 0;
  } finally {
    for (const place of places) place.remove();
  }
});
