// `npm run test:peers -- [--file text] [--grep text] [--raise-floor]`: what we write, read by the real pi, and the reverse.
import { parseArgs } from 'node:util';
import { bundleSuite } from './bundle-tests.ts';
import { runMain } from './support/fail.mjs';
import { holdToFloor, raiseFloor } from './support/floor.ts';
import { bringPeers } from './support/peer-packages.ts';
import { runMochaSuite, sumLine } from './support/suite.ts';
import { makeTestPlace } from './support/test-place.ts';

await runMain(async () => {
  const options = { grep: { type: 'string' }, file: { type: 'string' }, 'raise-floor': { type: 'boolean' } } as const;
  const { values } = parseArgs({ options });
  const { grep, file } = values;
  const peers = await bringPeers();
  const files = await bundleSuite('peers', { file });
  const place = makeTestPlace();
  try {
    const env = { ...place.env, HOOKLINE_PEERS: JSON.stringify(peers) };
    const run = await runMochaSuite({
      ...{ suite: 'peers', files, grep, env },
      testTimeoutMs: 60_000,
      suiteTimeoutMs: 20 * 60_000,
    });
    const result = grep === undefined && file === undefined ? holdToFloor('peers', run) : run;
    if (values['raise-floor']) raiseFloor('peers', result);
    if (result.problem) console.log(result.problem);
    console.log(`\n${sumLine([result])}`);
    return result.failed > 0 ? 1 : 0;
  } finally {
    place.remove();
  }
});
