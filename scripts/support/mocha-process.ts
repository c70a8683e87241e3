// The child process that runs the tests of a suite: `node mocha-process.ts <options of runMocha as JSON, or the path
// of a file with them>`.
import { readFileSync, writeFileSync } from 'node:fs';
import { runMocha, type MochaOptions } from './mocha-run.ts';

const GRACE_AFTER_END_MS = 10_000;

const [, , given = ''] = process.argv;
const text = given.startsWith('{') ? given : readFileSync(given, 'utf8');
const options = JSON.parse(text) as MochaOptions & { readonly resultFile: string };
const counts = await runMocha(options);
process.exitCode = counts.failed > 0 ? 1 : 0;
setTimeout(reportLeak, GRACE_AFTER_END_MS).unref();

/** Fails the suite. It is called only when something still keeps the process alive: tests must close what they open. */
function reportLeak(): void {
  const open = process.getActiveResourcesInfo().filter(name => !['TTYWrap', 'PipeWrap'].includes(name));
  console.error(`The tests have ended, but they left something open: ${open.join(', ') || 'unknown'}`);
  writeFileSync(options.resultFile, JSON.stringify({ ...counts, failed: counts.failed + 1 }));
  process.exit(1);
}
