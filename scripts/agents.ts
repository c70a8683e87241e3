// `npm run test:agents -- [--agent name]… [--all] [--quick] [--latest] [--file text] [--grep text] [--write]`: tests that hooks
// guard the real agents of others. Without options, it runs all tests of Claude Code, Codex and Copilot; `--all` runs those of
// every agent, `--agent` those of the named ones, `--quick` the tests that CI has time for. A run fails when the page docs/guard.md
// says something else of its agents than was seen; `--write` writes what was seen. `--latest` takes the newest versions from npm
// in place of the locked ones, and prints what changed in the table.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildCommandLine } from './build/command-line.ts';
import { bundleSuite } from './bundle-tests.ts';
import { bringAgents } from './support/agent-packages.ts';
import { chooseTests, readAgentOptions, type AgentOptions } from './support/agent-options.ts';
import {
  changesText,
  columnsAfter,
  columnsOf,
  effectChanges,
  effectsTable,
  readEffects,
  tableOfPage,
  writeEffects,
  type Effects,
} from './support/effects-page.ts';
import { runMain } from './support/fail.mjs';
import { onlyLoopback } from './support/only-loopback.ts';
import { OUT } from './support/paths.ts';
import { closingLines, failedSuite, runMochaParts, type SuiteResult } from './support/suite.ts';
import { makeTestPlace } from './support/test-place.ts';

/** How many processes share the files. Agents wait for the model and the host most of the time. */
const AT_A_TIME = 2;

/** Minutes that the tests of one agent may take, on a busy machine. */
const MINUTES_EACH = 15;

await runMain(async () => {
  const options = readAgentOptions(process.argv.slice(2));
  const { grep, latest } = options;
  const { tests: bundled } = await bundleSuite('agents');
  const { tests, left } = chooseTests(bundled, options);
  const agents = await bringAgents({ latest });
  const cli = await buildCommandLine(join(OUT, 'guard-under-test'), { production: true });
  const network = onlyLoopback();
  console.log(`hookline: ${latest ? 'the newest versions' : 'the locked versions'} are ${agents.text}`);
  for (const remark of agents.remarks) console.log(`hookline: ${remark}`);
  if (left.length > 0) console.log(`hookline: not tested are ${left.join(', ')}; --all tests every agent`);
  console.log(`hookline: the agents have ${network.description}, so that they reach only 127.0.0.1`);
  const places = Array.from({ length: Math.min(AT_A_TIME, tests.length) }, () => makeTestPlace());
  try {
    const [claims, effects] = ['claims', 'effects'].map(name => join(places[0]?.root ?? '', name)) as [string, string];
    for (const folder of [claims, effects]) mkdirSync(folder);
    const env = { HOOKLINE_TEST_CLI: cli, HOOKLINE_TEST_AGENTS: agents.folder, HOOKLINE_TEST_EFFECTS: effects };
    // A call that ran although it was denied is a hole, however seldom: no test may pass at a second try.
    const result = await runMochaParts(
      places.map(() => tests),
      places.map(place => ({ ...place.env, ...network.env, ...env })),
      {
        ...{ suite: 'agents', grep, claims, within: network.within, triesOnce: true },
        ...{ testTimeoutMs: 120_000 },
        suiteTimeoutMs: MINUTES_EACH * tests.length * 60_000,
      },
    );
    const page = grep === undefined ? pageResult(readEffects(effects), result.failed > 0, options) : undefined;
    const results = [result, ...(page === undefined ? [] : [page])];
    console.log(`\n${closingLines(results)}`);
    return results.some(({ failed }) => failed > 0) ? 1 : 0;
  } finally {
    for (const place of places) place.remove();
  }
});

/**
 * Compares what was seen with the table of the page, and writes it if that is asked for and no test failed. Returns a failure
 * where they differ; undefined where all is well.
 */
function pageResult(
  seen: readonly Effects[],
  hasFailed: boolean,
  { all, latest, write }: AgentOptions,
): SuiteResult | undefined {
  const before = columnsOf(tableOfPage());
  const changes = effectChanges(before, seen);
  const isChanged = changes.some(({ cells }) => cells.length > 0);
  if (latest) console.log(`\nTable of effects in docs/guard.md, and what was seen now:\n${changesText(changes)}`);
  if (hasFailed) return undefined;
  const table = effectsTable(columnsAfter(before, seen, { isAll: all }));
  if (write) {
    writeEffects(table);
    return undefined;
  }
  // Newer versions are no difference by themselves.
  if (latest ? !isChanged : table === tableOfPage()) return undefined;
  if (!latest) console.log(`\n${changesText(changes)}\n`);
  return failedSuite('docs/guard.md has another table of effects than was seen; --write writes this one');
}
