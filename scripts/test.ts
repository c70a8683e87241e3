// `npm test -- [--suite unit|host|e2e]... [--grep text] [--file text] [--long] [--write-tries] [--update-golden]`: runs the
// tests. The last line of the output sums all suites.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { runBeside, type WhenAlone } from './support/beside.ts';
import { runMain, UserError } from './support/fail.mjs';
import { triesProblem, writeTries } from './support/tries.ts';
import { keepTemporaryFilesInMemory } from './support/temporary-folder.ts';
import { failedSuite, closingLines, sumOf, type SuiteOptions, type SuiteResult } from './support/suite.ts';

/** The suites in the order in which they run. The code of a suite is loaded before it runs. */
const SUITES: Readonly<Record<string, (options: SuiteOptions) => Promise<SuiteResult>>> = {
  unit: async options => (await import('./suites/unit.ts')).runUnitSuite(options),
  host: async options => (await import('./suites/host.ts')).runHostSuite(options),
  e2e: async options => (await import('./suites/e2e.ts')).runE2eSuite(options),
};

/** Suites that run at the same time: host waits much, and unit then has the processors. */
const BESIDE: ReadonlySet<string> = new Set(['unit', 'host']);

await runMain(async () => {
  const { values } = parseArgs({
    options: {
      suite: { type: 'string', multiple: true },
      grep: { type: 'string' },
      file: { type: 'string' },
      long: { type: 'boolean' },
      'write-tries': { type: 'boolean' },
      'update-golden': { type: 'boolean' },
    },
  });
  const names = values.suite ?? Object.keys(SUITES);
  for (const name of names) {
    if (!(name in SUITES)) throw new UserError(`no suite "${name}"; there are: ${Object.keys(SUITES).join(', ')}`);
  }
  keepTemporaryFilesInMemory();
  const isPart = values.grep !== undefined || values.file !== undefined;
  const results: SuiteResult[] = [];
  const lines: string[] = [];
  const options = {
    grep: values.grep,
    file: values.file,
    isLong: values.long,
    updatesGolden: values['update-golden'],
  };
  for (const [name, result] of await runSuites(names, options)) {
    results.push(result);
    lines.push(`${name}: ${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped`);
  }
  const { tries = {} } = sumOf(results);
  if (values['write-tries']) writeTries(tries);
  // The page counts the attacks of all tests. Only a short run makes the same number each time.
  else if (!isPart && !values.long && values.suite === undefined) results.push(...wrongTries(tries));
  console.log(`\n${lines.join('\n')}`);
  const ran = results.some(result => result.passed + result.failed > 0);
  if (!ran) console.log('No test ran: no test matches --grep or --file.');
  console.log(`\n${closingLines(results)}`);
  return ran && results.every(result => result.failed === 0) ? 0 : 1;
});

/** Runs suites in their order, some at the same time. Resolves with the name and result of each. */
async function runSuites(
  names: readonly string[],
  options: SuiteOptions,
): Promise<(readonly [name: string, result: SuiteResult])[]> {
  // A long run takes hours, and a second processor is needed.
  const isOneByOne = options.isLong === true || availableParallelism() < 2;
  const beside = isOneByOne ? [] : names.filter(name => BESIDE.has(name));
  const groups = [beside, ...names.filter(name => !beside.includes(name)).map(name => [name])];
  const results: (readonly [name: string, result: SuiteResult])[] = [];
  for (const group of groups.filter(group => group.length > 0)) {
    console.log(`\n=== ${group.join(' and ')} ===`);
    const tasks = group.map(name => async (whenAlone: WhenAlone) => {
      const own = group.length > 1 ? { ...options, whenAlone } : options;
      return [name, await runSuite(name, own)] as const;
    });
    results.push(...(await runBeside(tasks)));
  }
  return results;
}

async function runSuite(name: string, options: SuiteOptions): Promise<SuiteResult> {
  try {
    return (await SUITES[name]?.(options)) ?? failedSuite(`${name}: unknown`);
  } catch (error) {
    console.error(error);
    return failedSuite(`${name}: could not run: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function wrongTries(tries: Readonly<Record<string, number>>): readonly SuiteResult[] {
  const problem = triesProblem(tries);
  return problem === undefined ? [] : [failedSuite(problem)];
}
