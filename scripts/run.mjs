// `node scripts/run.mjs <task> [options]`: installs the locked dependencies, then runs scripts/<task>.ts with the Node that
// is one of them and can run TypeScript. This file uses only built-ins of Node 20.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { runMain, UserError } from './support/fail.mjs';
import { installedNode } from './support/node-package.mjs';

const TASKS = [
  'start',
  'test',
  'check',
  'build',
  'package',
  'bench',
  'peers',
  'agents',
  'arm64',
  'windows',
  'l10n',
  'bundle-tests',
  'update-pi',
];
const PARENT_POLL_MS = 500;
const SCRIPTS = import.meta.dirname;
const ROOT = join(SCRIPTS, '..');

await runMain(() => {
  const [task = '', ...options] = process.argv.slice(2);
  if (!TASKS.includes(task)) throw new UserError(`no task "${task}"; there are: ${TASKS.join(', ')}`);
  ensureInstalled();
  return runUnder(newerNode(), task, options);
});

/** Path of the Node that is a dependency, else of the running one if it can run TypeScript. */
function newerNode() {
  const installed = installedNode(process);
  const path = installed && join(ROOT, 'node_modules', installed);
  if (path && existsSync(path)) return path;
  if (process.features.typescript) return process.execPath;
  throw new UserError(
    `no Node that runs TypeScript for ${process.platform}-${process.arch}: this is Node ${process.versions.node}, ` +
      'and the install brings none for this system. Start this command with Node 24.',
  );
}

/**
 * Runs a task. When its IPC channel is disconnected, a task ends in order; the system disconnects it when this process is
 * killed. `start` ends the programs that it started; for other tasks, `guard.ts` ends them with all their child processes.
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
 * Calls back once when npm, which started this process, has ended. npm does not pass SIGTERM and SIGHUP on to this process,
 * so without this the task would go on.
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
 * The parent of a process. Undefined on systems without /proc: there, only our own parent is watched.
 * @param {number} pid
 */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may itself contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  } catch {
    // The process has ended, or the system has no /proc.
    return undefined;
  }
}
