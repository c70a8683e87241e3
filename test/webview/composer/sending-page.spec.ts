import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { COMMANDS, IDLE, RUNNING, snapshot, user } from '../harness/demo';
import { seriousFindings } from '../../support/axe';
import { choose } from '../harness/choose';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness } from '../harness/harness';

describe('chat page: composer', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');
  const button = (name: string): Locator => chat.page.getByRole('button', { name, exact: true });
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);

  it('sends with Enter, breaks lines with Shift+Enter, and grows', async () => {
    await open(snapshot([]));
    await composer().click();
    const before = await composer().boundingBox();
    await chat.page.keyboard.type('one');
    await press('Shift+Enter');
    await chat.page.keyboard.type('two');
    assert.ok(((await composer().boundingBox())?.height ?? 0) > (before?.height ?? 0) + 10);
    await press('Enter');
    assert.deepEqual(await chat.sentOf('submit'), [
      { type: 'submit', text: 'one\ntwo', delivery: 'steer', images: [], conversation: 'demo' },
    ]);
    assert.equal(await composer().inputValue(), '');
    await press('Enter');
    assert.equal((await chat.sentOf('submit')).length, 1);
  });

  it('steers with Enter, queues with Alt+Enter and stops with Escape or the button', async () => {
    await open(snapshot([], { status: RUNNING }));
    await composer().fill('now');
    await press('Enter');
    await composer().fill('later');
    await press('Alt+Enter');
    assert.deepEqual(
      (await chat.sentOf('submit')).map(({ text, delivery }) => [text, delivery]),
      [
        ['now', 'steer'],
        ['later', 'followUp'],
      ],
    );
    const hint = (await composer().getAttribute('aria-describedby')) ?? '';
    assert.equal(
      (await chat.page.locator(`#${hint}`).innerText()).trim(),
      'Enter steers the run, Alt+Enter sends after it, Escape stops it',
    );
    await press('Escape');
    await button('Stop').click();
    assert.equal((await chat.sentOf('stop')).length, 2);
    await chat.post({ type: 'status', revision: 1, status: IDLE });
    assert.equal(await button('Stop').count(), 0);
    await composer().press('Escape');
    assert.equal((await chat.sentOf('stop')).length, 2);
  });

  it('does not send while an input method composes', async () => {
    await open(snapshot([]));
    await composer().fill('に');
    await composer().evaluate(area => {
      area.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }),
      );
      area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }));
    });
    assert.deepEqual(await chat.sentOf('submit'), []);
  });

  it('completes commands by keyboard', async () => {
    await open(snapshot([], { status: RUNNING }));
    await composer().click();
    await chat.page.keyboard.type('/');
    assert.equal(await chat.page.locator('[role="option"]').count(), COMMANDS.length);
    await press('ArrowDown');
    const active = await composer().getAttribute('aria-activedescendant');
    assert.equal(await chat.page.locator(`#${active ?? ''}`).getAttribute('aria-selected'), 'true');
    await chat.page.keyboard.type('mo');
    assert.deepEqual(await chat.page.locator('[role="option"]').allInnerTexts(), ['/model\nPick the model']);
    await press('Escape');
    assert.equal(await chat.page.getByRole('listbox').count(), 0);
    assert.deepEqual(await chat.sentOf('stop'), [], 'Escape closed the list only');
    await chat.page.keyboard.type('d');
    await press('Tab');
    assert.equal(await composer().inputValue(), '/model ');
    await composer().fill('/new');
    await press('Enter');
    assert.equal((await chat.sentOf('submit'))[0]?.text, '/new');
  });

  it('walks the sent messages with the arrows and comes back to the draft', async () => {
    await open(snapshot([user('1', 'first'), user('2', 'second\nline')]));
    await composer().click();
    await chat.page.keyboard.type('draft');
    await press('ArrowUp');
    assert.equal(await composer().inputValue(), 'second\nline');
    await press('ArrowUp');
    assert.equal(await composer().inputValue(), 'first');
    await press('ArrowDown');
    await press('ArrowDown');
    await press('ArrowDown');
    assert.equal(await composer().inputValue(), 'draft');
  });

  it('takes back what was not sent, its images before those attached since', async () => {
    await open(snapshot([]));
    const image = (data: string) => ({ type: 'image' as const, mimeType: 'image/png', data });
    await chat.post(
      { type: 'composer', revision: 1, text: 'later', mode: 'replace', draft: 'later', images: [image('BAUG')] },
      { type: 'composer', revision: 2, text: 'look', mode: 'replace', draft: 'look', images: [image('AQID')] },
      { type: 'composer', revision: 3, text: ' here', mode: 'insert', draft: 'look here' },
    );
    await button('Remove image 2').waitFor();
    await composer().press('Enter');
    assert.deepEqual(await chat.sentOf('submit'), [
      {
        type: 'submit',
        text: 'look here',
        delivery: 'steer',
        images: [image('AQID'), image('BAUG')],
        conversation: 'demo',
      },
    ]);
  });

  it('puts what was not sent in front of what is typed since, and keeps the cursor', async () => {
    await open(snapshot([]));
    await composer().click();
    await chat.page.keyboard.type('first');
    await press('Enter');
    await chat.page.keyboard.type('nxt');
    await press('ArrowLeft');
    await press('ArrowLeft');
    await chat.post({ type: 'composer', revision: 1, text: 'first', mode: 'before', draft: 'first' });
    await chat.page.keyboard.type('e');
    assert.equal(await composer().inputValue(), 'first\n\nnext');
  });

  it('asks at 300 px whether files go back, too, when a message is sent again', async () => {
    await open(snapshot([user('u', 'hello')], { draft: 'hello', editing: { entry: 'e', was: 'hello', files: 3 } }), {
      width: 300,
    });
    const wish = chat.page.getByRole('checkbox', { name: 'Restore 3 files too' });
    assert.equal(await wish.isChecked(), false);
    await wish.focus();
    await press('Space');
    assert.equal(await wish.isChecked(), true);
    assert.deepEqual(await seriousFindings(chat.page), []);
    await composer().press('Enter');
    const [sent] = await chat.sentOf('submit');
    assert.deepEqual([sent?.edits, sent?.restoresFiles], ['e', true]);
    await chat.post({
      type: 'composer',
      revision: 1,
      text: '',
      mode: 'replace',
      draft: '',
      editing: { entry: 'f', was: 'x' },
    });
    assert.equal(await wish.count(), 0);
  });

  it('offers beside each other what is named with @ and what is attached', async () => {
    await open(snapshot([]), { width: 300 });
    await composer().fill('look at');
    await choose(button('Add Context or Files'), 'Add File or Other Context…');
    assert.equal(await composer().inputValue(), 'look at @');
    assert.equal(await composer().evaluate(area => area === document.activeElement), true);
    const [question] = await chat.sentOf('complete');
    assert.deepEqual([question?.what, question?.text], ['mention', '']);
    const [chooser] = await Promise.all([
      chat.page.waitForEvent('filechooser'),
      choose(button('Add Context or Files'), 'Attach Images or Files…'),
    ]);
    assert.equal(chooser.isMultiple(), true);
    await chooser.setFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('one\n') });
    await button('Remove notes.txt').waitFor();
    assert.deepEqual((await chat.sentOf('attachments')).at(-1)?.files, [{ name: 'notes.txt', text: 'one\n' }]);
  });

  it('attaches pasted images and names those it cannot take', async () => {
    await open(snapshot([]));
    await composer().evaluate(area => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array([1, 2, 3])], 'small.png', { type: 'image/png' }));
      data.items.add(new File([new Uint8Array(6 * 1024 * 1024)], 'huge.png', { type: 'image/png' }));
      data.items.add(new File(['x'], 'notes.pdf', { type: 'application/pdf' }));
      area.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    });
    const alert = chat.page.getByRole('alert');
    assert.match(await alert.innerText(), /huge\.png is 6\.0 MB; images of up to 5 MB.*notes\.pdf cannot be attached/);
    await button('Remove image 1').waitFor();
    await button('Send').click();
    assert.deepEqual(await chat.sentOf('submit'), [
      {
        type: 'submit',
        text: '',
        delivery: 'steer',
        images: [{ type: 'image', mimeType: 'image/png', data: 'AQID' }],
        conversation: 'demo',
      },
    ]);
    assert.equal(await button('Remove image 1').count(), 0);
  });

  it('fills a sample into the empty page’s composer without sending it', async () => {
    await open(snapshot([]));
    await button('Use sample: list the files').click();
    assert.equal(await composer().inputValue(), 'list the files');
    assert.equal(await chat.page.getByText('README.md').count(), 0, 'an empty folder has no such file');
    assert.deepEqual(await chat.sentOf('submit'), []);
    await chat.post({ type: 'status', revision: 1, status: { ...IDLE, model: 'Opus', demo: false } });
    await button('Use sample: Explain how this project is built').click();
    assert.equal(await composer().inputValue(), 'Explain how this project is built');
    assert.equal(await chat.page.getByText('rm -rf').count(), 0, 'other models would delete the folder');
    assert.deepEqual(await chat.sentOf('submit'), []);
    await chat.post({ type: 'item', revision: 2, item: user('u', 'x') });
    assert.equal(await chat.page.getByText('Try one of these').count(), 0);
  });
});
