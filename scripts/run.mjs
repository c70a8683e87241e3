// `node scripts/run.mjs <task> [options]`: installs what is locked, then runs scripts/<task>.mjs under Node 24.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { runMain, UserError } from './support/fail.mjs';
import { findNode24 } from './support/node24.mjs';
import { killTree, whenNpmIsGone } from './support/processes.mjs';
import { ROOT } from './support/paths.mjs';

const TASKS = ['start', 'test', 'check', 'build', 'package', 'bench', 'peers', 'l10n', 'bundle-tests'];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

await runMain(async () => {
  const [task = '', ...options] = process.argv.slice(2);
  if (!TASKS.includes(task)) throw new UserError(`no task "${task}"; there are: ${TASKS.join(', ')}`);
  ensureInstalled();
  return runUnder(findNode24(), task, options);
});

/** The IPC channel tells the task that we are gone even if we were killed without a signal to pass on. */
function runUnder(node, task, options) {
  const args = [join(ROOT, 'scripts', `${task}.mjs`), ...options];
  const child = spawn(node, args, { cwd: ROOT, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  // Only `start` ends what it started; the others are ended with everything below them.
  const stop = signal => (task === 'start' ? child.kill(signal) : void killTree(child.pid));
  for (const signal of SIGNALS) process.on(signal, () => stop(signal));
  whenNpmIsGone(() => stop('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)));
  });
}
