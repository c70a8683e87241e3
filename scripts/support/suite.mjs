import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { killTree } from './processes.mjs';
import { OUT, ROOT } from './paths.mjs';

/**
 * @typedef {{ passed: number, failed: number, skipped: number, problem?: string }} SuiteResult
 * How a suite ended. `problem` says why a suite counts as failed beyond its failed tests.
 */

/**
 * Runs bundled test files with mocha in a Node of their own.
 * @param {{ suite: string, files: string[], grep?: string, env?: Record<string, string>, testTimeoutMs?: number,
 *   suiteTimeoutMs?: number }} options
 * @returns {Promise<SuiteResult>}
 */
export async function runMochaSuite(options) {
  const { suite, files, grep, env = {}, testTimeoutMs = 30_000, suiteTimeoutMs = 10 * 60_000 } = options;
  if (files.length === 0) return failedSuite(`${suite}: there are no test files`);
  const resultFile = freshResultFile(suite);
  const runner = join(ROOT, 'scripts', 'support', 'mocha-process.mjs');
  const settings = JSON.stringify({ files, grep, timeout: testTimeoutMs, resultFile });
  const args = ['--enable-source-maps', '--expose-gc', runner, settings];
  const ending = await runToEnd(process.execPath, args, { env: { ...process.env, ...env }, suiteTimeoutMs });
  return readResult(suite, resultFile, ending);
}

/**
 * @param {string} suite
 * @returns {string} path at which the suite must leave its counts; nothing is there yet
 */
export function freshResultFile(suite) {
  mkdirSync(join(OUT, 'results'), { recursive: true });
  const file = join(OUT, 'results', `${suite}-${process.pid}.json`);
  rmSync(file, { force: true });
  return file;
}

/**
 * Starts a program that inherits our output and waits for its end; after `suiteTimeoutMs` its whole tree is killed.
 * @returns {Promise<string>} how it ended, in words
 */
export function runToEnd(file, args, { env, suiteTimeoutMs, cwd = ROOT }) {
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      void killTree(child.pid);
    }, suiteTimeoutMs);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      if (late) resolve(`was stopped after ${Math.round(suiteTimeoutMs / 60_000)} minutes`);
      else resolve(signal ? `was ended by ${signal}` : `ended with exit code ${code}`);
    });
  });
}

/**
 * @param {string} suite
 * @param {string} resultFile
 * @param {string} ending how the suite's process ended, in words
 * @returns {SuiteResult}
 */
export function readResult(suite, resultFile, ending) {
  if (!existsSync(resultFile)) return failedSuite(`${suite}: ${ending} without a result`);
  const counts = JSON.parse(readFileSync(resultFile, 'utf8'));
  rmSync(resultFile, { force: true });
  if (counts.failed === 0 && ending !== 'ended with exit code 0') {
    return { ...counts, failed: 1, problem: `${suite}: no test failed, but it ${ending}` };
  }
  return counts;
}

/**
 * @param {string} problem
 * @returns {SuiteResult}
 */
export function failedSuite(problem) {
  return { passed: 0, failed: 1, skipped: 0, problem };
}

/**
 * @param {readonly SuiteResult[]} results
 * @returns {string} the line that CI reads
 */
export function sumLine(results) {
  const sum = key => results.reduce((total, result) => total + result[key], 0);
  return `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`;
}
