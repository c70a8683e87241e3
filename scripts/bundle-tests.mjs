// `node scripts/run.mjs bundle-tests host|unit|e2e|peers`: bundles a suite's tests without running them, for a debugger.
import { bundleSuite } from './build/test-bundles.mjs';
import { runMain } from './support/fail.mjs';

await runMain(async () => {
  const files = await bundleSuite(process.argv[2] ?? '');
  console.log(`${files.length} files bundled`);
});
