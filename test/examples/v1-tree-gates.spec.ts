import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, Stage } from '../conformance/support';
import { until, type RigOptions } from '../support/conversation-rig';
import { isSaid } from '../support/said';
import type { Script } from '../support/scripted-stream';
import { exampleAs, git, repository } from './drive';

/** Gates and observers of tools mean the same in both; without a comment, such files count as v1. */
const DIALECTS = ['v1', 'tree'] as const;

describe('gates of v1 and tree', () => {
  let stage: Stage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function open(
    dialect: (typeof DIALECTS)[number],
    name: string,
    script: readonly Script[],
    options: RigOptions = {},
  ): Promise<Stage> {
    stage = await Stage.open(script, { ...options, hooks: { [name]: exampleAs(dialect, 'v1', name) } });
    const info = stage.rig.host.infos().find(({ path }) => path.endsWith(name));
    assert.equal(info?.dialect?.id, dialect, info?.dialect?.because);
    return stage;
  }

  describe('irreversible-commands.ts', () => {
    for (const dialect of DIALECTS) {
      const start = (script: readonly Script[], options?: RigOptions): Promise<Stage> =>
        open(dialect, 'irreversible-commands.ts', script, options);
      const run = (command: string): readonly Script[] => [call('bash', { command }), { text: 'understood' }];

      for (const command of [
        'touch made; true git clean',
        'touch made; true git reset --hard',
        'true dd of=x; touch made',
        'touch made && true shred',
      ]) {
        it(`${dialect}: asks before "${command}", and runs it after a yes`, async () => {
          const on = await start(run(command));
          on.person.answers = ['Go ahead'];
          await on.chat.submit('go');
          assert.deepEqual([on.tool().state, existsSync(join(on.cwd, 'made'))], ['done', true]);
          assert.deepEqual(
            on.person.questions.map(({ title, dialog }) => [title.replace(/\n +/g, '\n'), dialog]),
            [
              [
                `Nothing brings this back:\n\n${command}\n\nGo ahead?`,
                { type: 'select', options: ['Go ahead', 'Leave it'] },
              ],
            ],
          );
        });
      }

      for (const answer of ['Leave it', undefined]) {
        const reason = `${answer ?? 'No answer'}: what it destroys is needed`;
        it(`${dialect}: blocks after ${answer ?? 'a canceled question'}, and the model is told why`, async () => {
          const on = await start(run('touch made; true shred'));
          on.person.answers = [answer];
          await on.chat.submit('go');
          assert.deepEqual(on.tool(), { state: 'blocked', reason, output: reason });
          assert.equal(existsSync(join(on.cwd, 'made')), false);
          assert.equal(on.request(-1).at(-1), `toolResult: ${reason}`);
        });
      }

      it(`${dialect}: lets other commands and other tools through unasked`, async () => {
        const on = await start([call('bash', { command: 'touch shreds' }), call('ls', {}), { text: 'ok' }]);
        await on.chat.submit('go');
        assert.deepEqual([on.tool(0).state, on.tool(1).state, on.person.questions.length], ['done', 'done', 0]);
      });

      it(`${dialect}: blocks where nobody can be asked, because select gives null there`, async () => {
        const on = await start(run('shred x'), { hasUI: false });
        await on.chat.submit('go');
        assert.equal(on.tool().reason, 'No answer: what it destroys is needed');
      });
    }
  });

  describe('generated-files.ts', () => {
    for (const dialect of DIALECTS) {
      it(`${dialect}: blocks write and edit with a notice, and lets other files and tools through`, async () => {
        const files = { 'yarn.lock': 'locked', 'node_modules/x.min.js': 'a' };
        const script = [
          call('write', { path: 'yarn.lock', content: 'x' }, 'a'),
          call('edit', { path: 'node_modules/x.min.js', oldText: 'a', newText: 'b' }, 'b'),
          call('write', { path: 'fine.js', content: 'x' }, 'c'),
          call('read', { path: 'yarn.lock' }, 'd'),
          { text: 'ok' },
        ];
        const on = await open(dialect, 'generated-files.ts', script, { files });
        await on.chat.submit('go');
        assert.deepEqual(
          [0, 1, 2, 3].map(at => on.tool(at).reason ?? on.tool(at).state),
          [
            'yarn.lock is generated: let the package manager write it.',
            'node_modules/x.min.js is generated: run what generates it.',
            'done',
            'done',
          ],
        );
        assert.deepEqual(on.notices, [
          'Kept yarn.lock from being written by hand warning',
          'Kept x.min.js from being written by hand warning',
        ]);
        assert.deepEqual(
          Object.keys(files).map(name => readFileSync(join(on.cwd, name), 'utf8')),
          Object.values(files),
        );
      });
    }
  });

  describe('turn-snapshots.ts', () => {
    for (const dialect of DIALECTS) {
      /** Three turns: the first writes, the second takes that back, and the third goes on. */
      async function inThirdTurn(): Promise<{
        readonly on: Stage;
        readonly run: Promise<void>;
        readonly file: string;
      }> {
        const script: Script[] = [
          call('write', { path: 'code.txt', content: 'changed\n' }, 'a'),
          call('bash', { command: 'git checkout -q -- code.txt' }, 'b'),
          'hang',
        ];
        const on = await open(dialect, 'turn-snapshots.ts', script, { files: { 'code.txt': 'base\n' } });
        repository(on.cwd);
        git(on.cwd, 'config', 'user.name', 'test');
        git(on.cwd, 'config', 'user.email', 'test@localhost');
        const run = on.chat.submit('go');
        await until(() => (on.rig.model.requests.length === 3 ? true : undefined), 'the third turn');
        const file = join(on.cwd, 'code.txt');
        assert.equal(readFileSync(file, 'utf8'), 'base\n');
        return { on, run, file };
      }
      const branch = (on: Stage): Promise<unknown> =>
        on.chat.conversation.sessions.fork(on.chat.conversation.store.getEntries().find(isSaid)?.id ?? '');

      it(`${dialect}: brings back what a turn found, while the agent works`, async () => {
        const { on, run, file } = await inThirdTurn();
        on.person.answers = ['What turn 1 found'];
        await branch(on);
        await run;
        assert.equal(readFileSync(file, 'utf8'), 'changed\n');
        assert.deepEqual(
          on.person.questions.map(({ title, dialog }) => [title, dialog]),
          [
            [
              'Which changes come back before entry 1?', // The header has index 0.
              { type: 'select', options: ['What turn 1 found', 'Nothing'] },
            ],
          ],
        );
        assert.deepEqual(on.notices, ['What turn 1 found is back info']);
        const before = on.seen.find(seen => seen.name === 'session' && seen.event === 'session_before_branch');
        assert.equal(before?.payload['targetTurnIndex'], 1);
      });

      for (const answer of ['Nothing', undefined]) {
        it(`${dialect}: leaves the files alone after ${answer ?? 'a canceled question'}`, async () => {
          const { on, run, file } = await inThirdTurn();
          on.person.answers = [answer];
          await branch(on);
          await run;
          assert.equal(readFileSync(file, 'utf8'), 'base\n');
          assert.deepEqual([on.person.questions.length, on.notices], [1, []]);
        });
      }

      it(`${dialect}: asks nothing when the agent has ended`, async () => {
        const { on, run } = await inThirdTurn();
        await on.chat.conversation.run.stop();
        await run;
        await branch(on);
        assert.equal(on.person.questions.length, 0);
      });
    }
  });

  describe('result-kinds.ts', () => {
    const measure = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
import { Type } from '@sinclair/typebox';
export default function (pi: ExtensionAPI) {
  pi.registerTool({ name: 'measure', label: 'Measure', description: 'Measures.', parameters: Type.Object({}),
    execute: async () => ({ content: [{ type: 'text', text: '7' }], details: { unit: 'miles' } }) });
}\n`;
    for (const dialect of DIALECTS) {
      it(`${dialect}: tells the tools apart with the guards, and reads their details`, async () => {
        const script = [
          call('bash', { command: 'seq 1 3000' }),
          call('bash', { command: 'exit 3' }, 'fails'),
          call('read', { path: 'a.txt' }),
          call('write', { path: 'b.txt', content: 'b' }),
          call('edit', { path: 'a.txt', oldText: 'a', newText: 'c' }),
          call('grep', { pattern: 'c' }),
          call('find', { pattern: '*.txt' }),
          call('ls', {}),
          call('measure', {}),
          { text: 'ok' },
        ];
        const options = { files: { 'a.txt': 'a' }, extensions: { 'measure.ts': measure } };
        const on = await open(dialect, 'result-kinds.ts', script, options);
        await on.chat.submit('go');
        const [cut, ...others] = on.notices;
        assert.match(cut ?? '', /^bash: 2000 of 3000 lines, cut by lines, in .*pi-bash-.*\.log info$/);
        assert.deepEqual(others, [
          'bash: whole error',
          'read: whole info',
          'write of b.txt info',
          'edit of a.txt info',
          'grep: whole info',
          'find: whole info',
          'ls: whole info',
          'measured in miles info',
        ]);
        assert.deepEqual(on.outcomes('tool_result'), Array<string>(9).fill('tool_result: nothing'));
      });
    }
  });

  describe('run-trace.ts', () => {
    for (const dialect of DIALECTS) {
      it(`${dialect}: hears of each step of a run in its order`, async () => {
        const script = [
          { calls: ['one', 'two'].map(id => ({ id, name: 'bash', args: { command: `test ${id} = one` } })) },
          { text: 'ok' },
        ];
        const on = await open(dialect, 'run-trace.ts', script);
        await on.chat.submit('go');
        assert.deepEqual(
          on.notices.map(text => text.replace(/ info$/, '')),
          [
            'run',
            'turn 0 now',
            'call one of bash with command',
            'result of one: fine',
            'call two of bash with command',
            'result of two: failed',
            'turn 0 ends: assistant, results: one,two',
            'turn 1 now',
            'turn 1 ends: assistant, results: none',
            'run ends: user,assistant,toolResult,toolResult,assistant',
          ],
        );
        assert.deepEqual(
          on.seen.filter(({ outcome }) => outcome !== 'nothing'),
          [],
        );
      });
    }
  });
});
