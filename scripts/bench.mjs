// `npm run bench -- [text]`: runs test/bench/**/*.bench.ts one after the other, or those whose path holds the text.
import { join } from 'node:path';
import { bundleSuite } from './build/test-bundles.mjs';
import { runMain, UserError } from './support/fail.mjs';
import { ROOT } from './support/paths.mjs';
import { runToEnd } from './support/suite.mjs';

const TIMEOUT_MS = 30 * 60_000;

await runMain(async () => {
  const wanted = process.argv[2] ?? '';
  const files = await bundleSuite('bench');
  const chosen = files.filter(file => file.slice(join(ROOT, 'out', 'bench').length).includes(wanted));
  if (chosen.length === 0) throw new UserError(`no bench in test/bench has "${wanted}" in its path`);
  let failed = 0;
  for (const file of chosen) {
    const args = ['--expose-gc', '--enable-source-maps', file];
    const ending = await runToEnd(process.execPath, args, { env: process.env, suiteTimeoutMs: TIMEOUT_MS });
    if (ending === 'ended with exit code 0') continue;
    console.error(`${file} ${ending}`);
    failed++;
  }
  return failed > 0 ? 1 : 0;
});
