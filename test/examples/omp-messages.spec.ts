import assert from 'node:assert/strict';
import { call, Stage } from '../conformance/support';
import type { RigOptions } from '../support/conversation-rig';
import type { Script } from '../support/scripted-stream';
import { exampleText } from './drive';

describe('gates, messages and dialogs in omp', () => {
  let stage: Stage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function open(name: string, script: readonly Script[], options: RigOptions = {}): Promise<Stage> {
    stage = await Stage.open(script, { ...options, hooks: { [name]: exampleText('omp', name) } });
    const [info] = stage.rig.host.infos();
    assert.equal(info?.dialect?.id, 'omp', info?.dialect?.because);
    return stage;
  }

  describe('long-command-guard.ts', () => {
    const reason = 'This command does not end by itself. Give a timeout, or run it in the background with "&".';
    const script = [call('bash', { command: 'touch made; : npm start' }), call('ls', {}), { text: 'ok' }];

    for (const [word, answer, expected] of [
      ['yes', true, undefined],
      ['no', false, reason],
      ['a canceled question', undefined, reason],
    ] as const) {
      it(`asks with a title and a message; after ${word} the command ${expected === undefined ? 'runs' : 'is blocked'}`, async () => {
        const on = await open('long-command-guard.ts', script);
        on.person.answers = [answer];
        await on.chat.submit('go');
        assert.deepEqual(
          on.person.questions.map(({ title, message, dialog }) => [title, message, dialog.type]),
          [['This may never end. Run it?', 'touch made; : npm start', 'confirm']],
        );
        assert.deepEqual([on.tool(0).reason, on.tool(1).state], [expected, 'done']);
        assert.equal(on.tool(0).state, expected === undefined ? 'done' : 'blocked');
      });
    }
  });

  describe('secrets-redactor.ts', () => {
    it('keeps what a tool printed from the model and the session, and lets failures be', async () => {
      const script = [
        call('read', { path: 'config' }, 'a'),
        call('read', { path: 'token=abcdefgh' }, 'b'),
        { text: 'ok' },
      ];
      const on = await open('secrets-redactor.ts', script, { files: { config: 'API_KEY=hunter2hunter and more\n' } });
      await on.chat.submit('go');
      const [read, failed] = on.request(-1).filter(line => line.startsWith('toolResult'));
      assert.match(read ?? '', /API_KEY=\[hidden\] and more/);
      assert.match(failed ?? '', /token=abcdefgh/, 'a failed call cannot be changed');
      assert.doesNotMatch(JSON.stringify(await on.entries()), /hunter2/);
    });
  });

  describe('scratch-messages.ts', () => {
    it('keeps its messages from the model, not from the session and the chat', async () => {
      const on = await open('scratch-messages.ts', [{ text: 'one' }]);
      for (const customType of ['scratch', 'other']) {
        await on.chat.conversation.inbox.sendCustom(
          { customType, content: customType, display: true },
          { triggerTurn: false },
        );
      }
      await on.chat.submit('go');
      assert.deepEqual(on.request(0), ['user: other', 'user: go']);
      assert.equal(on.chat.conversation.run.agent.messages.length, 5);
      assert.equal(on.rig.items('custom').length, 2);
    });
  });

  describe('continue-in-new-session.ts', () => {
    it('begins the new session, which names the old one, with the message that it sets up', async () => {
      const on = await open('continue-in-new-session.ts', [{ text: 'the plan' }, { text: 'ok' }]);
      await on.chat.submit('first');
      const old = on.chat.conversation.store.getSessionFile();
      await on.chat.submit('/continue');
      assert.notEqual(on.chat.conversation.store.getSessionFile(), old);
      assert.equal((on.chat.conversation.store.getHeader() as { parentSession?: string }).parentSession, old);
      const set = 'This is where we stood:\n\nthe plan';
      assert.deepEqual(
        on.rig.items('user').map(({ text }) => text),
        [set],
      );
      await on.chat.submit('next');
      assert.deepEqual(on.request(-1), [`user: ${set}`, 'user: next']);
    });
  });

  describe('interview.ts', () => {
    it('asks in each way, and works with the input box and the status line', async () => {
      const on = await open('interview.ts', []);
      on.person.answers = ['blue', true, 'Ada', 'twice upon a time'];
      const status: string[] = [];
      on.chat.status.onDidChange(() => status.push(...on.chat.status.current.hookStatus));
      await on.chat.submit('/interview  about colors');
      assert.deepEqual(
        on.person.questions.map(({ title, dialog }) => [title, dialog.type]),
        [
          ['Which color?', 'select'],
          ['Sure?', 'confirm'],
          ['Which name?', 'input'],
          ['Which text?', 'editor'],
        ],
      );
      assert.deepEqual(JSON.parse(on.chat.composer.text), {
        color: 'blue',
        sure: true,
        name: 'Ada',
        text: 'twice upon a time',
      });
      assert.ok(
        status.some(text => /asks about colors/.test(text)),
        status.join(' | '),
      );
      assert.deepEqual(on.chat.status.current.hookStatus, []);
      assert.deepEqual(on.notices, ['Asked: 0 undecided, the box had "One moment" info']);
    });

    for (const hasUI of [true, false]) {
      it(`gets undefined, and false of confirm, where ${hasUI ? 'everything is canceled' : 'nobody can be asked'}`, async () => {
        const on = await open('interview.ts', [], { hasUI });
        await on.chat.submit('/interview');
        const entry = on.chat.conversation.store.getEntries().find(({ type }) => type === 'custom') as
          { data?: object } | undefined;
        assert.deepEqual(entry?.data, { sure: false });
        assert.equal(on.person.questions.length, hasUI ? 4 : 0);
        assert.equal(on.chat.composer.text, hasUI ? '{"sure":false}' : '');
      });
    }
  });
});
