import assert from 'node:assert/strict';
import { contractOf } from '../../../src/guard/agents';
import type { AgentRun } from './agent-place';
import { assertDenied, canRefusePrompt, eventName, takes, type AgentTests } from './agent-tests';
import { ScriptedFront } from './front';

/** The tests of what a hook and a window decide while all works. */
export function describeDecisions(tests: AgentTests): void {
  const { id, agent, effects, place } = tests;
  it('a call that no hook stops runs, and its result reaches the model', async () => {
    const { result } = await place().run([place().shell('mkdir free && echo it is free')]);
    assert.ok(place().hasMade('free'));
    assert.match(result, /it is free/);
  });

  it('a hook blocks a call, and the model gets the reason', async () => {
    const run = await place().run([place().shell('mkdir blocked')]);
    assert.ok(!place().hasMade('blocked'));
    effects.note('a hook blocks a call', assertDenied(tests, run, /Not on a Sunday\./));
  });

  /** Whether the agent runs a call that a hook changed as it is then; otherwise it must not run. */
  const takesChanges = takes(id, 'tool_call', { input: [{ command: 'mkdir another' }] });

  it('a hook changes the command, and the original does not run', async () => {
    const { result } = await place().run([place().shell('mkdir changed')]);
    assert.ok(!place().hasMade('changed'));
    assert.equal(place().hasMade('another'), takesChanges);
    assert.equal(/A hook changed this call/.test(result), !takesChanges, result);
    effects.note('a hook changes the command', takesChanges ? 'the changed one runs' : 'not run; the model gets why');
  });

  it('texts that a hook sends reach the model where the contract says so', async () => {
    const call = place().shell('mkdir noted && echo it is noted');
    const run = await place().run([call], { prompt: 'This is noted.' });
    assert.ok(place().hasMade('noted'));
    for (const [tried, type, text] of [
      ['a text beside the prompt', 'prompt', 'beside the prompt'],
      ['a text before the call', 'tool_call', 'before the call'],
      ['a text after the call', 'tool_result', 'after the call'],
    ] as const) {
      const isSeen = run.hasSeen(text);
      const isTold = type !== 'prompt' || agent.hidesPrompt !== true;
      assert.equal(isSeen, isTold && takes(id, type, { context: text }), tried);
      effects.note(tried, isSeen ? 'reaches the model' : 'does not reach the model');
    }
  });

  it('a hook replaces a result, and the model never gets the original', async () => {
    const run = await place().run([place().shell("printf 'secret %d2' 4")]);
    assert.ok(!run.hasSeen('secret 42'));
    const isReplaced = run.hasSeen('The result is withheld.');
    assert.equal(isReplaced, takes(id, 'tool_result', { result: { text: 'new', isError: false } }), run.result);
    const seen = isReplaced ? 'the model gets only the new one' : 'the run ends before the model gets it';
    effects.note('a hook replaces the result', seen);
  });

  it('a hook blocks a prompt where the contract says so, and the model gets nothing', async () => {
    const run = await place().run([], { prompt: 'This is forbidden.' });
    const isBlocked = run.model.requests.length === 0;
    assert.equal(isBlocked, canRefusePrompt(agent));
    effects.note(
      'a hook blocks the prompt',
      isBlocked ? `not sent; ${userSees(run, /A hook took over this prompt/)}` : 'sent',
    );
  });

  const { subagent } = agent;
  if (subagent !== undefined) {
    it('a hook blocks a call of a subagent', async () => {
      const subTurns = [place().shell('mkdir blocked-below')];
      const run = await place().run(subagent('Look around.'), { subTurns });
      assert.ok(!place().hasMade('blocked-below'));
      if (agent.endsAtDenial !== true) assert.match(run.subResults.join('\n'), /Not on a Sunday\./);
      const seen = agent.endsAtDenial === true ? 'its run ends without a reason' : 'the subagent gets the reason';
      effects.note('a hook blocks a call of a subagent', `not run; ${seen}`);
    });
  }

  describe('a question of a hook in a window', () => {
    const answered = async (answer: string): Promise<AgentRun> => {
      const front = await ScriptedFront.connect(await place().startHost(), { role: 'window', folders: [] }, message =>
        message.type === 'question' ? { type: 'answer', id: message.id, answer } : undefined,
      );
      const run = await place().run([place().shell('mkdir asked')]);
      front.end();
      const questions = front.received.flatMap(message => (message.type === 'question' ? [message.question] : []));
      assert.deepEqual(
        questions.map(({ title, dialog }) => [title, dialog.type === 'select' && dialog.options]),
        [['Run it?', ['Yes', 'Dry run', 'No']]],
      );
      return run;
    };

    it('is answered with yes, and the call runs', async () => {
      await answered('Yes');
      assert.ok(place().hasMade('asked'));
    });

    it('is answered with no, and the call is not run', async () => {
      assertDenied(tests, await answered('No'), /The answer was No\./);
      assert.ok(!place().hasMade('asked'));
    });

    it('is answered with a third option that changes the call', async () => {
      await answered('Dry run');
      assert.ok(!place().hasMade('asked'));
      assert.equal(place().hasMade('dry'), takesChanges);
      effects.note('a hook asks, and a window answers', 'the answer counts');
    });

    it('has no answer without one, and the call is not run', async () => {
      const run = await place().run([place().shell('mkdir asked')]);
      assert.ok(!place().hasMade('asked'));
      assertDenied(tests, run, /The answer was undefined\./);
    });
  });

  it('a plain question of a hook has no answer where nobody is, and the call is not run', async () => {
    await place().run([place().shell('mkdir confirmed')]);
    assert.ok(!place().hasMade('confirmed'));
    effects.note('a hook asks yes or no, and no window is there', 'not run, since the agent is alone');
  });

  describe('a window that has the folder open', () => {
    /** `deniesCalls`: the window answers calls of tools with this denial, and has no decision about the rest. */
    const decided = async (deniesCalls: string, command: string): Promise<AgentRun> => {
      const hello = { role: 'window' as const, folders: [place().cli.cwd] };
      const front = await ScriptedFront.connect(await place().startHost(), hello, message => {
        if (message.type !== 'call') return undefined;
        const output = message.call.event === eventName(id, 'tool_call') ? deniesCalls : '';
        return { type: 'reply', id: message.id, reply: { output, records: [] } };
      });
      const run = await place().run([place().shell(command)]);
      front.end();
      const events = front.received.flatMap(message => (message.type === 'call' ? [message.call.event] : []));
      assert.ok(events.includes(eventName(id, 'tool_call')), events.join());
      return run;
    };

    it('denies a call, and it is not run', async () => {
      const denial = contractOf(id).refuse(eventName(id, 'tool_call'), 'The window says no.');
      assertDenied(tests, await decided(denial, 'mkdir free'), /The window says no\./);
      assert.ok(!place().hasMade('free'));
    });

    it('has nothing against a call, and it runs, since no other hooks of the folder are asked', async () => {
      await decided('', 'mkdir blocked');
      assert.ok(place().hasMade('blocked'));
      effects.note('a window that has the folder open decides', 'its answer counts');
    });
  });
}

/** Whether an agent's user sees a text, for the table. */
export function userSees({ printed }: AgentRun, text: RegExp): string {
  return text.test(printed) ? 'the user sees why' : 'the user does not see why';
}
