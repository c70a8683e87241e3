import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readHostMessage, type HostToWebview } from '../../../src/protocol/messages';
import { Rig, until } from '../../support/conversation-rig';

type Page = ReturnType<Rig['page']>;
const IMAGE = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;
const NOTES = { name: 'notes.txt', text: 'remember' };

describe('messages that wait for the run', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  const start = async (): Promise<Page> => {
    rig = await Rig.open(['hang']);
    const page = rig.page();
    page.send({ type: 'submit', text: 'go', delivery: 'steer', images: [] });
    await until(() => rig.model.requests[0], 'the request');
    return page;
  };
  const queue = async (page: Page, text: string, delivery: 'steer' | 'followUp'): Promise<string> => {
    page.send({ type: 'submit', text, delivery, images: [IMAGE], files: [NOTES] });
    return until(() => rig.items('user').find(item => item.text === text)?.id, `"${text}" in the queue`);
  };
  const composers = (page: Page): Extract<HostToWebview, { type: 'composer' }>[] =>
    page.got.flatMap(message => (message.type === 'composer' ? [message] : []));
  const waiting = (): [string, string][] =>
    rig.items('user').flatMap(item => (item.state === 'sent' ? [] : [[item.text, item.state] as [string, string]]));

  for (const delivery of ['steer', 'followUp'] as const) {
    it(`come back to be edited, with all that was attached (${delivery})`, async () => {
      const page = await start();
      const id = await queue(page, 'later', delivery);
      page.send({ type: 'editQueued', id });
      const back = await until(() => composers(page)[0], 'the text');
      assert.deepEqual([back.text, back.images, back.files], ['later', [IMAGE], [NOTES]]);
      assert.equal(readHostMessage(back), back);
      assert.deepEqual([waiting(), rig.conversation.inbox.waiting.texts], [[], { steering: [], followUp: [] }]);
      await rig.conversation.run.stop();
      assert.equal(composers(page).length, 1, 'nothing comes back twice');
    });

    it(`can be removed (${delivery})`, async () => {
      const page = await start();
      await queue(page, 'keep', delivery);
      page.send({ type: 'removeQueued', id: await queue(page, 'drop', delivery) });
      await until(() => (waiting().length === 1 ? true : undefined), 'the removal');
      assert.deepEqual(waiting(), [['keep', delivery]]);
      assert.equal(
        rig.conversation.inbox.waiting.texts.steering.length + rig.conversation.inbox.waiting.texts.followUp.length,
        1,
      );
    });
  }

  it('are sent although the run failed, as in pi', async () => {
    const calls = [{ id: 'c', name: 'bash', args: { command: 'until [ -e go ]; do sleep 0.02; done' } }];
    rig = await Rig.open([{ calls }, { stopReason: 'error', errorMessage: '400 no' }, { text: 'answered' }]);
    const ended = rig.chat.submit('go');
    await until(() => (rig.items('tool')[0]?.state.type === 'running' ? true : undefined), 'the call');
    const waits = rig.conversation.inbox.send({
      text: 'later',
      images: [],
      source: 'interactive',
      delivery: 'followUp',
    });
    writeFileSync(join(rig.cwd, 'go'), '');
    await Promise.all([ended, waits]);
    assert.deepEqual(waiting(), []);
    assert.equal(rig.model.requests.length, 3);
    const [, failed, asked, answered] = rig.conversation.run.agent.messages
      .filter(({ role }) => role !== 'toolResult')
      .slice(-4);
    assert.equal(failed?.role === 'assistant' && failed.stopReason, 'error');
    assert.equal(asked?.role, 'user');
    assert.match(JSON.stringify(answered), /answered/);
  });

  it('can wait for something else', async () => {
    const page = await start();
    const id = await queue(page, 'one', 'steer');
    page.send({ type: 'deliverQueued', id, delivery: 'followUp' });
    await until(() => (rig.conversation.inbox.waiting.texts.followUp.length === 1 ? true : undefined), 'the change');
    assert.deepEqual(waiting(), [['one', 'followUp']]);
    assert.deepEqual(rig.conversation.inbox.waiting.texts.steering, []);
  });

  it('that were delivered meanwhile are left alone', async () => {
    const page = await start();
    page.send({ type: 'editQueued', id: rig.items('user')[0]?.id });
    page.send({ type: 'removeQueued', id: 'user:99' });
    page.send({ type: 'deliverQueued', id: 'nonsense', delivery: 'steer' });
    assert.equal(rig.items('user').length, 1);
    assert.deepEqual(composers(page), []);
  });

  it('come back to the page before it is drawn anew, when an earlier message is edited', async () => {
    rig = await Rig.open(['hang', { text: 'done' }]);
    const page = rig.page();
    page.send({ type: 'submit', text: 'go', delivery: 'steer', images: [] });
    await until(() => rig.model.requests[0], 'the request');
    await queue(page, 'see', 'steer');
    page.send({ type: 'editMessage', id: rig.items('user')[0]?.id });
    const edits = await until(() => composers(page).at(-1)?.editing?.entry, 'the message');
    page.send({ type: 'submit', text: 'go on', delivery: 'steer', images: [], edits });
    await until(() => rig.model.requests[1], 'the request for the edited message');
    const back = composers(page).find(({ text }) => text === 'see');
    assert.deepEqual([back?.images, back?.files], [[IMAGE], [NOTES]]);
    const drawn = page.got.findLast(({ type }) => type === 'snapshot');
    assert.ok(back !== undefined && drawn !== undefined && page.got.indexOf(back) < page.got.indexOf(drawn));
  });

  it('and what was attached reach a page that connects after the stop', async () => {
    const page = await start();
    await queue(page, 'see', 'steer');
    page.dispose();
    await rig.conversation.run.stop();
    const [snapshot] = rig.page().got;
    assert.ok(snapshot?.type === 'snapshot');
    assert.deepEqual([snapshot.draft, snapshot.attachments, snapshot.files], ['see', [IMAGE], [NOTES]]);
    assert.equal(readHostMessage(snapshot), snapshot);
  });

  it('what is attached to the draft outlives its page, until it is sent', async () => {
    rig = await Rig.open([{ text: 'fine' }]);
    const { key } = rig.conversation.state;
    rig.page().send({ type: 'attachments', images: [IMAGE], files: [NOTES], conversation: key });
    const page = rig.page();
    const [snapshot] = page.got;
    assert.ok(snapshot?.type === 'snapshot');
    assert.deepEqual([snapshot.attachments, snapshot.files], [[IMAGE], [NOTES]]);
    page.send({ type: 'submit', text: 'now', delivery: 'steer', images: [IMAGE], files: [NOTES] });
    await until(() => (rig.items('assistant')[0]?.state === 'done' ? true : undefined), 'the answer');
    assert.deepEqual(rig.chat.composer.draft, { text: '', images: [] });
    const [item] = rig.items('user');
    assert.deepEqual([item?.text, item?.attached], ['now', [{ name: 'notes.txt' }]]);
    const content = rig.model.requests[0]?.messages.at(-1)?.content;
    assert.match(JSON.stringify(content), /<file name=\\"notes\.txt\\">\\nremember\\n<\/file>/);
  });
});

describe('a text that is submitted while the keys cannot be read', () => {
  it('returns to the composer, with the reason', async () => {
    const rig = await Rig.open([]);
    const locked = { hasKey: () => Promise.reject(new Error('The keychain is locked.')) };
    Object.assign(rig.conversation.ports.models, locked);
    try {
      await rig.chat.submit('hello');
      assert.equal(rig.chat.composer.text, 'hello');
      assert.equal(rig.items('notice').at(-1)?.text, 'The keychain is locked.');
      assert.equal(rig.conversation.run.isIdle, true);
    } finally {
      await rig.close();
    }
  });
});
