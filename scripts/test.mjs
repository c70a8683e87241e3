// `npm test -- [--suite unit|host|e2e]... [--grep text] [--raise-floor]`: the last line sums all suites.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runMain, UserError } from './support/fail.mjs';
import { ROOT } from './support/paths.mjs';
import { failedSuite, sumLine } from './support/suite.mjs';

const FLOOR_FILE = join(ROOT, 'test', 'floor.json');

/** Suites in the order in which they run; loaded when their turn comes. */
const SUITES = {
  unit: async options => (await import('./suites/unit.mjs')).runUnitSuite(options),
  host: async options => (await import('./suites/host.mjs')).runHostSuite(options),
  e2e: async options => (await import('./suites/e2e.mjs')).runE2eSuite(options),
};

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      suite: { type: 'string', multiple: true },
      grep: { type: 'string' },
      'raise-floor': { type: 'boolean' },
    },
  });
  const names = values.suite ?? Object.keys(SUITES);
  for (const name of names) {
    if (!(name in SUITES)) throw new UserError(`no suite "${name}"; there are: ${Object.keys(SUITES).join(', ')}`);
  }
  const floor = readFloor();
  const results = [];
  for (const name of names) {
    console.log(`\n=== ${name} ===`);
    const result = await runSuite(name, values.grep);
    results.push(values.grep === undefined ? holdToFloor(name, result, floor[name] ?? 1) : result);
  }
  if (values['raise-floor']) raiseFloor(floor, names, results);
  console.log('');
  names.forEach((name, index) => {
    console.log(`${name}: ${sumLine([results[index]])}`);
    if (results[index].problem) console.log(`  ${results[index].problem}`);
  });
  console.log(`\n${sumLine(results)}`);
  return results.some(result => result.failed > 0) ? 1 : 0;
});

async function runSuite(name, grep) {
  try {
    return await SUITES[name]({ grep });
  } catch (error) {
    console.error(error);
    return failedSuite(`${name}: could not run: ${error.message}`);
  }
}

/** A suite that silently lost its tests must not look green. */
function holdToFloor(name, result, least) {
  const ran = result.passed + result.failed;
  if (result.problem || ran >= Math.max(1, least)) return result;
  const problem = `${name}: ${ran} tests ran, but test/floor.json says that there are at least ${Math.max(1, least)}`;
  return { ...result, failed: result.failed + 1, problem };
}

function readFloor() {
  return existsSync(FLOOR_FILE) ? JSON.parse(readFileSync(FLOOR_FILE, 'utf8')) : {};
}

function raiseFloor(floor, names, results) {
  const raised = { ...floor };
  names.forEach((name, index) => {
    raised[name] = Math.max(floor[name] ?? 1, results[index].passed);
  });
  writeFileSync(FLOOR_FILE, `${JSON.stringify(raised, null, 2)}\n`);
}
