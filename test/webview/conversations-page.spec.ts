import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../scripts/support/paths.ts';
import type { ChatItem } from '../../src/protocol/items/chat-item';
import type { ConversationTab, HostToWebview } from '../../src/protocol/messages';
import { announcements } from '../../webview/chat/announce';
import { messageToEdit } from '../../webview/composer/editing';
import { EMPTY_STATE, reduce } from '../../webview/chat/reducer';
import { nextTab } from '../../webview/status/tabs';
import { snapshot, user } from './harness/demo';
import { seriousFindings } from '../support/axe';
import { eachInBrowser } from './harness/each-in-browser';
import type { ChatHarness, Theme } from './harness/harness';

const TABS: readonly ConversationTab[] = [
  { id: 'chat-1', title: 'Fix the parser', state: 'idle', shown: true },
  { id: 'chat-2', title: 'Write the release notes of the next version', state: 'running', shown: false },
  { id: 'chat-3', title: '', state: 'asking', shown: false },
  { id: 'chat-4', title: 'Find the leak', state: 'unread', shown: false },
  { id: 'chat-5', title: 'Upgrade', state: 'failed', shown: false },
];
const tabs = (conversations = TABS): HostToWebview => ({ type: 'conversations', conversations });

describe('conversations on the page', () => {
  it('are told when something becomes of one that is not shown', () => {
    const before = reduce({ ...EMPTY_STATE, sync: 'live' }, tabs());
    const done = TABS.map(tab => (tab.id === 'chat-2' ? { ...tab, state: 'unread' as const } : tab));
    assert.deepEqual(announcements(before, reduce(before, tabs(done))), [
      'Write the release notes of the next version: unread',
    ]);
  });

  it('are walked with arrows, around the ends', () => {
    assert.deepEqual(
      ['ArrowRight', 'ArrowLeft', 'Home', 'End', 'x'].map(key => nextTab(key, 0, 3)),
      [1, 2, 0, 2, undefined],
    );
  });

  it('lead F2 from message to message: back from the last one, and forth', () => {
    const waiting: ChatItem = { kind: 'user', id: 'q', text: 'waits', images: [], state: 'steer' };
    const items = [user('u1', 'a'), user('u2', 'b'), waiting];
    assert.equal(messageToEdit(items, undefined, 'older'), 'u2');
    assert.equal(messageToEdit(items, 'u2', 'older'), 'u1');
    assert.equal(messageToEdit(items, 'u1', 'older'), undefined);
    assert.equal(messageToEdit(items, 'u1', 'newer'), 'u2');
  });
});

describe('conversations in a browser', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');
  const tab = (id: string): Locator => chat.page.locator(`[data-conversation="${id}"]`);
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
    it(`are tabs without a serious accessibility problem (${theme})`, async () => {
      await open(snapshot([user('u', 'hello')], { editing: { entry: 'e', was: 'hello' } }), { theme, width: 360 });
      await chat.post(tabs());
      assert.deepEqual(await seriousFindings(chat.page), []);
      await chat.page.screenshot({ path: join(ARTIFACTS, 'webview', `tabs-${theme}.png`) });
    });
  }

  it('at 300 px keep the name of the shown one readable and in view, and the others go to the sides', async () => {
    await open(snapshot([]), { width: 300 });
    const shows = (id: string) => TABS.map(each => ({ ...each, shown: each.id === id }));
    await chat.post(tabs(shows('chat-4')));
    const list = await chat.page.locator('.tab-list').boundingBox();
    const box = await tab('chat-4').boundingBox();
    assert.ok(list !== null && box !== null && box.x >= list.x - 1 && box.x + box.width <= list.x + list.width + 1);
    const name = tab('chat-4').locator('.clip');
    assert.equal(await name.evaluate(text => text.scrollWidth > text.clientWidth), false);
    await chat.page.screenshot({ path: join(ARTIFACTS, 'webview', 'tabs-300.png') });
    await chat.page.locator('.tab-list').hover();
    await chat.page.mouse.wheel(0, -2000);
    await chat.page.waitForFunction(() => document.querySelector('.tab-list')?.scrollLeft === 0);
  });

  it('at 292 px stand in a list of all that tells which waits, and is used by keyboard', async () => {
    await open(snapshot([]), { width: 292 });
    const six = Array.from({ length: 6 }, (_, at) => ({
      id: `c${at}`,
      title: `Conversation ${at + 1} about something long`,
      state: (['idle', 'unread', 'running', 'idle', 'failed', 'asking'] as const)[at]!,
      shown: at === 2,
    }));
    await chat.post(tabs(six));
    const all = chat.page.locator('[data-hookline="all-conversations"]');
    assert.equal((await all.innerText()).trim(), '3 of 6');
    assert.match(
      (await all.getAttribute('aria-label')) ?? '',
      /Conversation 6 about something long: waiting for your answer/,
    );
    const widths = await chat.page.locator('[role="tab"]').evaluateAll(found => found.map(one => one.clientWidth));
    assert.ok(Math.min(...widths) >= 100, String(widths));
    const ends = await chat.page
      .locator('.tabs > *')
      .evaluateAll(found => found.map(one => one.getBoundingClientRect().right));
    assert.ok(Math.max(...ends) <= 292, String(ends));
    await all.focus();
    await press('Enter');
    assert.equal(await chat.page.getByRole('menuitemradio').count(), 6);
    assert.match(await chat.page.locator('[role="menuitemradio"]:focus').innerText(), /Conversation 3/);
    await chat.page.screenshot({ path: join(ARTIFACTS, 'webview', 'panel-tabs-292.png') });
    assert.deepEqual(await seriousFindings(chat.page), []);
    await press('End');
    await press('Enter');
    assert.deepEqual(await chat.sentOf('showConversation'), [{ type: 'showConversation', id: 'c5' }]);
    assert.equal(await all.evaluate(button => button === document.activeElement), true);
    await chat.post(tabs(six.slice(1, 3)));
    assert.equal(await all.count(), 0, 'two tabs are both in sight');
    const [list, ...two] = await chat.page
      .locator('.tab-list, [role="tab"]')
      .evaluateAll(found => found.map(one => one.getBoundingClientRect()));
    for (const { left, right, width } of two) {
      assert.ok(left >= list!.left && right <= list!.right && width > 90, `${left} to ${right}`);
    }
    await chat.page.screenshot({ path: join(ARTIFACTS, 'webview', 'panel-two-tabs-292.png') });
  });

  it('are no tabs as long as there is one, and are shown, closed and begun by keyboard', async () => {
    await open(snapshot([]));
    await chat.post(tabs(TABS.slice(0, 1)));
    assert.equal(await tab('chat-1').count(), 0);
    await chat.post(tabs());
    await tab('chat-1').focus();
    await press('ArrowRight');
    assert.equal(await tab('chat-2').evaluate(element => element === document.activeElement), true);
    await press('Delete');
    await composer().focus();
    await press('Alt+PageUp');
    await press('Alt+PageDown');
    assert.deepEqual(await chat.sentOf('showConversation'), [
      { type: 'showConversation', id: 'chat-2' },
      { type: 'showConversation', id: 'chat-5' },
      { type: 'showConversation', id: 'chat-2' },
    ]);
    assert.deepEqual(await chat.sentOf('closeConversation'), [{ type: 'closeConversation', id: 'chat-2' }]);
  });

  it('each keep draft, attachments and place, and items of the same id are not mixed up', async () => {
    const long = (word: string) =>
      Array.from({ length: 50 }, (_, index) => user(`u${index}`, `${word} ${index}\n`.repeat(4)));
    await open(snapshot(long('one'), { conversation: 'a' }));
    await composer().fill('for a');
    await chat.page.locator('[data-item-id="u20"]').evaluate(element => {
      element.scrollIntoView({ block: 'start' });
    });
    await chat.page.waitForFunction(() =>
      (window as unknown as { inside: { sent: { type: string; scroll?: object }[] } }).inside.sent.some(
        ({ type, scroll }) => type === 'scrolled' && scroll !== undefined,
      ),
    );
    const place = (await chat.sentOf('scrolled')).at(-1);
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;
    await chat.post(snapshot(long('two'), { revision: 1, conversation: 'b', draft: 'for b', attachments: [image] }));
    assert.equal(await composer().inputValue(), 'for b');
    assert.match(await chat.page.locator('[data-item-id="u49"]').innerText(), /two 49/);
    assert.equal(await chat.page.locator('.attachments li').count(), 1);
    assert.deepEqual((await chat.sentOf('draft')).at(-1), { type: 'draft', text: 'for a', conversation: 'a', was: '' });
    const { scroll } = place!;
    await chat.post(snapshot(long('one'), { revision: 2, conversation: 'a', draft: 'for a', scroll: scroll! }));
    assert.equal(await composer().inputValue(), 'for a');
    assert.equal(await chat.page.locator('.attachments li').count(), 0);
    const offset = await chat.page.locator(`[data-item-id="${scroll!.id}"]`).evaluate(element => {
      const log = element.closest('[role="log"]');
      return element.getBoundingClientRect().top - (log?.getBoundingClientRect().top ?? 0);
    });
    assert.ok(Math.abs(offset - scroll!.offset) < 2, `${offset} is ${scroll!.offset}`);
  });

  it('each keep the files that were still read when another was shown, and what was wrong with others', async () => {
    await open(snapshot([], { conversation: 'a' }));
    const drop = (...files: readonly [name: string, text: string][]): Promise<void> =>
      composer().evaluate((area, given) => {
        const dataTransfer = new DataTransfer();
        for (const [name, text] of given) dataTransfer.items.add(new File([text], name, { type: 'text/plain' }));
        area.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      }, files);
    await drop(['none.txt', 'a\0b'], ['first.txt', 'x']);
    await chat.page.getByRole('alert').waitFor();
    // From here on, a file is read as slowly as the test wants.
    await chat.page.evaluate(() => {
      const read = (file: Blob): Promise<ArrayBuffer> => new Response(file).arrayBuffer();
      const go = new Promise<void>(resolve => Object.assign(window, { readNow: resolve }));
      File.prototype.arrayBuffer = async function (this: File) {
        await go;
        return read(this);
      };
    });
    await drop(['late.txt', 'for a']);
    await chat.post(snapshot([], { revision: 1, conversation: 'b' }));
    assert.equal(await chat.page.getByRole('alert').count(), 0);
    await chat.page.evaluate(() => (window as unknown as { readNow: () => void }).readNow());
    await chat.page.waitForFunction(
      () =>
        (window as unknown as { inside: { sent: { type: string }[] } }).inside.sent.filter(
          ({ type }) => type === 'attachments',
        ).length === 2,
    );
    const files = [
      { name: 'first.txt', text: 'x' },
      { name: 'late.txt', text: 'for a' },
    ];
    assert.deepEqual((await chat.sentOf('attachments')).at(-1), {
      type: 'attachments',
      images: [],
      files,
      conversation: 'a',
    });
    assert.equal(await chat.page.locator('.attachments li').count(), 0, 'b has none');
    await chat.post(snapshot([], { revision: 2, conversation: 'a', files }));
    assert.equal(await chat.page.locator('.attachments li').count(), 2);
  });

  it('are not moved by what was asked of the one that was shown before', async () => {
    const long = (word: string): ChatItem[] =>
      Array.from({ length: 50 }, (_, index) => user(`${word}${index}`, `${word} ${index}\n`.repeat(4)));
    const isAtEnd = (): Promise<boolean> =>
      chat.page
        .locator('[role="log"]')
        .evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 2);
    await open(snapshot(long('one'), { conversation: 'a', earlier: 100 }));
    await chat.page.getByRole('button', { name: 'Go to Start' }).click();
    assert.deepEqual(await chat.sentOf('earlier'), [{ type: 'earlier' }]);
    await chat.post(snapshot(long('two'), { revision: 1, conversation: 'b', earlier: 100 }));
    assert.equal(await isAtEnd(), true);
    assert.equal((await chat.sentOf('earlier')).length, 1);
    // A card that is yet to be loaded.
    await chat.post({ type: 'reveal', revision: 2, id: 'far' });
    assert.deepEqual((await chat.sentOf('earlier')).at(-1), { type: 'earlier', through: 'far' });
    await chat.post(snapshot(long('one'), { revision: 3, conversation: 'a', earlier: 100 }));
    await chat.post({ type: 'item', revision: 4, item: user('new', 'one more\n'.repeat(9)) });
    assert.equal(await isAtEnd(), true);
  });

  it('let a message be edited by key and button, and say whose place the text takes', async () => {
    await open(snapshot([user('u1', 'old words'), user('u2', 'later words')]));
    await composer().focus();
    await press('F2');
    await press('F2');
    assert.deepEqual(await chat.sentOf('editMessage'), [
      { type: 'editMessage', id: 'u2' },
      { type: 'editMessage', id: 'u2' },
    ]);
    await chat.post({
      type: 'composer',
      revision: 1,
      text: 'old words',
      mode: 'replace',
      draft: 'old words',
      images: [],
      onlyThese: true,
      editing: { entry: 'e1', was: 'old words' },
    });
    assert.match(await chat.page.locator('[data-hookline="editing"]').innerText(), /old words/);
    await composer().fill('new words');
    await press('Enter');
    assert.deepEqual(await chat.sentOf('submit'), [
      { type: 'submit', text: 'new words', delivery: 'steer', images: [], edits: 'e1', conversation: 'demo' },
    ]);
    assert.equal(await chat.page.locator('[data-hookline="editing"]').count(), 0);
    await chat.page.locator('[data-item-id="u1"]').hover();
    await chat.page.locator('[data-item-id="u1"]').getByRole('button', { name: 'Edit and Send Again (F2)' }).click();
    assert.deepEqual((await chat.sentOf('editMessage')).at(-1), { type: 'editMessage', id: 'u1' });
  });
});
