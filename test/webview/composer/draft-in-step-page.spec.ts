import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { snapshot, user } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness } from '../harness/harness';

describe('composer: a draft that another page changes', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');
  const caret = (): Promise<number> => composer().evaluate((area: HTMLTextAreaElement) => area.selectionStart);
  const told = (text: string): Promise<unknown> =>
    chat.page.waitForFunction(
      wanted =>
        (window as unknown as { inside: { sent: { type: string; text?: string }[] } }).inside.sent.some(
          message => message.type === 'draft' && message.text === wanted,
        ),
      text,
    );

  it('follows it, keeps the caret between the same characters, and tells nothing back', async () => {
    await open(snapshot([], { draft: 'fix it' }));
    await composer().focus();
    await composer().evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(4, 4));
    await chat.post({ type: 'draft', revision: 1, text: 'please fix it' });
    assert.equal(await composer().inputValue(), 'please fix it');
    assert.equal(await caret(), 11);
    await composer().press('x');
    await told('please fix xit');
    assert.deepEqual(await chat.sentOf('draft'), [
      { type: 'draft', text: 'please fix xit', conversation: 'demo', was: 'please fix it' },
    ]);
  });

  it('keeps what was typed here and not told yet, and tells both', async () => {
    await open(snapshot([], { draft: 'fix' }));
    await composer().focus();
    await composer().press('End');
    await chat.page.keyboard.type(' it');
    await chat.post({ type: 'draft', revision: 1, text: 'please fix' });
    assert.equal(await composer().inputValue(), 'please fix it');
    assert.equal(await caret(), 13);
    await told('please fix it');
    assert.equal((await chat.sentOf('draft')).at(-1)?.was, 'please fix');
  });

  it('is emptied when the other page sends it, and what was typed since stays', async () => {
    await open(snapshot([], { draft: 'hello' }));
    const nothing = { images: [], files: [], editing: null } as const;
    await chat.post({ type: 'draft', revision: 1, text: '', ...nothing });
    assert.equal(await composer().inputValue(), '');
    await composer().focus();
    await chat.page.keyboard.type('again');
    await chat.post({ type: 'draft', revision: 2, text: '', ...nothing });
    assert.equal(await composer().inputValue(), 'again');
  });

  it('does not take a text that follows at once for a change of the one that was sent', async () => {
    await open(snapshot([], { draft: 'hel' }));
    await composer().focus();
    await composer().press('End');
    await chat.page.keyboard.type('lo');
    await composer().press('Enter');
    await chat.page.keyboard.type('help me');
    await told('help me');
    assert.equal((await chat.sentOf('draft')).at(-1)?.was, '');
  });

  it('gets attachments and the edited message of the other page', async () => {
    await open(snapshot([user('u', 'old words')], { draft: 'old words', editing: { entry: 'e', was: 'old words' } }));
    await chat.post({ type: 'draft', revision: 1, images: [{ type: 'image', mimeType: 'image/png', data: 'AQID' }] });
    assert.equal(await chat.page.locator('.attachments li').count(), 1);
    assert.equal(await composer().inputValue(), 'old words');
    assert.equal(await chat.page.locator('[data-hookline="editing"]').count(), 1);
    await chat.post({ type: 'draft', revision: 2, text: '', images: [], files: [], editing: null });
    assert.equal(await chat.page.locator('.attachments li').count(), 0);
    assert.equal(await chat.page.locator('[data-hookline="editing"]').count(), 0);
  });

  it('does not take the focus', async () => {
    await open(snapshot([user('u', 'one')]));
    await composer().evaluate(area => {
      area.blur();
    });
    await chat.post({ type: 'draft', revision: 1, text: 'typed elsewhere' });
    assert.equal(await composer().inputValue(), 'typed elsewhere');
    assert.equal(await composer().evaluate(area => area === document.activeElement), false);
  });
});
