import assert from 'node:assert/strict';
import { Rig, until } from '../support/conversation-rig';

/** What tells others that a person is waited for (docs/hooks.md). */
describe("questions in today's pi", () => {
  let rig: Rig;

  afterEach(() => rig.close());

  async function open(code: string): Promise<void> {
    const text = `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
      export default (pi: ExtensionAPI) => {
        for (const name of ['ui_prompt_start', 'ui_prompt_end'] as const) {
          pi.on(name, (event, ctx) => { ctx.ui.notify(JSON.stringify(event)); });
        }
        ${code}
      };`;
    rig = await Rig.open([], { extensions: { 'today.ts': text } });
  }
  const told = (): unknown[] =>
    rig.items('notice').flatMap(({ text }) => (text.startsWith('{') ? [JSON.parse(text) as unknown] : []));

  it('are told as one wait where they overlap, and nobody waits for who hears of it', async () => {
    await open(`
      pi.on('ui_prompt_start', () => new Promise(() => undefined));
      pi.registerCommand('ask', { handler: async (_args, { ui }) => {
        await Promise.all([ui.confirm('Really?', ''), ui.input('Why?')]);
        await ui.select('Which?', ['a', 'b']);
      } });`);
    const running = rig.chat.submit('/ask');
    for (const answer of [true, 'because', 'a']) {
      const card = await until(() => rig.items('gate').find(({ state }) => state.type === 'open'), 'a question');
      rig.dialogs.answer(card.id, answer);
      await until(() => rig.items('gate').find(({ id, state }) => id === card.id && state.type !== 'open'), 'its end');
    }
    await running;
    await until(() => (told().length >= 4 ? true : undefined), 'what was told');
    assert.deepEqual(told(), [
      { type: 'ui_prompt_start', reason: 'ui_prompt', kind: 'confirm', title: 'Really?' },
      { type: 'ui_prompt_end', reason: 'ui_prompt', kind: 'confirm', title: 'Really?' },
      { type: 'ui_prompt_start', reason: 'ui_prompt', kind: 'select', title: 'Which?' },
      { type: 'ui_prompt_end', reason: 'ui_prompt', kind: 'select', title: 'Which?' },
    ]);
  });

  it('of a component say in the row of the working agent for what the person is waited for', async () => {
    await open(`
      pi.registerCommand('block', { handler: async (_args, { ui }) => {
        ui.setWorkingMessage('thinking');
        await ui.custom((_tui, _theme, _keys, done) => {
          setTimeout(() => done(undefined), 20);
          return { render: () => ['which one?'], invalidate: () => undefined };
        }, { blocked: { kind: 'question', message: 'choose a colour' } });
      } });`);
    const seen = new Set<string | undefined>();
    rig.chat.ui.onDidChange(() => seen.add(rig.chat.ui.awaited));
    await rig.chat.submit('/block');
    assert.ok(seen.has('choose a colour'));
    await until(() => (rig.chat.ui.awaited === undefined ? true : undefined), 'the end of the wait');
    assert.equal(rig.chat.ui.workingMessage, 'thinking');
    await until(() => (told().length === 2 ? true : undefined), 'what was told');
    assert.deepEqual(told()[0], { type: 'ui_prompt_start', reason: 'ui_prompt', kind: 'custom' });
  });
});
