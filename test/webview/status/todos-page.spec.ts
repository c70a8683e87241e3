import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Todos } from '../../../src/protocol/panels/todos';
import { seriousFindings } from '../../support/axe';
import { IDLE, snapshot, tool, user } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness } from '../harness/harness';

const TODOS: Todos = [
  { content: 'Read how the parser counts lines', status: 'completed' },
  { content: 'Find a smaller example', status: 'abandoned' },
  {
    content: 'Write the tests for sources with \u202e hidden characters and long names of files',
    status: 'in_progress',
  },
  { content: 'Fix the counting', status: 'pending' },
  { content: 'Say it in the changelog', status: 'pending' },
];
const FINISHED: Todos = TODOS.map(({ content }) => ({ content, status: 'completed' }));

describe('the todo list in the page', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const head = (): Locator => chat.page.locator('[data-hookline="todos"]');
  const items = (): Locator => chat.page.getByRole('list', { name: 'Todo list' }).getByRole('listitem');
  const focused = (): Promise<string | null> => chat.page.locator(':focus').getAttribute('data-hookline');

  it('is not there without a list, and one line with one', async () => {
    await open(snapshot([user('u', 'hi')]));
    assert.equal(await head().count(), 0);
    await chat.post({ type: 'todos', revision: 1, todos: TODOS });
    assert.equal((await head().innerText()).slice(0, 28), '2 of 5 · Write the tests for');
    assert.match(await head().innerText(), /⟦U\+202E⟧/);
    assert.equal(await head().getAttribute('aria-expanded'), 'false');
    assert.equal(await items().count(), 0);
    assert.equal(await chat.page.locator('.todos progress').evaluate((bar: HTMLProgressElement) => bar.position), 0.4);
    await chat.post({ type: 'todos', revision: 2, todos: FINISHED });
    assert.equal(await head().innerText(), 'All 5 done');
    await chat.post({ type: 'todos', revision: 3, todos: [{ content: 'next', status: 'pending' }] });
    assert.equal(await head().innerText(), '0 of 1 · next');
    await chat.post({ type: 'todos', revision: 4, todos: [] });
    assert.equal(await chat.page.locator('.todos').count(), 0);
  });

  it('opens with the keyboard, says the state of each item in words, and keeps the focus while it changes', async () => {
    await open(snapshot([user('u', 'hi')], { todos: TODOS }));
    await head().focus();
    await chat.page.keyboard.press('Enter');
    assert.equal(await head().innerText(), '2 of 5 done');
    assert.deepEqual(
      (await items().allTextContents()).map(text => text.trim().split(': ')[0]),
      ['Done', 'Given up', 'Doing', 'Open', 'Open'],
    );
    await chat.post({ type: 'todos', revision: 1, todos: FINISHED });
    assert.equal(await focused(), 'todos');
    assert.equal(await items().nth(4).getAttribute('data-status'), 'completed');
    await chat.page.keyboard.press('Enter');
    assert.equal(await items().count(), 0);
  });

  it('stays open in another conversation and after a reload of the page', async () => {
    await open(snapshot([user('u', 'hi')], { todos: TODOS }));
    await head().click();
    await chat.post(snapshot([], { conversation: 'other', revision: 1, todos: FINISHED }));
    assert.equal(await items().count(), 5);
    await chat.reload(snapshot([], { conversation: 'other', todos: TODOS }));
    assert.equal(await items().count(), 5);
    await head().click();
    await chat.reload(snapshot([], { conversation: 'other', todos: TODOS }));
    assert.equal(await items().count(), 0);
  });

  it('of 200 items takes a part of the page, with what is worked on in view and the rest in reach of the keyboard', async () => {
    const todos: Todos = Array.from({ length: 200 }, (_, index) => ({
      content: `step ${index} ${'long '.repeat(index % 40)}`,
      status: index < 120 ? 'completed' : index === 120 ? 'in_progress' : 'pending',
    }));
    await open(snapshot([user('u', 'hi')], { todos }), { width: 171, height: 600 });
    await head().click();
    const list = chat.page.getByRole('list', { name: 'Todo list' });
    const box = await list.evaluate(one => ({ height: one.clientHeight, wide: one.scrollWidth - one.clientWidth }));
    assert.ok(box.height > 60 && box.height <= 180, `${box.height} px`);
    assert.equal(box.wide, 0);
    const isInView = (): Promise<boolean> =>
      items()
        .nth(120)
        .evaluate(item => {
          const [inner, outer] = [item.getBoundingClientRect(), item.parentElement!.getBoundingClientRect()];
          return inner.top >= outer.top - 1 && inner.top < outer.bottom;
        });
    assert.ok(await isInView());
    await list.focus();
    await chat.page.keyboard.press('Home');
    await chat.page.waitForFunction(() => document.querySelector('.todos-list')?.scrollTop === 0);
    await chat.post({ type: 'status', revision: 1, status: IDLE });
    assert.equal(await isInView(), false, 'what the user scrolled to stays');
    const composer = await chat.page.locator('.composer').boundingBox();
    assert.ok(composer !== null && composer.y + composer.height <= 600);
  });

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] as const) {
    it(`has no finding of axe (${theme})`, async () => {
      await open(
        snapshot(
          [
            user('u', 'hi'),
            tool('t', 'todo', '2/5 · Fix it', { type: 'done', durationMs: 3 }, { icon: 'checklist', output: 'x' }),
          ],
          { todos: TODOS },
        ),
        {
          theme,
          width: 292,
        },
      );
      await head().click();
      assert.deepEqual(await seriousFindings(chat.page), []);
    });
  }
});
