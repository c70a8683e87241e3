import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 50;

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
 * Ends a process and everything below it: asks with SIGTERM, then insists with SIGKILL. Children that are cut off from
 * their parent meanwhile are still remembered. Does nothing for processes that are gone.
 * @param {number} pid
 * @param {number} [patienceMs] how long SIGTERM may take
 */
export async function killTree(pid, patienceMs = 3000) {
  const all = new Set([pid, ...descendantsOf(pid)]);
  if (process.platform === 'win32') {
    runQuietly('taskkill', ['/pid', String(pid), '/t', '/f']);
    return;
  }
  for (const each of all) signal(each, 'SIGTERM');
  const deadline = Date.now() + patienceMs;
  while ([...all].some(isAlive) && Date.now() < deadline) {
    await delay(POLL_MS);
    for (const each of [...all]) for (const child of descendantsOf(each)) all.add(child);
  }
  for (const each of all) signal(each, 'SIGKILL');
  while ([...all].some(isAlive)) await delay(POLL_MS);
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
