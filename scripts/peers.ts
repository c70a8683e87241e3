// `npm run test:peers -- [--file text] [--grep text]`: tests that the real pi reads what we write, and the reverse.
import { parseArgs } from 'node:util';
import { bundleSuite } from './bundle-tests.ts';
import { runMain, UserError } from './support/fail.mjs';
import { bringPeers } from './support/peer-packages.ts';
import { runMochaParts, closingLines } from './support/suite.ts';
import { makeTestPlace } from './support/test-place.ts';

/** How many parts run at the same time. Most tests wait for programs, so two processors are enough for these parts. */
const PARTS = 3;

await runMain(async () => {
  const options = { grep: { type: 'string' }, file: { type: 'string' } } as const;
  const { values } = parseArgs({ options });
  const { grep, file } = values;
  const { tests } = await bundleSuite('peers', { file });
  if (tests.length === 0) throw new UserError(`no test file of the suite "peers" has "${String(file)}" in its path`);
  const peers = await bringPeers();
  const places = Array.from({ length: PARTS }, () => makeTestPlace());
  try {
    const parts = places.map((_, index) => tests.filter((_, position) => position % PARTS === index));
    const result = await runMochaParts(
      parts.filter(part => part.length > 0),
      places.map(place => ({ ...place.env, HOOKLINE_PEERS: JSON.stringify(peers) })),
      { suite: 'peers', grep, testTimeoutMs: 120_000, suiteTimeoutMs: 20 * 60_000 },
    );
    console.log(`\n${closingLines([result])}`);
    return result.failed > 0 ? 1 : 0;
  } finally {
    for (const place of places) place.remove();
  }
});
