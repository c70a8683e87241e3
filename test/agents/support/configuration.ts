import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setupOf } from '../../../src/guard/config/agents';
import type { Ended } from '../../modes/support/cli';
import type { AgentPlace } from './agent-place';
import type { AgentTests } from './agent-tests';

/** What differs between the configurations of the agents. */
export interface AgentTraits {
  /** The file that names our hooks, below the home folder. */
  readonly own: {
    readonly path: string;
    /** What the agent itself leaves as it is there, without entries; absent: `{}`. */
    readonly empty?: string;
    /** Arguments with which commands of the agent may write there. */
    readonly args?: readonly string[];
  };
  /** The user's own configuration, below the home folder, with a hook of another tool that makes `other` in the project. */
  readonly others: {
    readonly path: string;
    readonly text: string;
    /** Arguments with which the agent runs hooks that nobody trusted. */
    readonly args?: readonly string[];
  };
  /** Files in the project that turn hooks off, or would if the agent let them. */
  readonly switches: {
    readonly files: readonly (readonly [path: string, text: string])[];
    /** Whether the agent follows them. */
    readonly count: boolean;
    /** Lets the agent take the project as trusted. */
    readonly trust?: (place: AgentPlace) => void;
  };
}

/** The tests of the agent's configuration, of what `guard status` says of it, and of `guard check --fire`. */
export function describeConfiguration(
  tests: AgentTests,
  { others, switches: { files, count, trust } }: AgentTraits,
): void {
  const { id, agent, effects, place } = tests;
  const turnOff = (): void => {
    trust?.(place());
    for (const [path, text] of files) place().cli.file(join('work', path), text);
  };

  const fire = (): Promise<Ended> => place().command('guard', 'check', '--fire', id);

  it('a repository turns hooks off where that is known, and the status names the file', async () => {
    turnOff();
    await place().run([place().shell('mkdir blocked')]);
    assert.equal(place().hasMade('blocked'), count);
    const status = await place().command('guard', 'status', id);
    assert.equal(status.code, count ? 1 : 0, status.stdout);
    for (const [path] of files) assert.equal(status.stdout.includes(path), count, status.stdout);
    effects.note('a repository turns hooks off', count ? 'run; the status names the file' : 'not run');
  });

  if (setupOf(id).files('system', process.platform).length === 0) {
    it('has no scope of the system', async () => {
      const added = await place().command('guard', 'add', id, '--system', '--yes');
      assert.match(added.stderr, /has no configuration of the system/);
      assert.notEqual(added.code, 0);
      effects.note('the same, with the system scope', 'there is none');
    });
  } else {
    it('a repository cannot turn off the guard of the system', async () => {
      await place().hookline('guard', 'remove', id, '--yes');
      place().useOwnSystem();
      await place().hookline('guard', 'add', id, '--system', '--yes');
      turnOff();
      const { result } = await place().run([place().shell('mkdir blocked')]);
      assert.ok(!place().hasMade('blocked'));
      assert.match(result, /Not on a Sunday\./);
      await place().hookline('guard', 'status', id);
      effects.note('the same, with the system scope', 'not run; the model gets the reason');
    });
  }

  it('hooks of other tools are kept and run, and remove leaves the file as it was', async () => {
    await place().hookline('guard', 'remove', id, '--yes');
    const file = place().cli.file(others.path, others.text);
    await place().hookline('guard', 'add', id, '--yes');
    const turns = [place().shell('mkdir blocked'), place().shell('mkdir free')];
    const runs = agent.endsAtDenial === true ? turns.map(turn => [turn]) : [turns];
    for (const run of runs) await place().run(run, { args: others.args ?? [] });
    assert.deepEqual(
      ['blocked', 'free', 'other'].map(name => place().hasMade(name)),
      [false, true, true],
    );
    await place().hookline('guard', 'remove', id, '--yes');
    assert.equal(readFileSync(file, 'utf8'), others.text);
    await place().run([place().shell('mkdir blocked')]);
    assert.ok(place().hasMade('blocked'));
  });

  it('check --fire says that it is blocked, and after remove that it ran', async () => {
    const guarded = await fire();
    assert.match(guarded.stdout, /BLOCKED/, guarded.stderr);
    assert.equal(guarded.code, 0);
    await place().hookline('guard', 'remove', id, '--yes');
    const bare = await fire();
    assert.match(bare.stdout, /RAN/, bare.stderr);
    assert.equal(bare.code, 1);
  });

  it('check --fire names all that the agent keeps of the start', async () => {
    // What the agent makes at its first start ever is not of the check.
    await place().run([place().shell('true')]);
    const before = place().home();
    const { stdout } = await fire();
    const changed = [...place().home()].filter(([path, stamp]) => before.get(path) !== stamp).map(([path]) => path);
    const named = [...stdout.matchAll(/~\/([\w./-]*\w)/g)].map(([, path = '']) => path);
    // A database has files beside it, with a hyphen.
    const isIn = (path: string, name: string): boolean =>
      path === name || path.startsWith(`${name}/`) || path.startsWith(`${name}-`);
    assert.deepEqual(
      changed.filter(path => !named.some(name => isIn(path, name))),
      [],
      stdout,
    );
  });
}
