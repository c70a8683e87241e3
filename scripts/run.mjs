// `node scripts/run.mjs <task> [options]`: installs what is locked, then runs scripts/<task>.mjs under Node 24.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { runMain, UserError } from './support/fail.mjs';
import { findNode24 } from './support/node24.mjs';
import { ROOT } from './support/paths.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

await runMain(async () => {
  const [task = '', ...options] = process.argv.slice(2);
  const file = join(ROOT, 'scripts', `${task}.mjs`);
  if (!/^[a-z0-9-]+$/.test(task) || !existsSync(file)) {
    throw new UserError(`no task "${task}"; there are: ${taskNames().join(', ')}`);
  }
  ensureInstalled();
  return runUnder(findNode24(), [file, ...options]);
});

function taskNames() {
  const names = readdirSync(join(ROOT, 'scripts')).filter(name => name.endsWith('.mjs') && name !== 'run.mjs');
  return names.map(name => name.slice(0, -'.mjs'.length));
}

/** The IPC channel tells the task that we are gone even if we were killed without a signal to pass on. */
function runUnder(node, args) {
  const child = spawn(node, args, { cwd: ROOT, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0)));
  });
}
