import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.ts';
import type { SuiteResult } from './suite.ts';

const FILE = join(ROOT, 'test', 'floor.json');

/** A suite that silently lost tests must not look green: below the number in test/floor.json it counts as failed. */
export function holdToFloor(suite: string, result: SuiteResult): SuiteResult {
  const least = Math.max(1, readFloor()[suite] ?? 1);
  const ran = result.passed + result.failed;
  if (result.problem || ran >= least) return result;
  const problem = `${suite}: ${ran} tests ran, but there were at least ${least} before (test/floor.json)`;
  return { ...result, failed: result.failed + 1, problem };
}

/** Writes what passed now as the new least number, where it is more than before. */
export function raiseFloor(suite: string, result: SuiteResult): void {
  const floor = readFloor();
  const raised = { ...floor, [suite]: Math.max(floor[suite] ?? 1, result.passed) };
  writeFileSync(FILE, `${JSON.stringify(raised, null, 2)}\n`);
}

function readFloor(): Readonly<Record<string, number>> {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, number>) : {};
}
