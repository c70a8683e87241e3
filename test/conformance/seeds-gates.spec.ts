import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RigOptions } from '../support/conversation-rig';
import { until } from '../support/conversation-rig';
import { seedIt, seedModule } from '../support/seeds';
import type { Script } from '../support/scripted-stream';
import { call, Stage } from './support';
import { isSaid } from '../support/said';

const run = (command: string): readonly Script[] => [call('bash', { command }), { text: 'understood' }];

describe('gates of the documents', () => {
  let stage: Stage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function ask(script: readonly Script[], id: string, options: RigOptions = {}): Promise<Stage> {
    stage = await Stage.open(script, { hooks: { 'gate.ts': seedModule(id) }, ...options });
    return stage;
  }

  for (const document of ['v1', 'tree'] as const) {
    const id = `${document}-permission-gate`;

    for (const [command, made] of [
      ['mkdir kept && rm -rf kept && touch made', 'made'],
      ['touch made && rm --recursive made', undefined],
      ['touch made; true sudo', 'made'],
      ['touch made; chmod 777 made', 'made'],
    ] as const) {
      seedIt(`${id}: asks before "${command}", and runs it after Yes`, async () => {
        const { person, chat, cwd, tool } = bound(await ask(run(command), id));
        person.answers = ['Yes'];
        await chat.inbox.submit('go');
        assert.equal(tool().state, 'done');
        const [question] = person.questions;
        assert.deepEqual(question?.dialog, { type: 'select', options: ['Yes', 'No'] });
        assert.equal(question.title.replace(/\n +/g, '\n'), `⚠️ Dangerous command:\n\n${command}\n\nAllow?`);
        if (made !== undefined) assert.ok(existsSync(join(cwd, made)));
      });
    }

    for (const [answer, what] of [
      ['No', 'No'],
      [undefined, 'a cancelled question'],
    ] as const) {
      seedIt(`${id}: blocks after ${what}, and the model is told`, async () => {
        const { person, chat, cwd, tool, request } = bound(await ask(run('touch made; rm -rf x'), id));
        person.answers = [answer];
        await chat.inbox.submit('go');
        assert.deepEqual(tool(), { state: 'blocked', reason: 'Blocked by user', output: 'Blocked by user' });
        assert.equal(existsSync(join(cwd, 'made')), false);
        assert.equal(request(-1).at(-1), 'toolResult: Blocked by user');
      });
    }

    seedIt(`${id}: lets other commands and other tools through unasked`, async () => {
      const script = [call('bash', { command: 'touch made' }), call('ls', {}), { text: 'ok' }];
      const { person, chat, tool } = bound(await ask(script, id));
      await chat.inbox.submit('go');
      assert.deepEqual([tool(0).state, tool(1).state, person.questions.length], ['done', 'done', 0]);
    });

    seedIt(`${id}: blocks without UI, where select gives null`, async () => {
      const { chat, tool } = bound(await ask(run('rm -rf x'), id, { hasUI: false }));
      await chat.inbox.submit('go');
      assert.equal(tool().reason, 'Blocked by user');
    });

    seedIt(`${document}-protected-paths: blocks writes to them, tells why, and lets others through`, async () => {
      const script = [
        call('write', { path: '.env', content: 'x' }, 'a'),
        call('edit', { path: 'node_modules/x.js', oldText: 'a', newText: 'b' }, 'b'),
        call('write', { path: 'fine.txt', content: 'x' }, 'c'),
        call('read', { path: 'node_modules/x.js' }, 'd'),
        { text: 'ok' },
      ];
      const files = { 'node_modules/x.js': 'a' };
      const { chat, cwd, tool, notices } = bound(await ask(script, `${document}-protected-paths`, { files }));
      await chat.inbox.submit('go');
      assert.deepEqual(
        [0, 1, 2, 3].map(at => tool(at).reason ?? tool(at).state),
        ['Path ".env" is protected', 'Path "node_modules/x.js" is protected', 'done', 'done'],
      );
      assert.deepEqual(notices(), [
        'Blocked write to protected path: .env warning',
        'Blocked write to protected path: node_modules/x.js warning',
      ]);
      assert.equal(existsSync(join(cwd, '.env')), false);
      assert.equal(readFileSync(join(cwd, 'node_modules/x.js'), 'utf8'), 'a');
    });

    seedIt(`${document}-block-all: blocks with the reason it gives`, async () => {
      const { chat, tool } = bound(await ask(run('touch made'), `${document}-block-all`));
      await chat.inbox.submit('go');
      assert.deepEqual([tool().state, tool().reason], ['blocked', '...']);
    });

    describe(`${document}-git-checkpoint`, () => {
      /** Three turns: the first writes, the second undoes that, the third waits. */
      async function inThirdTurn(): Promise<{
        readonly stage: Stage;
        readonly run: Promise<void>;
        readonly file: string;
      }> {
        const root = mkdtempSync(join(tmpdir(), 'hookline checkpoint '));
        const cwd = join(root, 'work');
        mkdirSync(cwd);
        const git = (...args: readonly string[]): string =>
          execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, encoding: 'utf8' });
        git('init', '-q');
        git('config', 'user.name', 't');
        git('config', 'user.email', 't@t');
        const file = join(cwd, 'code.txt');
        writeFileSync(file, 'base\n');
        git('add', '.');
        git('commit', '-q', '-m', 'base');
        const script: Script[] = [
          call('write', { path: 'code.txt', content: 'checkpoint\n' }, 'a'),
          call('bash', { command: 'git checkout -q -- code.txt' }, 'b'),
          'hang',
        ];
        const opened = await ask(script, `${document}-git-checkpoint`, { root });
        const going = opened.chat.inbox.submit('go');
        await until(() => (opened.rig.model.requests.length === 3 ? true : undefined), 'the third turn');
        assert.equal(readFileSync(file, 'utf8'), 'base\n');
        return { stage: opened, run: going, file };
      }

      const userEntry = (on: Stage): string => on.chat.store.getEntries().find(isSaid)!.id;

      seedIt('stashes at each turn and restores the code of the turn that is branched from', async () => {
        const { stage: on, run: going, file } = await inThirdTurn();
        on.person.answers = ['Yes, restore code to that point'];
        await on.chat.sessions.fork(userEntry(on));
        await going;
        assert.equal(readFileSync(file, 'utf8'), 'checkpoint\n');
        assert.deepEqual(
          on.person.questions.map(question => [question.title, question.dialog]),
          [
            [
              'Restore code state?',
              { type: 'select', options: ['Yes, restore code to that point', 'No, keep current code'] },
            ],
          ],
        );
        assert.deepEqual(on.notices, ['Code restored to checkpoint info']);
        const before = on.seen.find(seen => seen.name === 'session' && seen.event === 'session_before_branch');
        assert.equal(before?.payload['targetTurnIndex'], 1);
      });

      for (const answer of ['No, keep current code', undefined]) {
        seedIt(`keeps the code after ${answer ?? 'a cancelled question'}`, async () => {
          const { stage: on, run: going, file } = await inThirdTurn();
          on.person.answers = [answer];
          await on.chat.sessions.fork(userEntry(on));
          await going;
          assert.equal(readFileSync(file, 'utf8'), 'base\n');
          assert.equal(on.person.questions.length, 1);
          assert.deepEqual(on.notices, []);
        });
      }

      seedIt('asks nothing once the agent has ended, its checkpoints being cleared', async () => {
        const { stage: on, run: going } = await inThirdTurn();
        await on.chat.run.stop();
        await going;
        await on.chat.sessions.fork(userEntry(on));
        assert.equal(on.person.questions.length, 0);
      });
    });
  }

  describe('omp', () => {
    seedIt('omp-policy-block: blocks rm -rf and nothing else', async () => {
      const script = [
        call('bash', { command: 'rm -rf x' }, 'a'),
        call('bash', { command: 'rm -r x; true' }, 'b'),
        { text: 'ok' },
      ];
      const { chat, tool } = bound(await ask(script, 'omp-policy-block'));
      await chat.inbox.submit('go');
      assert.deepEqual([tool(0).reason, tool(1).state], ['blocked by policy', 'done']);
    });

    for (const [word, answer, reason] of [
      ['Yes', true, undefined],
      ['No', false, 'user denied command'],
      ['cancelled', undefined, 'user denied command'],
    ] as const) {
      seedIt(`omp-unsafe-bash: asks; ${word} means ${reason ?? 'it runs'}`, async () => {
        const { person, chat, tool } = bound(await ask(run('rm -rf x'), 'omp-unsafe-bash'));
        person.answers = [answer];
        await chat.inbox.submit('go');
        assert.deepEqual(
          [person.questions[0]?.title, person.questions[0]?.message, person.questions[0]?.dialog.type],
          ['Dangerous command', 'Allow: rm -rf x', 'confirm'],
        );
        assert.equal(tool().reason, reason);
        assert.equal(tool().state, reason === undefined ? 'done' : 'blocked');
      });
    }

    seedIt('omp-unsafe-bash: blocks without UI, and says so', async () => {
      const { chat, tool } = bound(await ask(run('rm -rf x'), 'omp-unsafe-bash', { hasUI: false }));
      await chat.inbox.submit('go');
      assert.equal(tool().reason, 'rm -rf blocked (no UI)');
    });
  });

  seedIt('ext-block: blocks with its reason', async () => {
    stage = await Stage.open(run('touch made'), { extensions: { 'gate.ts': seedModule('ext-block') } });
    await stage.chat.inbox.submit('go');
    assert.deepEqual(stage.tool(), {
      state: 'blocked',
      reason: 'Not allowed in read-only mode',
      output: 'Not allowed in read-only mode',
    });
    assert.equal(stage.rig.host.infos()[0]?.dialect?.id, 'ext');
  });
});

/** The parts that tests use most. */
function bound(stage: Stage): Pick<Stage, 'person' | 'chat' | 'cwd' | 'tool' | 'request'> & {
  notices: () => readonly string[];
} {
  return {
    person: stage.person,
    chat: stage.chat,
    cwd: stage.cwd,
    tool: stage.tool,
    request: stage.request,
    notices: () => stage.notices,
  };
}
