// `npm run test:agents -- [--file text] [--grep text] [--quick] [--write]`: tests that hooks guard the real Claude Code, Codex and
// Copilot. `--quick` runs the tests that CI has time for. `--write` writes the table in docs/guard.md; without it, a whole run fails
// when the page has another table.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildCommandLine } from './build/command-line.ts';
import { bundleSuite } from './bundle-tests.ts';
import { agentVersions, bringAgents } from './support/agent-packages.ts';
import { effectsTable, hasEffects, readEffects, writeEffects } from './support/effects-page.ts';
import { runMain, UserError } from './support/fail.mjs';
import { onlyLoopback } from './support/only-loopback.ts';
import { OUT } from './support/paths.ts';
import { closingLines, failedSuite, runMochaParts, type SuiteResult } from './support/suite.ts';
import { makeTestPlace } from './support/test-place.ts';

/** How many processes share the files. Agents wait for the model and the host most of the time. */
const AT_A_TIME = 2;

/** Files and titles of the tests that CI has time for. */
const QUICK = { files: /[\\/](claude|codex)\.agent\.mjs$/, grep: 'a hook blocks a call, and|none can be started' };

await runMain(async () => {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values } = parseArgs({ options: { grep: text, file: text, quick: flag, write: flag } });
  const { file, quick, write, grep = quick ? QUICK.grep : undefined } = values;
  const isWhole = grep === undefined && file === undefined;
  if (write && !isWhole) throw new UserError('--write needs all tests: the page has all agents');
  const { tests: bundled } = await bundleSuite('agents', { file });
  const tests = quick ? bundled.filter(path => QUICK.files.test(path)) : bundled;
  if (tests.length === 0) throw new UserError(`no test file of the suite "agents" has "${String(file)}" in its path`);
  const agents = await bringAgents();
  const cli = await buildCommandLine(join(OUT, 'guard-under-test'), { production: true });
  const network = onlyLoopback();
  console.log(`hookline: tested are ${agentVersions()}`);
  console.log(`hookline: the agents have ${network.description}, so that they reach only 127.0.0.1`);
  const places = Array.from({ length: Math.min(AT_A_TIME, tests.length) }, () => makeTestPlace());
  try {
    const [claims, effects] = ['claims', 'effects'].map(name => join(places[0]?.root ?? '', name)) as [string, string];
    for (const folder of [claims, effects]) mkdirSync(folder);
    const env = { HOOKLINE_TEST_CLI: cli, HOOKLINE_TEST_AGENTS: agents, HOOKLINE_TEST_EFFECTS: effects };
    // A call that ran although it was denied is a hole, however seldom: no test may pass at a second try.
    const result = await runMochaParts(
      places.map(() => tests),
      places.map(place => ({ ...place.env, ...network.env, ...env })),
      {
        ...{ suite: 'agents', grep, claims, within: network.within, triesOnce: true },
        ...{ testTimeoutMs: 120_000, suiteTimeoutMs: 15 * 60_000 },
      },
    );
    const results: SuiteResult[] = [result];
    if (isWhole && result.failed === 0) {
      const table = effectsTable(readEffects(effects));
      if (write) writeEffects(table);
      else if (!hasEffects(table)) {
        console.log(`\n${table}\n`);
        results.push(failedSuite('docs/guard.md has another table of effects than was seen; --write writes this one'));
      }
    }
    console.log(`\n${closingLines(results)}`);
    return results.some(({ failed }) => failed > 0) ? 1 : 0;
  } finally {
    for (const place of places) place.remove();
  }
});
