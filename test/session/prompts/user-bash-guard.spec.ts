import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { deferred } from '../../../src/base/async/wait';
import { Stage } from '../../conformance/support';
import { until } from '../../support/conversation-rig';

const INVALID =
  'Invalid user_bash handler result: return undefined for local execution or exactly one valid { operations } or { result } object';

describe('a guard of the commands of a person', () => {
  let stage: Stage | undefined;

  async function open(...guards: readonly string[]): Promise<Stage> {
    const files = guards.map((code, at) => [
      `guard${at}.ts`,
      `export default pi => { pi.on('user_bash', ${code}); };\n`,
    ]);
    stage = await Stage.open([], { extensions: Object.fromEntries(files) as Record<string, string> });
    return stage;
  }

  afterEach(async () => {
    await stage?.rig.close();
    stage = undefined;
  });

  for (const [what, guard, says] of [
    ['throws', "async () => { throw new Error('no such key'); }", 'no such key'],
    ['answers with something else', '() => true', INVALID],
    ['answers with null', '() => null', INVALID],
    ['answers with an empty object', '() => ({})', INVALID],
    [
      'answers with both',
      "() => ({ result: { output: '', exitCode: 0, cancelled: false, truncated: false }, operations: { exec: async () => ({ exitCode: 0 }) } })",
      INVALID,
    ],
    ['answers with half an operation', '() => ({ operations: { exec: 1 } })', INVALID],
  ] as const) {
    it(`that ${what} keeps the command from running, and no other is asked`, async () => {
      const on = await open(
        guard,
        "() => ({ result: { output: 'second', exitCode: 0, cancelled: false, truncated: false } })",
      );
      await on.chat.submit('!touch ran');
      assert.ok(!existsSync(join(on.cwd, 'ran')));
      assert.deepEqual(on.outcomes('user_bash').length, 1);
      assert.deepEqual(
        on.errors.map(({ message, event }) => [event, message]),
        [['user_bash', says]],
      );
      assert.deepEqual(on.rig.items('bash'), []);
      assert.match(on.rig.items('notice').at(-1)?.text ?? '', /^The command was not run, because a hook failed: /);
      assert.equal(on.chat.composer.text, '!touch ran');
      await assert.rejects(on.rig.conversation.shells.run('touch ran', false), { message: says });
    });
  }

  it('that is being started anew is waited for', async () => {
    const guard = `export default async pi => {
        const { starts } = globalThis.guardOfTest;
        if (starts.push('start') > 1) await globalThis.guardOfTest.held;
        let armed = true;
        pi.on('session_shutdown', () => { armed = false; });
        pi.on('user_bash', () => { if (armed) throw new Error('guarded'); });
      };`;
    const held = deferred();
    const starts: string[] = [];
    Object.assign(globalThis, { guardOfTest: { held: held.promise, starts } });
    stage = await Stage.open([], { extensions: { 'guard.ts': guard } });
    const reload = stage.rig.host.reload({ freshAll: true });
    await until(() => (starts.length > 1 ? true : undefined), 'the guard starts again');
    const command = assert.rejects(stage.rig.conversation.shells.run('touch ran', false), { message: 'guarded' });
    await setImmediate();
    held.resolve();
    await Promise.all([command, reload]);
    assert.ok(!existsSync(join(stage.cwd, 'ran')));
  });

  it('that says nothing lets it run', async () => {
    const on = await open('() => undefined', 'async () => {}');
    await on.chat.submit('!touch ran');
    assert.ok(existsSync(join(on.cwd, 'ran')));
    assert.deepEqual(on.errors, []);
  });
});
