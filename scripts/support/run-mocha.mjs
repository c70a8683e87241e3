// Child process of a test suite: runs bundled test files with mocha and writes the counts to a file, so that the parent
// need not read them from text. `node run-mocha.mjs <options as JSON>`.
import Mocha from 'mocha';
import { writeFileSync } from 'node:fs';

const GRACE_AFTER_END_MS = 10_000;

const { files, grep, timeout, resultFile } = JSON.parse(process.argv[2]);
const mocha = new Mocha({ ui: 'bdd', reporter: 'spec', timeout, grep, forbidOnly: !grep, color: process.stdout.isTTY });
for (const file of files) mocha.addFile(file);
await mocha.loadFilesAsync();

const counts = { passed: 0, failed: 0, skipped: 0 };
const runner = mocha.run(() => {
  writeFileSync(resultFile, JSON.stringify(counts));
  process.exitCode = counts.failed > 0 ? 1 : 0;
  setTimeout(reportLeak, GRACE_AFTER_END_MS).unref();
});
runner.on('pass', () => counts.passed++);
runner.on('fail', () => counts.failed++);
runner.on('pending', () => counts.skipped++);

/** Reached only when something keeps this process alive: the tests must close what they open. */
function reportLeak() {
  const open = process.getActiveResourcesInfo().filter(name => !['TTYWrap', 'PipeWrap'].includes(name));
  console.error(`The tests have ended, but they left something open: ${open.join(', ') || 'unknown'}`);
  writeFileSync(resultFile, JSON.stringify({ ...counts, failed: counts.failed + 1 }));
  process.exit(1);
}
