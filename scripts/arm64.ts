// `npm run test:arm64 -- [--grep text]`: tests that the packed command line runs on arm64: as it is on such a machine, and under
// QEMU on another one with Linux and apt. Where neither can be had, it says `not run: …`, runs no test, and does not fail.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildForProduction } from './build.ts';
import { bundleSuite } from './bundle-tests.ts';
import { npmCommand } from './install.mjs';
import { arm64Node } from './support/arm64-node.ts';
import { runMain, UserError } from './support/fail.mjs';
import { packCommandLine } from './support/npm-package.ts';
import { closingLines, runMochaParts } from './support/suite.ts';
import { makeTestPlace } from './support/test-place.ts';

await runMain(async () => {
  const { values } = parseArgs({ options: { grep: { type: 'string' } } });
  const place = makeTestPlace();
  try {
    const arm64 = await arm64Node(place.root);
    if ('missing' in arm64) {
      console.log(`\nnot run: the tests on arm64, because this machine cannot: ${arm64.missing}\n${closingLines([])}`);
      return 0;
    }
    console.log(`hookline: the command line runs with ${arm64.text}`);
    const { tests } = await bundleSuite('arm64');
    await buildForProduction();
    const cli = installPacked(packCommandLine(), join(place.root, 'npm prefix'));
    const env = { ...place.env, HOOKLINE_TEST_CLI: cli, HOOKLINE_TEST_ARM64_NODE: arm64.node };
    const result = await runMochaParts([tests], [env], { suite: 'arm64', grep: values.grep, testTimeoutMs: 240_000 });
    console.log(`\n${closingLines([result])}`);
    return result.failed > 0 ? 1 : 0;
  } finally {
    place.remove();
  }
});

/** Installs the package as a person on arm64 would. Returns the absolute path of its program. */
function installPacked(tarball: string, prefix: string): string {
  const npm = npmCommand();
  const options = [
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--cpu=arm64',
    '--prefix',
    prefix,
  ];
  const { status, stderr } = spawnSync(npm.file, [...npm.args, 'install', '-g', ...options, tarball], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new UserError(`npm did not install the packed command line:\n${stderr}`);
  const modules = process.platform === 'win32' ? ['node_modules'] : ['lib', 'node_modules'];
  return join(prefix, ...modules, 'hookline', 'dist', 'cli.js');
}
