// `npm test -- [--suite unit|host|e2e]... [--grep text] [--file text] [--raise-floor]`: the last line sums all suites.
import { parseArgs } from 'node:util';
import { runMain, UserError } from './support/fail.mjs';
import { holdToFloor, raiseFloor } from './support/floor.mjs';
import { failedSuite, sumLine } from './support/suite.mjs';

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
      file: { type: 'string' },
      'raise-floor': { type: 'boolean' },
    },
  });
  const names = values.suite ?? Object.keys(SUITES);
  for (const name of names) {
    if (!(name in SUITES)) throw new UserError(`no suite "${name}"; there are: ${Object.keys(SUITES).join(', ')}`);
  }
  const isPart = values.grep !== undefined || values.file !== undefined;
  const results = [];
  for (const name of names) {
    console.log(`\n=== ${name} ===`);
    const result = await runSuite(name, { grep: values.grep, file: values.file });
    results.push(isPart ? result : holdToFloor(name, result));
  }
  if (values['raise-floor']) names.forEach((name, index) => raiseFloor(name, results[index]));
  console.log('');
  names.forEach((name, index) => {
    console.log(`${name}: ${sumLine([results[index]])}`);
    if (results[index].problem) console.log(`  ${results[index].problem}`);
  });
  const ran = results.some(result => result.passed + result.failed > 0);
  if (!ran) console.log('No test ran: none has what --grep or --file ask for.');
  console.log(`\n${sumLine(results)}`);
  return ran && results.every(result => result.failed === 0) ? 0 : 1;
});

async function runSuite(name, options) {
  try {
    return await SUITES[name](options);
  } catch (error) {
    console.error(error);
    return failedSuite(`${name}: could not run: ${error.message}`);
  }
}
