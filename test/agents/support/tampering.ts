import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GuardRecord } from '../../../src/guard/protocol/agent-call';
import { until } from '../../modes/support/cli';
import type { AgentPlace } from './agent-place';
import { assertDenied, type AgentTests } from './agent-tests';
import type { AgentTraits } from './configuration';

/**
 * The tests of an agent that changes its own configuration. `path`: the file that names our hooks, below the home folder. `args`:
 * arguments with which the agent's commands may write there.
 */
export function describeTampering(tests: AgentTests, { path, empty = '{}\n', args = [] }: AgentTraits['own']): void {
  const { place } = tests;
  const file = (): string => join(place().cli.root, path);

  it('a call that empties the configuration of the agent is undone, and the next session is guarded', async () => {
    // Claude Code itself would not let a plain command write there.
    await place().run([place().shell(`mkdir free; sh -c 'echo "{}" > "$1"' sh '${file()}'`)], { args });
    assert.ok(place().hasMade('free'), 'the call ran');
    assertDenied(tests, await place().run([place().shell('mkdir blocked')]), /Not on a Sunday\./);
    assert.ok(!place().hasMade('blocked'));
    assert.deepEqual(await undoneIn(place()), [file()]);
  });

  it('a change of the configuration by a person after the agent has ended stays', async () => {
    await place().run([place().shell('mkdir free')]);
    assert.ok(place().hasMade('free'));
    await until(() => !place().hasOpenCalls(), 'the end of the call');
    writeFileSync(file(), empty);
    await place().run([place().shell('mkdir blocked')]);
    assert.ok(place().hasMade('blocked'));
    assert.equal(readFileSync(file(), 'utf8'), empty);
    assert.deepEqual(await undoneIn(place()), []);
  });
}

async function undoneIn(place: AgentPlace): Promise<readonly string[]> {
  const { stdout } = await place.hookline('guard', 'log', '--json');
  const records = stdout.split('\n').filter(line => line !== '');
  return records.flatMap(line => (JSON.parse(line) as GuardRecord).undone ?? []);
}
