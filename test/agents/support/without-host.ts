import assert from 'node:assert/strict';
import { until } from '../../modes/support/cli';
import type { AgentRun } from './agent-place';
import { assertDenied, canRefusePrompt, type AgentTests } from './agent-tests';
import { userSees } from './decisions';

/** The tests of what happens when no host answers. */
export function describeWithoutHost(tests: AgentTests): void {
  const { agent, effects, place } = tests;
  /** Checks what happens after a call that did not run because no host answers, and returns it for the table. */
  const afterCall = (run: AgentRun, reason: RegExp): string => {
    if (agent.sendsResultsAsPrompts !== true) return assertDenied(tests, run, reason);
    assert.equal(run.model.requests.filter(({ tools }) => tools.length > 0).length, 1);
    return `not run; the run ends, and ${userSees(run, reason)}`;
  };

  it('does not run a call when none can be started, and the model gets why, unless the run ends', async () => {
    const run = await place().run([place().shell('mkdir free')], {
      onAsked: () => {
        place().breakProgram();
        process.kill(place().host.pid, 'SIGKILL');
      },
    });
    assert.ok(!place().hasMade('free'));
    effects.note('no host can be started: a call', afterCall(run, /Hookline could not check this/));
  });

  it('sends no prompt when none can be started, where the contract says that prompts can be refused', async () => {
    place().breakProgram();
    const run = await place().run([place().shell('mkdir free')]);
    assert.ok(!place().hasMade('free'));
    const isRefused = run.model.requests.length === 0;
    assert.equal(isRefused, canRefusePrompt(agent));
    const seen = isRefused ? `not sent; ${userSees(run, /Hookline could not check this/)}` : 'sent';
    effects.note('no host can be started: a prompt', seen);
  });

  it('does not run a call when the host hangs, and the model gets why once the client gives up, unless the run ends', async () => {
    const run = await place().run([place().shell('mkdir free')], {
      onAsked: () => {
        place().makeImpatient();
        process.kill(place().host.pid, 'SIGSTOP');
      },
    });
    assert.ok(!place().hasMade('free'));
    effects.note(
      'the host hangs during a call',
      afterCall(run, /Hookline could not check this, because no answer came/),
    );
  });

  it('does not run a call when the host is killed in the middle of it', async () => {
    const run = await place().start([place().shell('mkdir waited')]);
    await until(() => place().hasMade('waiting'), 'the hook to wait');
    process.kill(place().host.pid, 'SIGKILL');
    await run.ended;
    assert.ok(!place().hasMade('waited'));
    const why = /Hookline could not check this, because its host ended before it answered/;
    effects.note('the host is killed during a call', assertDenied(tests, run, why));
  });
}
