import assert from 'node:assert/strict';
import type { AssistantItem } from '../../../src/protocol/items/chat-item';
import { COMPACT_SOON, Stage } from '../../conformance/support';
import { until, type RigOptions } from '../../support/conversation-rig';
import { scriptedModel, type Script } from '../../support/scripted-stream';

const NO_RETRY: RigOptions = {
  settings: { retry: { enabled: false, maxRetries: 0, baseDelayMs: 0, maxAgentDelayMs: 0 } },
};
const failing = (errorMessage: string): Script => ({ stopReason: 'error', errorMessage });

describe('what helps against a failed answer', () => {
  let stage: Stage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function asked(script: readonly Script[], options = NO_RETRY): Promise<Stage> {
    stage = await Stage.open(script, options);
    await stage.chat.submit('hello');
    return stage;
  }

  const failed = (on: Stage): AssistantItem | undefined =>
    on.rig.items('assistant').findLast(({ state }) => state === 'error');

  for (const [error, first, ...others] of [
    ['503 overloaded', 'retry', 'pickModel'],
    ['401 invalid x-api-key', 'setApiKey', 'pickModel', 'retry'],
    ['402 payment required', 'pickModel', 'setApiKey'],
    ['404 no such model', 'pickModel', 'openSettings'],
    ['400 messages.0: text must not be empty', 'editMessage', 'retry', 'pickModel', 'openSettings'],
    ['fetch failed', 'retry', 'pickModel', 'openSettings'],
    ['no such thing', 'retry', 'pickModel'],
  ] as const) {
    it(`begins with ${first} after "${error}"`, async () => {
      assert.deepEqual(failed(await asked([failing(error)]))?.help, [first, ...others]);
    });
  }

  it("is the provider's own text without secrets, and the message that led to it can be edited", async () => {
    const on = await asked([failing('400 key sk-abcdefghijklmnop is not for this: text is empty')]);
    const card = failed(on);
    assert.equal(card?.error, '400 key [redacted] is not for this: text is empty');
    const page = on.rig.page();
    page.send({ type: 'help', id: card.id, help: 'editMessage' });
    await until(() => on.chat.composer.draft.editing, 'the edit');
    page.dispose();
    assert.equal(on.chat.composer.text, 'hello');
  });

  it("after a failed /compact is the provider's text, another try, other instructions and another model", async () => {
    stage = await Stage.open(
      [{ text: 'hi' }, { text: 'hi' }, failing('400 sk-abcdefghijklmnop: no'), { text: 'A summary' }],
      {
        settings: { ...NO_RETRY.settings, ...COMPACT_SOON },
      },
    );
    await stage.chat.submit('hello');
    await stage.chat.submit('x'.repeat(4_000));
    await stage.chat.submit('/compact');
    const notice = stage.rig.items('notice').at(-1)!;
    assert.match(notice.text, /^The conversation could not be summarized: .*400 \[redacted\]: no$/);
    assert.deepEqual(
      notice.actions?.map(({ command }) => command),
      ['compact', 'compactWith', 'pickModel'],
    );
    const page = stage.rig.page();
    page.send({ type: 'notice', id: notice.id, command: 'compactWith' });
    await until(() => (stage?.chat.composer.text === '/compact ' ? true : undefined), 'the command');
    assert.deepEqual(
      page.got.filter(({ type }) => type === 'navigate'),
      [{ type: 'navigate', to: 'composer' }],
    );
    page.send({ type: 'notice', id: notice.id, command: 'compact' });
    await until(() => stage?.rig.items('notice').find(({ detail }) => detail === 'A summary'), 'the summary');
    page.dispose();
  });

  it('after a /compact with nothing to summarize is nothing, which is no error', async () => {
    stage = await Stage.open([]);
    await stage.chat.submit('/compact');
    const notice = stage.rig.items('notice').at(-1);
    assert.match(notice?.text ?? '', /Nothing to compact/);
    assert.equal(notice?.level, 'info');
    assert.equal(notice.actions, undefined);
  });

  it('offers a login where the provider has one', async () => {
    const logins = [scriptedModel.provider];
    const on = await asked([failing('401 invalid x-api-key')], { ...NO_RETRY, logins });
    assert.deepEqual(failed(on)?.help, ['setApiKey', 'logIn', 'pickModel', 'retry']);
  });

  it('asks once more and leaves the failed answer out, at the request of the page', async () => {
    const on = await asked([failing('503 overloaded'), { text: 'here I am' }]);
    const card = failed(on);
    assert.ok(card);
    const page = on.rig.page();
    page.send({ type: 'help', id: card.id, help: 'retry' });
    await until(() => on.rig.items('assistant').find(({ state }) => state === 'done'), 'an answer');
    page.dispose();
    assert.deepEqual(
      on.rig.items('assistant').map(({ state, blocks }) => [state, blocks[0]?.text]),
      [['done', 'here I am']],
    );
    assert.deepEqual(on.request(-1), ['user: hello']);
  });

  it('does nothing that is not on the card, and nothing to an answer that has passed', async () => {
    const on = await asked([failing('503 overloaded'), { text: 'second' }]);
    const card = failed(on);
    assert.ok(card);
    const calls = on.rig.editorCalls.length;
    const page = on.rig.page();
    page.send({ type: 'help', id: card.id, help: 'setApiKey' });
    page.send({ type: 'help', id: 'nowhere', help: 'retry' });
    assert.equal(on.rig.editorCalls.length, calls);
    page.dispose();
    await on.chat.submit('more');
    await assert.rejects(on.chat.conversation.run.retry(on.chat.model.messageOf(card.id)), /went on after this answer/);
    assert.equal(on.rig.model.requests.length, 2);
  });

  it('shows the provider’s words while the conversation is summarized because it is too long', async () => {
    const words = 'prompt is too long: 213462 tokens > 200000 maximum';
    const settings = { ...NO_RETRY.settings, ...COMPACT_SOON };
    const long = 'x'.repeat(400);
    stage = await Stage.open([{ text: long }, { text: long }, failing(words), { text: 'summary' }, { text: 'again' }], {
      settings,
    });
    for (const text of ['one', 'two', 'three']) await stage.chat.submit(text);
    const notices = stage.rig.items('notice').map(({ text, detail }) => [text, detail]);
    const at = notices.findIndex(([, detail]) => detail?.includes(words) === true);
    assert.match(notices[at]?.[0] ?? '', /does not fit the context/);
    assert.match(notices[at + 1]?.[0] ?? '', /^Earlier conversation summarized/);
  });
});
