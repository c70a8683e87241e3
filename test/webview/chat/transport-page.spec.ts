import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { HostToWebview } from '../../../src/protocol/messages';
import { snapshot, TOUR, user } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness } from '../harness/harness';

describe('chat page: transport', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const item = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"]`);
  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');

  it('asks for the conversation and draws the snapshot', async () => {
    await open(snapshot(TOUR));
    assert.deepEqual(await chat.sentOf('ready'), [{ type: 'ready' }]);
    assert.equal(await chat.page.locator('[data-item-id]').count(), TOUR.length);
    assert.equal(await chat.page.locator('[data-tool="bash"][data-state="blocked"]').count(), 1);
  });

  it('asks for a new snapshot when a change is missing, and shows it', async () => {
    await open(snapshot([user('u', 'one')]));
    await chat.post({ type: 'item', revision: 3, item: user('v', 'lost') });
    assert.equal((await chat.sentOf('ready')).length, 2);
    await chat.post(snapshot([user('u', 'one'), user('v', 'found')], { revision: 3 }));
    assert.equal(await item('v').innerText(), 'found');
  });

  it('drops messages that are none', async () => {
    await open(snapshot([user('u', 'one')]));
    await chat.post({ type: 'item', revision: 1 } as unknown as HostToWebview, null as unknown as HostToWebview);
    await chat.post({ type: 'item', revision: 1, item: user('v', 'two') });
    assert.equal(await item('v').innerText(), 'two');
  });

  it('keeps draft and place over a reload', async () => {
    const long = Array.from({ length: 60 }, (_, index) => user(`u${index}`, `Message ${index}\n`.repeat(4)));
    await open(snapshot(long));
    await composer().fill('half a thought');
    await item('u30').evaluate(element => {
      element.scrollIntoView({ block: 'start' });
    });
    await chat.page.waitForFunction(() => sessionStorage.getItem('state')?.includes('"scroll"'));
    await chat.page.waitForFunction(() =>
      (window as unknown as { inside: { sent: { type: string }[] } }).inside.sent.some(({ type }) => type === 'draft'),
    );
    const before = await item('u30').boundingBox();
    await chat.reload(snapshot(long, { draft: 'half a thought' }));
    assert.equal(await composer().inputValue(), 'half a thought');
    assert.deepEqual(await item('u30').boundingBox(), before);
  });

  it('keeps what is typed over snapshots that are older than it', async () => {
    await open(snapshot([]));
    const told = (count: number): Promise<unknown> =>
      chat.page.waitForFunction(
        wanted =>
          (window as unknown as { inside: { sent: { type: string }[] } }).inside.sent.filter(
            ({ type }) => type === 'draft',
          ).length === wanted,
        count,
      );
    await composer().fill('abc');
    await told(1);
    await chat.post(snapshot([], { revision: 1, draft: '' }));
    assert.equal(await composer().inputValue(), 'abc');
    await composer().fill('abcd');
    // The host got the first draft, and is not told the second yet.
    await chat.post(snapshot([], { revision: 2, draft: 'abc' }));
    assert.equal(await composer().inputValue(), 'abcd');
  });

  it('tells what an earlier page could not tell, and what the host’s draft then was', async () => {
    await open(snapshot([], { conversation: 'a', draft: 'at the host' }));
    await chat.page.evaluate(() => {
      const saved = { conversation: 'a', draft: 'typed last', hostDraft: 'at the host' };
      sessionStorage.setItem('state', JSON.stringify(saved));
    });
    await chat.reload(snapshot([], { conversation: 'b' }));
    assert.deepEqual(await chat.sentOf('draft'), [
      { type: 'draft', text: 'typed last', conversation: 'a', was: 'at the host', ofEarlierPage: true },
    ]);
  });

  it('takes the host’s draft when it changed meanwhile, and lets the host put text', async () => {
    await open(snapshot([]));
    await composer().fill('mine');
    await chat.reload(snapshot([], { draft: 'from a hook' }));
    assert.equal(await composer().inputValue(), 'from a hook');
    await chat.post({ type: 'composer', revision: 1, text: 'all new', mode: 'replace', draft: 'all new' });
    await composer().evaluate((area: HTMLTextAreaElement) => {
      area.setSelectionRange(3, 3);
    });
    await chat.post(
      { type: 'composer', revision: 2, text: ' is', mode: 'insert', draft: 'all new is' },
      { type: 'navigate', to: 'composer' },
    );
    assert.equal(await composer().inputValue(), 'all is new');
    assert.equal(await composer().evaluate(area => area === document.activeElement), true);
  });
});
