// `npm run test:peers -- [--grep text] [--raise-floor]`: what we write, read by the real pi, and the reverse.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleSuite } from './bundle-tests.ts';
import { cachedFolder, npmInstall } from './support/cached.ts';
import { runMain } from './support/fail.mjs';
import { holdToFloor, raiseFloor } from './support/floor.ts';
import { runMochaSuite, sumLine } from './support/suite.ts';
import { makeTestPlace } from './support/test-place.ts';

const PEER = '@mariozechner/pi-coding-agent';
/** Each stands for a format or a protocol that we promise to understand; the tests say which. */
const VERSIONS = ['0.27.9', '0.31.1', '0.57.1', '0.73.1'];

await runMain(async () => {
  const { values } = parseArgs({ options: { grep: { type: 'string' }, 'raise-floor': { type: 'boolean' } } });
  const peers: Record<string, string> = {};
  for (const version of VERSIONS) peers[version] = await installedPeer(version);
  const files = await bundleSuite('peers');
  const place = makeTestPlace();
  try {
    const env = { ...place.env, HOOKLINE_PEERS: JSON.stringify(peers) };
    const run = await runMochaSuite({ suite: 'peers', files, grep: values.grep, env, testTimeoutMs: 60_000 });
    const result = values.grep === undefined ? holdToFloor('peers', run) : run;
    if (values['raise-floor']) raiseFloor('peers', result);
    if (result.problem) console.log(result.problem);
    console.log(`\n${sumLine([result])}`);
    return result.failed > 0 ? 1 : 0;
  } finally {
    place.remove();
  }
});

/** Folder of a real peer in the cache; never among the project's own dependencies. */
async function installedPeer(version: string): Promise<string> {
  const folder = await cachedFolder(['peers', `pi-coding-agent-${version}`], draft => {
    console.log(`hookline: getting ${PEER} ${version} from npm, once`);
    writeFileSync(join(draft, 'package.json'), '{ "private": true }');
    npmInstall(draft, [`${PEER}@${version}`]);
  });
  return join(folder, 'node_modules', ...PEER.split('/'));
}
