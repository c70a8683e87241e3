import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIRED_AGENTS } from '../../../src/guard/fire/fired-agents';
import type { ModelTurn } from '../../../src/guard/fire/model-turn';
import type { AgentId } from '../../../src/guard/protocol/agent-call';
import { writeProgram } from '../../../src/guard/protocol/program';
import { until, type Ended } from '../../modes/support/cli';
import { AgentPlace, type AgentRun } from './agent-place';
import { ScriptedFront } from './front';
import { GATE_HOOK } from './gate-hook';
import { realAgent } from './real-agents';
import { SeenEffects } from './seen-effects';

/** What differs between the agents. */
export interface AgentTraits {
  /** The place of the agent in the table of docs/guard.md. */
  readonly order: number;
  /** The user's own configuration, below the home folder, with a hook of another tool that makes `other` in the project. */
  readonly others: {
    readonly path: string;
    readonly text: string;
    /** Arguments with which the agent runs hooks that nobody trusted. */
    readonly args?: readonly string[];
  };
  /** A file in the project that turns hooks off, and what the home folder needs for it to count; undefined: there is none. */
  readonly switch?: {
    readonly path: string;
    readonly text: string;
    readonly trust?: (place: AgentPlace) => void;
  };
}

/** The tests that each agent passes, whose results are a column of the table of effects. */
export function describeGuardedAgent(id: AgentId, { order, others, switch: repositorySwitch }: AgentTraits): void {
  const agent = realAgent(id);
  const effects = new SeenEffects();

  describe(`hooks guard ${agent.title}`, () => {
    let place: AgentPlace;
    let fronts: ScriptedFront[];

    beforeEach(async () => {
      fronts = [];
      place = await AgentPlace.make(agent);
      place.cli.hook('gate.ts', GATE_HOOK);
      await place.hookline('guard', 'add', id, '--yes');
    });
    afterEach(async () => {
      for (const front of fronts) front.end();
      await place.remove();
    });
    after(() => effects.write(id, agent.title, order));

    const shell = (command: string): ModelTurn => FIRED_AGENTS[id].shellCall(command);
    const hasMade = (name: string): boolean => existsSync(join(place.cli.cwd, name));
    const result = ({ results }: AgentRun): string => results.at(-1) ?? '';

    it('a call that no hook stops runs, and its result reaches the model', async () => {
      const run = await place.run([shell('mkdir free && echo it is free')]);
      assert.ok(hasMade('free'));
      assert.match(result(run), /it is free/);
    });

    it('a hook blocks a call, and the model gets the reason', async () => {
      const run = await place.run([shell('mkdir blocked')]);
      assert.ok(!hasMade('blocked'));
      assert.match(result(run), /Not on a Sunday\./);
      effects.note('a hook blocks a call', 'not run; the model gets the reason');
    });

    describe('a question of a hook in a window', () => {
      const answered = async (answer: string): Promise<AgentRun> => {
        // The first call starts the host, which the window then joins.
        await place.run([shell('mkdir free')]);
        const { endpoint } = place;
        assert.ok(endpoint !== undefined);
        const front = await ScriptedFront.connect(endpoint, { role: 'window', folders: [] }, message =>
          message.type === 'question' ? { type: 'answer', id: message.id, answer } : undefined,
        );
        fronts.push(front);
        const run = await place.run([shell('mkdir asked')]);
        const questions = front.received.flatMap(message => (message.type === 'question' ? [message.question] : []));
        assert.deepEqual(
          questions.map(({ title, dialog }) => [title, dialog.type === 'select' && dialog.options]),
          [['Run it?', ['Yes', 'Dry run', 'No']]],
        );
        return run;
      };

      it('is answered with yes, and the call runs', async () => {
        await answered('Yes');
        assert.ok(hasMade('asked'));
      });

      it('is answered with no, and the call is not run', async () => {
        assert.match(result(await answered('No')), /The answer was No\./);
        assert.ok(!hasMade('asked'));
      });

      it('is answered with a third option, and the changed call runs', async () => {
        await answered('Dry run');
        assert.deepEqual(['asked', 'dry'].map(hasMade), [false, true]);
        effects.note('a hook asks, and a window answers', 'the answer counts');
      });

      it('has no answer without one, and the call is not run', async () => {
        const run = await place.run([shell('mkdir asked')]);
        assert.ok(!hasMade('asked'));
        assert.match(result(run), /The answer was undefined\./);
      });
    });

    it('a hook changes the command, and only the changed one runs', async () => {
      await place.run([shell('mkdir changed')]);
      assert.deepEqual(['changed', 'another'].map(hasMade), [false, true]);
      effects.note('a hook changes the command', 'the changed one runs');
    });

    it('texts that a hook sends before and after a call reach the model, or not, as the table says', async () => {
      const run = await place.run([shell('mkdir noted && echo it is noted')]);
      assert.ok(hasMade('noted'));
      const seen = (text: string): string => (run.hasSeen(text) ? 'yes' : 'no');
      effects.note('text before the call reaches the model', seen('before the call'));
      effects.note('text after the call reaches the model', seen('after the call'));
    });

    it('a hook replaces a result, and the model never gets the original', async () => {
      const run = await place.run([shell('echo secret $((6 * 7))')]);
      assert.ok(!run.hasSeen('secret 42'));
      assert.ok(run.hasSeen('The result is withheld.'), result(run));
      effects.note('a hook replaces the result', 'the model gets only the new one');
    });

    it('a hook takes a prompt, and the model gets it or not, as the table says', async () => {
      const run = await place.run([], { prompt: 'This is forbidden.' });
      effects.note(
        'a hook blocks the prompt',
        run.hasSeen('forbidden') ? 'no: the model gets it' : 'the model gets nothing',
      );
    });

    it('a hook blocks a call of a subagent', async () => {
      const run = await place.run(agent.subagent('Look around.'), { subTurns: [shell('mkdir blocked-below')] });
      assert.ok(!hasMade('blocked-below'));
      assert.match(run.subResults.join('\n'), /Not on a Sunday\./);
      effects.note('a hook blocks a call of a subagent', 'not run; the subagent gets the reason');
    });

    describe('without a host that answers', () => {
      it('does not run a call when none can be started, and the model gets why', async () => {
        await writeProgram(place.guard, {
          node: join(place.cli.root, 'none'),
          cli: join(place.cli.root, 'none.js'),
          variables: {},
        });
        const run = await place.run([shell('mkdir free')]);
        assert.ok(!hasMade('free'));
        // Where prompts can be refused, the agent does not even ask the model.
        const isPromptRefused = run.model.requests.length === 0;
        if (!isPromptRefused) assert.match(result(run), /Hookline/);
        const seen = isPromptRefused ? 'not run; the prompt is refused' : 'not run; the model gets why';
        effects.note('no host can be started', seen);
      });

      it('does not run a call while the host hangs', async () => {
        const run = await place.start([shell('mkdir waited')]);
        await until(() => hasMade('waiting'), 'the hook to wait');
        const { endpoint } = place;
        assert.ok(endpoint !== undefined);
        process.kill(endpoint.pid, 'SIGSTOP');
        // One that is asked to end waits for hooks of its own.
        await place.cli.endLeft();
        await run.ended;
        assert.ok(!hasMade('waited'));
        effects.note('the host hangs', 'not run; the agent waits');
      });

      it('does not run a call when the host is killed in the middle of it', async () => {
        const run = await place.start([shell('mkdir waited')]);
        await until(() => hasMade('waiting'), 'the hook to wait');
        await place.killHost();
        await run.ended;
        assert.ok(!hasMade('waited'));
        assert.match(result(run), /Hookline/);
        effects.note('the host is killed during a call', 'not run; the model gets why');
      });
    });

    it('a file of the repository that turns hooks off is named by the status', async () => {
      if (repositorySwitch === undefined) {
        effects.note('a repository turns hooks off', 'not known to be possible');
        return;
      }
      const { path, text, trust } = repositorySwitch;
      trust?.(place);
      place.cli.file(join('work', path), text);
      await place.run([shell('mkdir blocked')]);
      effects.note('a repository turns hooks off', hasMade('blocked') ? 'run; the status names the file' : 'not run');
      const status = await place.command('guard', 'status', id);
      assert.equal(status.code, 1, status.stdout);
      assert.ok(status.stdout.includes(path), status.stdout);
    });

    it('hooks of other tools are kept and run, and remove leaves the file as it was', async () => {
      await place.hookline('guard', 'remove', id, '--yes');
      const file = place.cli.file(others.path, others.text);
      await place.hookline('guard', 'add', id, '--yes');
      await place.run([shell('mkdir blocked'), shell('mkdir free')], { args: others.args ?? [] });
      assert.deepEqual(['blocked', 'free', 'other'].map(hasMade), [false, true, true]);
      await place.hookline('guard', 'remove', id, '--yes');
      assert.equal(readFileSync(file, 'utf8'), others.text);
      await place.run([shell('mkdir blocked')]);
      assert.ok(hasMade('blocked'));
    });

    it('check --fire says that it is blocked, and after remove that it ran', async () => {
      const check = (): Promise<Ended> => place.command('guard', 'check', '--fire', id);
      const guarded = await check();
      assert.match(guarded.stdout, /BLOCKED/, guarded.stderr);
      assert.equal(guarded.code, 0);
      await place.hookline('guard', 'remove', id, '--yes');
      const bare = await check();
      assert.match(bare.stdout, /RAN/, bare.stderr);
      assert.equal(bare.code, 1);
    });
  });
}
