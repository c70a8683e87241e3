// `npm run test:peers -- [--file text] [--grep text] [--raise-floor]`: tests that the real pi reads what we write, and the
// reverse.
import { parseArgs } from 'node:util';
import { bundleSuite } from './bundle-tests.ts';
import { runMain } from './support/fail.mjs';
import { holdToFloor, raiseFloor } from './support/floor.ts';
import { bringPeers } from './support/peer-packages.ts';
import { runMochaParts, closingLines } from './support/suite.ts';
import { makeTestPlace } from './support/test-place.ts';

/** How many parts run at the same time. Most tests wait for programs, so two processors are enough for these parts. */
const PARTS = 3;

await runMain(async () => {
  const options = { grep: { type: 'string' }, file: { type: 'string' }, 'raise-floor': { type: 'boolean' } } as const;
  const { values } = parseArgs({ options });
  const { grep, file } = values;
  const peers = await bringPeers();
  const files = await bundleSuite('peers', { file });
  const places = Array.from({ length: PARTS }, () => makeTestPlace());
  try {
    const parts = places.map((_, index) => files.filter((_, position) => position % PARTS === index));
    const run = await runMochaParts(
      parts.filter(part => part.length > 0),
      places.map(place => ({ ...place.env, HOOKLINE_PEERS: JSON.stringify(peers) })),
      { suite: 'peers', grep, testTimeoutMs: 120_000, suiteTimeoutMs: 20 * 60_000 },
    );
    const result = grep === undefined && file === undefined ? holdToFloor('peers', run) : run;
    if (values['raise-floor']) raiseFloor('peers', result);
    console.log(`\n${closingLines([result])}`);
    return result.failed > 0 ? 1 : 0;
  } finally {
    for (const place of places) place.remove();
  }
});
