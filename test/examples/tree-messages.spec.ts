import assert from 'node:assert/strict';
import { call, Stage } from '../conformance/support';
import { until, type RigOptions } from '../support/conversation-rig';
import { textOf } from '../support/recorder';
import { RealHooks } from '../support/real-hooks';
import { isSaid } from '../support/said';
import type { Script } from '../support/scripted-stream';
import { exampleText } from './drive';

describe('messages, commands and components in tree', () => {
  let stage: Stage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function open(name: string, script: readonly Script[], options: RigOptions = {}): Promise<Stage> {
    stage = await Stage.open(script, { ...options, hooks: { [name]: exampleText('tree', name) } });
    const [info] = stage.rig.host.infos();
    assert.equal(info?.dialect?.id, 'tree', info?.dialect?.because);
    return stage;
  }
  const customEntries = async (on: Stage): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    (await on.entries()).filter(entry => entry['type'] === 'custom_message');

  describe('house-rules.ts', () => {
    it('adds its message after the prompt, and to the session and the chat, on each run', async () => {
      const on = await open('house-rules.ts', [{ text: 'one' }, { text: 'two' }]);
      const rule = 'House rule: no new dependencies. (One part asked.)';
      await on.chat.submit('first');
      assert.deepEqual(on.request(0), ['user: first', `user: ${rule}`]);
      assert.deepEqual(
        on.rig.items('custom').map(item => [item.customType, item.text]),
        [['house-rules', rule]],
      );
      await on.chat.submit('second');
      assert.deepEqual(on.request(1), [
        'user: first',
        `user: ${rule}`,
        'assistant: one',
        'user: second',
        `user: ${rule}`,
      ]);
      assert.deepEqual(
        (await customEntries(on)).map(entry => entry['customType']),
        ['house-rules', 'house-rules'],
      );
    });
  });

  describe('alert-cards.ts', () => {
    it('sends a message that starts a run, and is stored with its details, which the model does not get', async () => {
      const on = await open('alert-cards.ts', [{ text: 'looking' }]);
      await on.chat.submit('/alert the oven is on');
      await until(
        () => (on.rig.model.requests.length === 1 && on.chat.conversation.run.isIdle ? true : undefined),
        'the run',
      );
      assert.deepEqual(on.request(0), ['user: the oven is on']);
      assert.deepEqual(
        on.rig.items('custom').map(item => [item.customType, item.text]),
        [['alert', 'the oven is on']],
      );
      const [stored] = await customEntries(on);
      assert.deepEqual([stored?.['customType'], stored?.['details']], ['alert', { source: on.cwd }]);
    });

    it('draws its messages in the color of the theme, to the width, and leaves others to Hookline', async () => {
      const on = await open('alert-cards.ts', []);
      const render = on.rig.host.runner.loaded[0]?.renderers.get('alert');
      assert.ok(render);
      const draw = (content: string, options: { readonly expanded: boolean; readonly width: number }) => {
        const message = { role: 'custom', customType: 'alert', content, display: true, details: { source: 'home' } };
        const component = render(message, options, on.rig.host.theme.current) as {
          render(width: number): string[];
        } | null;
        return component?.render(options.width)[0];
      };
      const drawn = draw('smoke', { expanded: false, width: 40 }) ?? '';
      assert.ok(drawn.includes('! smoke') && drawn.includes('\u001b['), 'in color');
      assert.match(draw('smoke', { expanded: true, width: 40 }) ?? '', /! smoke \(from home\)/);
      assert.doesNotMatch(draw('smoke', { expanded: true, width: 5 }) ?? '', /smoke/);
      assert.equal(draw('', { expanded: false, width: 40 }), undefined);
    });
  });

  describe('hide-words.ts', () => {
    it('keeps messages from the model by what the session holds, which stays whole', async () => {
      const on = await open('hide-words.ts', [{ text: 'one' }, { text: 'two' }]);
      await on.chat.submit('a secret plan');
      assert.deepEqual(on.request(0), ['user: a secret plan']);
      await on.chat.submit('/hide secret');
      await on.chat.submit('second');
      assert.deepEqual(on.request(1), ['assistant: one', 'user: second']);
      assert.equal(textOf(on.chat.conversation.run.agent.messages[1]!), 'a secret plan');
      assert.equal(on.chat.conversation.store.getEntries().filter(isSaid).length, 4);
    });
  });

  describe('session-facts.ts', () => {
    it('reads the session and the models, and nothing of that goes to the model', async () => {
      const on = await open('session-facts.ts', [call('ls', {}), { text: 'ok' }]);
      const listed = on.chat.commands.find(({ name }) => name === 'facts');
      assert.equal(listed?.description, 'Say what this session holds');
      await on.chat.submit('hello');
      const [entry] = on.chat.conversation.store.getEntries().filter(isSaid);
      on.chat.conversation.store.appendLabelChange(entry!.id, 'start');
      await on.chat.submit('/facts');
      assert.match(
        on.notices[0] ?? '',
        /^4 messages; \d+ entries on the path, of \d+; labels: start; models: \d+, keys: \d+; somebody looks info$/,
      );
      assert.equal(on.rig.model.requests.length, 2);
    });
  });

  describe('session-notes.ts', () => {
    it('has its notes again after a switch to the session', async () => {
      const on = await open('session-notes.ts', [{ text: 'hi' }]);
      await on.chat.submit('/note 42 eggs');
      await on.chat.submit('hello');
      assert.deepEqual(on.request(0), ['user: hello']);
      const file = on.chat.conversation.store.getSessionFile()!;
      await on.chat.conversation.sessions.newSession();
      await on.chat.submit('/notes');
      await on.chat.conversation.sessions.switchTo(file);
      await on.chat.submit('/notes');
      assert.deepEqual(on.notices, ['Noted (1) info', 'No notes yet info', '• 42 eggs info']);
    });
  });

  describe('notice-board.ts', () => {
    it('is up before the command goes on, can be drawn, and is told when it is taken down', async () => {
      const hooks = new RealHooks({ 'notice-board.ts': exampleText('tree', 'notice-board.ts') });
      try {
        await hooks.host.reload();
        const { conversation } = hooks;
        const { ui } = conversation;
        await hooks.host.commands.run('board', '', conversation);
        const [mounted] = ui.mounts;
        assert.ok(mounted);
        const component = await mounted.mount.create({} as never, () => undefined);
        assert.match(component.render(40).join('\n'), /Nothing to see yet/);
        const said = (): readonly string[] => ui.notices.map(({ message }) => message);
        assert.deepEqual(said(), ['The board is up']);
        mounted.close();
        await until(() => (said().length > 1 ? true : undefined), 'the board to be gone');
        assert.deepEqual(said(), ['The board is up', 'The board is gone']);
      } finally {
        await hooks.end();
      }
    });
  });
});
