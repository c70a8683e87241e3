import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

const FILE = join(ROOT, 'test', 'floor.json');

/**
 * A suite that silently lost tests must not look green: below the number in test/floor.json it counts as failed.
 * @param {string} name of the suite
 * @param {import('./suite.mjs').SuiteResult} result
 * @returns {import('./suite.mjs').SuiteResult}
 */
export function holdToFloor(name, result) {
  const least = Math.max(1, readFloor()[name] ?? 1);
  const ran = result.passed + result.failed;
  if (result.problem || ran >= least) return result;
  const problem = `${name}: ${ran} tests ran, but there were at least ${least} before (test/floor.json)`;
  return { ...result, failed: result.failed + 1, problem };
}

/**
 * Writes what passed now as the new least number, where it is more than before.
 * @param {string} name of the suite
 * @param {import('./suite.mjs').SuiteResult} result
 */
export function raiseFloor(name, result) {
  const floor = readFloor();
  const raised = { ...floor, [name]: Math.max(floor[name] ?? 1, result.passed) };
  writeFileSync(FILE, `${JSON.stringify(raised, null, 2)}\n`);
}

function readFloor() {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};
}
