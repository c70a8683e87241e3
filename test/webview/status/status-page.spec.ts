import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { ChatItem } from '../../../src/protocol/items/chat-item';
import type { RunStatus } from '../../../src/protocol/messages';
import { snapshot, IDLE, user } from '../harness/demo';
import { seriousFindings } from '../../support/axe';
import { choose } from '../harness/choose';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness, Theme } from '../harness/harness';

describe('chat page: header and status', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const item = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"]`);
  const button = (name: string): Locator => chat.page.getByRole('button', { name, exact: true });

  it('offers hooks, model and thinking level, and shows context and cost', async () => {
    await open(snapshot([]));
    await chat.page.locator('[data-hookline="hooks"]').click();
    await button('Choose model: Demo (offline)').click();
    await choose(button('Thinking level: low'), 'high');
    assert.deepEqual((await chat.sent()).slice(1), [
      { type: 'showHooks' },
      { type: 'pickModel' },
      { type: 'setThinkingLevel', level: 'high' },
    ]);
    assert.equal(await button('Context and cost: ~6 %, ~12.3k/200k tokens, $0.0123').innerText(), '~6 %');
    const hooks = { live: 2, broken: 1, failed: 1, stopped: 1, heldBack: 2, waiting: 1 };
    await chat.post({ type: 'status', revision: 1, status: { ...IDLE, hooks, hookStatus: ['watching'] } });
    assert.match(
      await chat.page.locator('[data-hookline="hooks"]').innerText(),
      /3 hooks, 1 broken, 1 failed, 1 stopped, 2 held back, 1 waiting for approval/,
    );
    assert.equal(await chat.page.locator('[data-hookline="activity"]').innerText(), 'watching');
  });

  it('draws the row of the working agent as a hook wishes, and its name for folded thoughts', async () => {
    const phase = { type: 'running', message: 'Baking' } as const;
    const show = (revision: number, more: Partial<RunStatus>) =>
      chat.post({ type: 'status', revision, status: { ...IDLE, phase, ...more } });
    const thought: ChatItem = {
      kind: 'assistant',
      id: 'a',
      model: 'M',
      state: 'done',
      blocks: [{ type: 'thinking', text: 'hm' }],
    };
    await open(snapshot([thought], { status: { ...IDLE, phase } }));
    await chat.page.emulateMedia({ reducedMotion: 'no-preference' });
    const activity = chat.page.locator('[data-hookline="activity"]');
    const summary = item('a').locator('summary');
    assert.equal(await summary.innerText(), 'Thought');
    await show(1, {
      indicator: { hidden: false, frames: ['one', 'two'], intervalMs: 50 },
      thinkingLabel: 'Pondering',
    });
    assert.equal(await summary.innerText(), 'Pondering');
    for (const frame of ['one', 'two']) await activity.getByText(`${frame} Baking`).waitFor();
    await show(2, { indicator: { hidden: false, frames: [], intervalMs: 50 } });
    assert.deepEqual([await activity.innerText(), await summary.innerText()], ['Baking', 'Thought']);
    await show(3, { indicator: { hidden: true, intervalMs: 0 } });
    assert.equal(await activity.innerText(), '');
  });

  it('shows what context and cost are made of, on hover and in a panel of its own', async () => {
    const cost = { input: 0.5, output: 1.25, cacheRead: 0.05, cacheWrite: 0, total: 1.8 };
    const usage = { input: 120_000, output: 4_000, cacheRead: 90_000, cacheWrite: 500, cost, answers: 12 };
    const context = { tokens: 50_000, window: 200_000, estimated: false, compactsAt: 180_000 };
    const status = { ...IDLE, context, cost: 1.8, usage: { ...usage, estimated: false, partial: false } };
    await open(snapshot([], { status }));
    const meter = chat.page.locator('[data-hookline="usage"]');
    const panel = chat.page.getByRole('dialog', { name: 'Context and cost' });
    assert.match(
      (await meter.getAttribute('title'))!,
      /^Context: 50k\/200k tokens \(25 %\)\nSummarized automatically at 180k tokens\nCost: \$1\.80$/,
    );
    assert.equal(await panel.isVisible(), false);
    await meter.focus();
    await chat.page.keyboard.press('Enter');
    assert.equal(await panel.isVisible(), true);
    const rows = await panel.locator('tbody tr').allInnerTexts();
    assert.deepEqual(
      rows.map(row => row.split(/\s*\t\s*/)),
      [
        ['Input', '120k', '$0.50'],
        ['Output', '4k', '$1.25'],
        ['Read from cache', '90k', '$0.0500'],
        ['Written to cache', '500', '$0.0000'],
        ['Total', '215k', '$1.80'],
      ],
    );
    await chat.page.keyboard.press('Escape');
    assert.equal(await panel.isVisible(), false);
    assert.deepEqual(await chat.sentOf('stop'), [], 'Escape closes the panel and nothing else');
    const guessed = { ...usage, cost: { ...cost, total: 0 }, estimated: true, partial: true };
    const free = { ...IDLE, cost: undefined, context };
    await chat.post({ type: 'status', revision: 1, status: { ...free, usage: guessed } });
    await meter.click();
    assert.match(await panel.innerText(), /~120k.*~215k.*~ marks an estimate.*Earlier answers/s);
    assert.doesNotMatch(await panel.innerText(), /\$/);
  });

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
    it(`says at 300 px that the model is silent, and offers Stop and Retry to the keyboard, in ${theme}`, async () => {
      const phase = { type: 'running', message: '', silentSince: Date.now() - 34_000 } as const;
      const indicator = { hidden: true, intervalMs: 0 };
      await open(snapshot([user('u', 'hello')], { status: { ...IDLE, phase, indicator } }), { theme, width: 300 });
      const activity = chat.page.locator('[data-hookline="activity"]');
      assert.match(await activity.innerText(), /No response from the model for 3\d s\.\s+Stop\s+·\s+Retry/);
      await chat.page.screenshot({ path: join(ARTIFACTS, 'webview', `silent-300-${theme}.png`) });
      assert.deepEqual(await seriousFindings(chat.page), []);
      await activity.getByRole('button', { name: 'Stop' }).focus();
      await chat.page.keyboard.press('Tab');
      await chat.page.keyboard.press('Enter');
      assert.deepEqual(await chat.sentOf('askAgain'), [{ type: 'askAgain' }]);
      assert.deepEqual(await chat.sentOf('stop'), []);
    });
  }

  it('counts down to a retry', async () => {
    const phase = {
      type: 'retrying',
      attempt: 2,
      maxAttempts: 3,
      at: Date.now() + 30_000,
      error: 'overloaded',
    } as const;
    await open(snapshot([], { status: { ...IDLE, phase } }));
    assert.match(
      await chat.page.locator('[data-hookline="activity"]').innerText(),
      /Retry 2 of 3 in \d+ s:\s+overloaded/,
    );
  });
});
