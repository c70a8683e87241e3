import assert from 'node:assert/strict';
import type { Image } from '../../../src/protocol/items/chat-item';
import { readHostMessage, type HostToWebview } from '../../../src/protocol/messages';
import { attachedImages } from '../../../src/session/attachments/attached-files';
import { Rig, until } from '../../support/conversation-rig';

const ONE: Image = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
const TWO: Image = { type: 'image', mimeType: 'image/png', data: 'BBBB' };
type Page = ReturnType<Rig['page']>;

describe('attached images of what is not sent', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  const submit = (page: Page, text: string, image: typeof ONE): void => {
    page.send({ type: 'submit', text, delivery: 'steer', images: [image] });
  };
  /** What the composer was told last, once it was told of images. */
  const back = (page: Page): Promise<Extract<HostToWebview, { type: 'composer' }>> =>
    until(() => page.got.flatMap(one => (one.type === 'composer' && one.images ? [one] : [])).at(-1), 'images');

  it('come back with the text that was refused', async () => {
    rig = await Rig.open([], { hasKey: false });
    const page = rig.page();
    submit(page, 'look', ONE);
    const change = await back(page);
    assert.deepEqual([change.text, change.images], ['look', [ONE]]);
    assert.equal(readHostMessage(change), change);
  });

  it('come back in front of the next message, of which the page told only the beginning', async () => {
    rig = await Rig.open([], { hasKey: false });
    const page = rig.page();
    submit(page, 'look', ONE);
    page.send({ type: 'draft', text: 'and', conversation: rig.conversation.state.key, was: '' });
    const change = await back(page);
    assert.deepEqual([change.text, change.mode], ['look', 'before']);
    assert.equal(rig.chat.composer.text, 'look\n\nand');
  });

  it('come back without a text', async () => {
    rig = await Rig.open([], { hasKey: false });
    rig.chat.composer.text = '';
    const page = rig.page();
    submit(page, '', ONE);
    const change = await back(page);
    assert.deepEqual([change.text, change.images], ['', [ONE]]);
  });

  it('come back with what was queued when the person stops', async () => {
    rig = await Rig.open(['hang']);
    const page = rig.page();
    page.send({ type: 'submit', text: 'go', delivery: 'steer', images: [] });
    await until(() => rig.model.requests[0], 'the request');
    submit(page, 'see', ONE);
    submit(page, 'and', TWO);
    await until(
      () => (rig.conversation.inbox.waiting.texts.steering.length === 2 ? true : undefined),
      'both in the queue',
    );
    await rig.conversation.run.stop();
    const change = await back(page);
    assert.deepEqual([change.text, change.images], ['see\n\nand', [ONE, TWO]]);
  });

  it('are told from images of files that the text names', async () => {
    rig = await Rig.open([]);
    const text = (value: string): { type: 'text'; text: string } => ({ type: 'text', text: value });
    assert.deepEqual(attachedImages([text('@a.png'), text('<file name="/a.png"></file>'), TWO, ONE]), [ONE]);
    assert.deepEqual(attachedImages([text('@a.txt'), text('<file name="/a.txt">\nx\n</file>'), ONE]), [ONE]);
    assert.deepEqual(attachedImages('text'), []);
  });
});
