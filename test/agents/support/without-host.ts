import assert from 'node:assert/strict';
import { until } from '../../modes/support/cli';
import { assertDenied, canRefusePrompt, type AgentTests } from './agent-tests';
import { userSees } from './decisions';

/** The tests of what happens when no host answers. */
export function describeWithoutHost(tests: AgentTests): void {
  const { agent, effects, place } = tests;
  it('does not run a call when none can be started, and the model gets why', async () => {
    const run = await place().run([place().shell('mkdir free')], {
      onAsked: () => {
        place().breakProgram();
        process.kill(place().host.pid, 'SIGKILL');
      },
    });
    assert.ok(!place().hasMade('free'));
    effects.note('no host can be started: a call', assertDenied(tests, run, /Hookline could not check this/));
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

  it('does not run a call when the host hangs, and the model gets why once the client gives up', async () => {
    const run = await place().run([place().shell('mkdir free')], {
      onAsked: () => {
        place().makeImpatient();
        process.kill(place().host.pid, 'SIGSTOP');
      },
    });
    assert.ok(!place().hasMade('free'));
    const why = /Hookline could not check this, because no answer came in time/;
    effects.note('the host hangs during a call', assertDenied(tests, run, why));
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
