import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { findInItems } from '../../../src/chat/page/find-in-items';
import { SentItems } from '../../../src/chat/page/sent-items';
import type { ChatItem } from '../../../src/protocol/items/chat-item';
import { readPageMessage, type HostToWebview } from '../../../src/protocol/messages';
import { assistant, gate, snapshot, tool, user } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness, HarnessOptions } from '../harness/harness';

/** A host that pages and searches as the real one does. */
class PagingHost {
  private readonly tail = new SentItems();
  private revision = 0;

  constructor(private readonly items: readonly ChatItem[]) {}

  snapshot(): HostToWebview {
    return snapshot([], this.tail.restart(this.items));
  }

  answer(raw: unknown, post: (message: HostToWebview) => void): void {
    const message = readPageMessage(raw);
    if (message?.type === 'earlier') {
      this.revision += 1;
      post({ type: 'earlier', revision: this.revision, ...this.tail.more(this.items, message.through) });
    } else if (message?.type === 'find') {
      const { request, text, matchCase } = message;
      post({ type: 'found', request, matches: findInItems(this.items, text, matchCase) });
    }
  }
}

const words = (index: number): string => 'Some *words* to wrap. '.repeat(1 + (index % 30));
const conversation = (count: number): ChatItem[] =>
  Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? user(`m${index}`, `Question ${index}`) : assistant(`m${index}`, words(index)),
  );

describe('a long conversation in the chat page', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const begin = eachInBrowser(opened => {
    chat = opened;
  });

  async function open(items: readonly ChatItem[], options?: HarnessOptions): Promise<void> {
    const host = new PagingHost(items);
    await begin(host.snapshot(), options);
    const link: { post?: (message: HostToWebview) => void } = {};
    const early: unknown[] = [];
    link.post = await chat.connect(message => {
      if (link.post) host.answer(message, link.post);
      else early.push(message);
    });
    for (const message of early) host.answer(message, link.post);
  }

  const log = (): Locator => chat.page.locator('[role="log"]');
  const item = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"]`);
  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);
  const go = (to: 'nextMessage' | 'previousMessage' | 'find'): Promise<void> => chat.post({ type: 'navigate', to });
  const field = (): Locator => chat.page.locator('[data-hookline="find"]');
  const count = (text: string): Promise<void> =>
    chat.page.locator('[data-hookline="find-count"]', { hasText: new RegExp(`^${text}$`) }).waitFor();
  const marked = (name: string): Promise<string[]> =>
    chat.page.evaluate(
      key => [...(CSS.highlights.get(key) ?? [])].map(range => (range as Range).toString()),
      `hookline-${name}`,
    );
  const focused = (): Promise<string | undefined> =>
    chat.page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-item-id]')?.dataset['itemId']);

  describe('earlier pages', () => {
    it('come while scrolling back, and what is in view stays where it is', async () => {
      await open(conversation(1000));
      assert.equal(await chat.page.locator('[data-item-id]').count(), 200);
      await chat.page.getByText('800 earlier entries').waitFor({ state: 'attached' });
      const moved = await log().evaluate(async element => {
        element.scrollTop = 1600;
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        const top = element.getBoundingClientRect().top;
        const mark = [...element.querySelectorAll('article')].find(one => one.getBoundingClientRect().top > top + 50);
        element.scrollTop -= 200;
        const before = mark?.getBoundingClientRect().top ?? 0;
        while (element.querySelectorAll('article').length < 400) await new Promise(requestAnimationFrame);
        await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        return Math.abs((mark?.getBoundingClientRect().top ?? 0) - before);
      });
      assert.ok(moved < 3, `the item in view moved by ${moved} px`);
      assert.equal(await item('m600').getAttribute('aria-posinset'), '601');
    });

    it('are counted, also a single one', async () => {
      await open(conversation(201));
      await chat.page.getByText('1 earlier entry', { exact: true }).waitFor({ state: 'attached' });
    });

    it('come all of them on the way to the start, by button and by key', async () => {
      await open(conversation(900));
      await log().focus();
      await press('Control+Home');
      await item('m0').waitFor();
      await chat.page.waitForFunction(() => document.querySelector('[role="log"]')?.scrollTop === 0);
      assert.equal(await chat.page.locator('[data-hookline="earlier"]').count(), 0);
      assert.equal(await chat.page.locator('[data-item-id]').count(), 900);
    });

    it('come with the place that was kept before a reload', async () => {
      const items = conversation(1000);
      await open(items);
      await log().evaluate(element => (element.scrollTop = 1000));
      await item('m700').waitFor({ state: 'attached' });
      await item('m700').evaluate(element => {
        element.scrollIntoView({ block: 'start' });
      });
      const saved = await chat.page.waitForFunction(
        () => /"scroll":{"id":"(m(?:69|70)\d)"/.exec(sessionStorage.getItem('state') ?? '')?.[1],
      );
      const kept = await saved.jsonValue();
      assert.ok(kept);
      const before = await item(kept).boundingBox();
      const host = new PagingHost(items);
      await chat.reload(host.snapshot());
      await chat.page.waitForFunction(() =>
        (window as unknown as { inside: { sent: { type: string }[] } }).inside.sent.some(
          ({ type }) => type === 'earlier',
        ),
      );
      const [asked] = await chat.sentOf('earlier');
      assert.equal(asked?.through, kept);
      const answers: HostToWebview[] = [];
      host.answer(asked, message => answers.push(message));
      await chat.post(...answers);
      assert.deepEqual(await item(kept).boundingBox(), before);
    });
  });

  describe('find', () => {
    it('goes through what is visible, folded and not yet loaded, forwards and back', async () => {
      const items = conversation(600);
      items[10] = user('m10', 'An early needle stands here');
      items[590] = tool(
        'm590',
        'read',
        'a.txt',
        { type: 'done', durationMs: 3 },
        { output: 'deep\nin the needle output' },
      );
      items[591] = assistant('m591', '', { blocks: [{ type: 'thinking', text: 'I think of a *needle*' }] });
      items[599] = assistant('m599', 'A **nee**dle across markup, and a NEEDLE.');
      await open(items);
      await go('find');
      await press('n');
      await field().fill('needle');
      await count('[345] of 5');
      assert.equal(await item('m10').count(), 0, 'not loaded');
      while ((await chat.page.locator('[data-hookline="find-count"]').innerText()) !== '5 of 5') await press('Enter');
      await press('Enter');
      await count('1 of 5');
      await item('m10').waitFor();
      await chat.page.waitForFunction(() => [...(CSS.highlights.get('hookline-find-current') ?? [])].length === 1);
      assert.deepEqual(await marked('find-current'), ['needle']);
      assert.equal(
        await item('m10').evaluate(element => {
          const box = element.getBoundingClientRect();
          return box.top >= 0 && box.bottom <= innerHeight;
        }),
        true,
      );
      await press('Shift+Enter');
      await count('5 of 5');
      await press('Shift+Enter');
      await press('Shift+Enter');
      await count('3 of 5');
      await item('m591').locator('details[open]').waitFor();
      await press('Shift+Enter');
      await count('2 of 5');
      assert.match(await item('m590').innerText(), /in the needle output/);
    });

    it('minds the case when asked, says when there is nothing, and leaves no mark behind', async () => {
      await open([user('a', 'Alpha alpha ALPHA')]);
      await go('find');
      await field().fill('alpha');
      await count('1 of 3');
      await chat.page.waitForFunction(() => CSS.highlights.get('hookline-find')?.size === 3);
      await press('Alt+c');
      await count('1 of 1');
      await field().fill('omega');
      await count('No results');
      await press('Escape');
      assert.equal(await field().count(), 0);
      assert.deepEqual([await marked('find'), await marked('find-current')], [[], []]);
      assert.equal(await composer().evaluate(area => area === document.activeElement), true);
      assert.deepEqual(await chat.sentOf('stop'), []);
    });

    it('forgets the matches of the text before while the host searches, so that no key moves among them', async () => {
      await begin(snapshot([user('a', 'one tree, two trees')]));
      await go('find');
      await field().fill('tree');
      const asked = await chat.page.waitForFunction(() =>
        (
          window as unknown as { inside: { sent: { type: string; text?: string; request: number }[] } }
        ).inside.sent.find(({ type, text }) => type === 'find' && text === 'tree'),
      );
      const { request } = (await asked.jsonValue()) ?? assert.fail('nothing is searched');
      await chat.post({ type: 'found', request, matches: [{ id: 'a', part: '', count: 2 }] });
      await count('1 of 2');
      await field().fill('trees');
      const counted = (): Promise<string> => chat.page.locator('[data-hookline="find-count"]').innerText();
      assert.equal(await counted(), '');
      await press('Enter');
      assert.equal(await counted(), '');
    });

    it('counts anew when the conversation goes on', async () => {
      await open([user('a', 'one tree')]);
      await go('find');
      await field().fill('tree');
      await count('1 of 1');
      // The host of this test knows only what it began with, so that the question is what counts.
      const asked = (await chat.sentOf('find')).length;
      await chat.post({ type: 'item', revision: 1, item: user('b', 'another tree') });
      await chat.page.waitForFunction(
        before =>
          (window as unknown as { inside: { sent: { type: string }[] } }).inside.sent.filter(
            ({ type }) => type === 'find',
          ).length > before,
        asked,
      );
      await chat.page.waitForFunction(() => CSS.highlights.get('hookline-find')?.size === 2);
    });
  });

  describe('from message to message', () => {
    it('goes by the commands, over cards, to the composer behind the last one', async () => {
      const done = { type: 'done', durationMs: 1 } as const;
      await open([
        user('u', 'hello'),
        assistant('a', 'Working on it'),
        tool('t', 'ls', '.', done),
        gate('g'),
        assistant('b', 'Done'),
      ]);
      await composer().focus();
      const stops: (string | undefined)[] = [];
      for (let step = 0; step < 5; step++) {
        await go('previousMessage');
        stops.push(await focused());
      }
      assert.deepEqual(stops, ['b', 'g', 'a', 'u', 'u']);
      await go('nextMessage');
      assert.equal(await focused(), 'a');
      for (let step = 0; step < 3; step++) await go('nextMessage');
      assert.equal(await composer().evaluate(area => area === document.activeElement), true);
    });

    it('fetches what came before on its way, and shows where the focus is', async () => {
      await open(conversation(250));
      await item('m50').evaluate(element => {
        element.tabIndex = -1;
        element.focus();
      });
      await composer().focus();
      await press('Shift+Tab');
      await item('m50').evaluate(element => {
        element.tabIndex = -1;
        element.focus();
      });
      await go('previousMessage');
      await chat.page.waitForFunction(() => document.activeElement?.getAttribute('data-item-id') === 'm49');
      assert.notEqual(await item('m49').evaluate(element => getComputedStyle(element).outlineStyle), 'none');
      assert.equal(await item('m49').getAttribute('aria-posinset'), '50');
      assert.equal(await chat.page.locator('[role="feed"]').getAttribute('aria-label'), 'Messages');
    });
  });

  it('bounds a table of a million cells and five megabytes in one line', async () => {
    const table = `| ${'h | '.repeat(20)}\n| ${'- | '.repeat(20)}\n${`| ${'cell | '.repeat(20)}\n`.repeat(50_000)}`;
    await open([assistant('t', table), user('l', 'x'.repeat(5_000_000)), assistant('a', 'y'.repeat(5_000_000))]);
    await item('a').waitFor();
    assert.ok((await chat.page.locator('*').count()) < 5000, 'elements in the page');
    await go('find');
    await field().fill('xxxxxxxxxx');
    await chat.page.locator('[data-hookline="find-count"]', { hasText: 'of 10000' }).waitFor();
  });
});
