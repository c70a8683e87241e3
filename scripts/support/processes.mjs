import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;
const PARENT_POLL_MS = 500;

/**
 * The processes below one process, found through their parents.
 * @param {number} pid
 * @returns {number[]} process ids, parents before children, without `pid` itself
 */
export function descendantsOf(pid) {
  const children = new Map();
  for (const [child, parent] of processTable()) children.set(parent, [...(children.get(parent) ?? []), child]);
  const found = [];
  const queue = [pid];
  for (let current = queue.shift(); current !== undefined; current = queue.shift()) {
    const below = (children.get(current) ?? []).filter(child => !found.includes(child));
    found.push(...below);
    queue.push(...below);
  }
  return found;
}

/**
 * Calls back once when npm, which started us, is gone. npm passes SIGTERM and SIGHUP on to its shell at best, so that
 * without this we would live on without it.
 * @param {() => void} onGone
 */
export function whenNpmIsGone(onGone) {
  if (!process.env.npm_lifecycle_event || process.platform === 'win32') return;
  const shell = process.ppid;
  const npm = parentOf(shell);
  const timer = setInterval(() => {
    if (process.ppid === shell && parentOf(shell) === npm) return;
    clearInterval(timer);
    onGone();
  }, PARENT_POLL_MS);
  timer.unref();
}

/** Undefined where there is no /proc: there, only our own parent is watched. */
function parentOf(pid) {
  return process.platform === 'linux' ? linuxStatus(pid)?.parent : undefined;
}

/**
 * Ends a process and everything below it: asks with SIGTERM, then insists with SIGKILL. Children that appear meanwhile
 * are included. Does nothing for processes that are gone.
 * @param {number} pid
 * @param {{ patienceMs?: number, mark?: string }} [options] `patienceMs`: how long SIGTERM may take; `mark`: an
 *   environment entry (`NAME=value`) by which children are found that cut themselves off (Linux only)
 */
export async function killTree(pid, { patienceMs = 3000, mark } = {}) {
  if (process.platform === 'win32') {
    runQuietly('taskkill', ['/pid', String(pid), '/t', '/f']);
    return;
  }
  const all = new Set([pid]);
  const addNew = () => {
    const found = [...all].flatMap(each => descendantsOf(each));
    if (mark) found.push(...processesMarked(mark));
    return found.filter(each => !all.has(each) && all.add(each));
  };
  addNew();
  for (const each of all) signal(each, 'SIGTERM');
  const deadline = Date.now() + patienceMs;
  while ([...all].some(isAlive) && Date.now() < deadline) {
    await delay(POLL_MS);
    for (const each of addNew()) signal(each, 'SIGTERM');
  }
  addNew();
  for (const each of all) signal(each, 'SIGKILL');
  while ([...all].some(isAlive)) await delay(POLL_MS);
}

/**
 * @param {string} mark an environment entry, `NAME=value`
 * @returns {number[]} living processes that were started with it; always empty where there is no /proc
 */
export function processesMarked(mark) {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && environmentOf(name).includes(mark))
    .map(Number)
    .filter(pid => pid !== process.pid && isAlive(pid));
}

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    // Gone, or another user's: not ours in either case.
    return [];
  }
}

/**
 * @param {number} pid
 * @returns {boolean} whether the process runs; a zombie, which only waits for its parent, does not
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  return process.platform !== 'linux' || linuxStatus(pid)?.state !== 'Z';
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function* processTable() {
  if (process.platform === 'linux') {
    yield* linuxProcesses();
    return;
  }
  if (process.platform === 'win32') return;
  for (const line of runQuietly('ps', ['-A', '-o', 'pid=,ppid=']).split('\n')) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    if (pid) yield [pid, parent];
  }
}

/** Read from /proc, because a bare machine may have no `ps`. */
function* linuxProcesses() {
  for (const name of readdirSync('/proc')) {
    const status = /^\d+$/.test(name) ? linuxStatus(Number(name)) : undefined;
    if (status) yield [Number(name), status.parent];
  }
}

function linuxStatus(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in brackets and may itself hold spaces and brackets.
    const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    // The process ended while we were looking.
    return undefined;
  }
}

function runQuietly(file, args) {
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // The process asked about is gone: that is the answer.
    return '';
  }
}
