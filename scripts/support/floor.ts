import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.ts';
import type { SuiteResult } from './suite.ts';

const FILE = join(ROOT, 'test', 'floor.json');

/** Lets a suite fail when fewer tests ran than test/floor.json says, because tests may have been lost unnoticed. */
export function holdToFloor(suite: string, result: SuiteResult): SuiteResult {
  const least = Math.max(1, readFloor()[suite] ?? 1);
  const ran = result.passed + result.failed;
  if (result.problem || ran >= least) return result;
  const problem = `${suite}: ${ran} tests ran, but there were at least ${least} before (test/floor.json)`;
  return { ...result, failed: result.failed + 1, problem };
}

/** Writes the number of passed tests as the new minimum if it is higher than before. */
export function raiseFloor(suite: string, result: SuiteResult): void {
  const floor = readFloor();
  const raised = { ...floor, [suite]: Math.max(floor[suite] ?? 1, result.passed) };
  writeFileSync(FILE, `${JSON.stringify(raised, null, 2)}\n`);
}

function readFloor(): Readonly<Record<string, number>> {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, number>) : {};
}
