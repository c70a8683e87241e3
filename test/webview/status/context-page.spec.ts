import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { ContextBreakdown } from '../../../src/protocol/panels/context';
import { seriousFindings } from '../../support/axe';
import { eachInBrowser } from '../harness/each-in-browser';
import { IDLE, RUNNING, snapshot, user } from '../harness/demo';
import type { ChatHarness, Theme } from '../harness/harness';

const PICTURES = join(ARTIFACTS, 'webview');
const parts = { system: 1_200, tools: 9_000, hooks: 300, files: 14_000, messages: 25_500 };
const COUNTED: ContextBreakdown = { parts, window: 200_000, counted: 'provider' };

describe('the breakdown of the context in the page', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const meter = (): Locator => chat.page.locator('[data-hookline="usage"]');
  const panel = (): Locator => chat.page.getByRole('dialog', { name: 'Context and cost' });
  const show = async (): Promise<void> => {
    await meter().press('Enter');
    await chat.page.locator('#usage-panel:focus').waitFor();
  };
  const answer = (context: ContextBreakdown, conversation = 's'): Promise<void> =>
    chat.post({ type: 'context', conversation, context });
  const rows = async (): Promise<string[][]> =>
    (await panel().locator('.context-parts tr').allInnerTexts()).map(row => row.trim().split(/\s*\t\s*/));

  it('is asked for when the panel opens, each time anew, and not before', async () => {
    await open(snapshot([user('u', 'hi')], { conversation: 's' }));
    assert.deepEqual(await chat.sentOf('loadContext'), []);
    await show();
    assert.equal((await chat.sentOf('loadContext')).length, 1);
    assert.equal(await panel().locator('.context-parts').count(), 0);
    await answer(COUNTED);
    assert.deepEqual(await rows(), [
      ['System prompt', '~1.2k'],
      ['Tools', '~9k'],
      ['Added by hooks', '~300'],
      ['Files', '~14k'],
      ['Messages', '~25.5k'],
      ['Free', '150k'],
    ]);
    assert.match(await panel().innerText(), /Context: 50k\/200k tokens \(25 %\)/);
    assert.match(await panel().innerText(), /The provider counted the whole\. It counts no parts/);
    const shares = await panel()
      .locator('progress')
      .evaluateAll(bars => bars.map(bar => (bar as HTMLProgressElement).position));
    assert.deepEqual(shares, [0.006, 0.045, 0.0015, 0.07, 0.1275, 0.75]);
    await chat.page.keyboard.press('Escape');
    await show();
    assert.equal((await chat.sentOf('loadContext')).length, 2);
    // Numbers of before are not shown as those of now.
    await panel().locator('.context-parts').waitFor({ state: 'detached' });
    assert.deepEqual(await chat.sentOf('stop'), []);
  });

  it('offers no compaction before anything was said', async () => {
    await open(snapshot([], { conversation: 's' }));
    await show();
    await answer({ ...COUNTED, parts: { ...parts, messages: 0 } });
    await panel().locator('.context-parts').waitFor();
    assert.equal(await panel().getByRole('button', { name: 'Compact Now' }).count(), 0);
    await answer(COUNTED);
    await panel().getByRole('button', { name: 'Compact Now' }).waitFor();
  });

  it('is not that of another conversation', async () => {
    await open(snapshot([user('u', 'hi')], { conversation: 's' }));
    await show();
    await answer(COUNTED, 'another');
    assert.equal(await panel().locator('.context-parts').count(), 0);
  });

  for (const [counted, words] of [
    ['partly', /up to its last answer; what came after is estimated/],
    ['editor', /VS Code counts no tokens/],
    ['nobody', /No provider has counted this yet/],
  ] as const) {
    it(`marks all numbers as estimates and says why: ${counted}`, async () => {
      await open(snapshot([], { conversation: 's' }));
      await show();
      await answer({ ...COUNTED, counted });
      assert.deepEqual((await rows()).at(-1), ['Free', '~150k']);
      assert.match(await panel().innerText(), /Context: ~50k\/200k/);
      assert.match(await panel().innerText(), words);
    });
  }

  it('says that no model is chosen, and has nothing free then', async () => {
    const status = { ...IDLE, model: '', context: undefined, cost: undefined };
    await open(snapshot([], { conversation: 's', status }));
    assert.match((await meter().getAttribute('aria-label'))!, /^Context and cost: – %$/);
    await show();
    await answer({ parts: { ...parts, messages: 0 }, counted: 'nobody' });
    assert.match(await panel().innerText(), /No model is chosen/);
    assert.deepEqual((await rows()).at(-1), ['Messages', '~0']);
  });

  it('has nothing free when the context is too large', async () => {
    await open(snapshot([], { conversation: 's' }));
    await show();
    await answer({ ...COUNTED, window: 8_000 });
    assert.deepEqual((await rows()).at(-1), ['Free', '0']);
  });

  it('opens for a command, and compacts with the keyboard', async () => {
    await open(snapshot([user('u', 'hi')], { conversation: 's' }));
    await chat.post({ type: 'navigate', to: 'context' });
    await panel().waitFor();
    await chat.post({ type: 'navigate', to: 'context' });
    assert.equal(await panel().isVisible(), true, 'a second command leaves it open');
    await answer(COUNTED);
    await chat.page.keyboard.press('Tab');
    assert.equal(await chat.page.locator(':focus').innerText(), 'Compact Now');
    await chat.page.keyboard.press('Enter');
    assert.equal(await panel().isVisible(), false);
    assert.deepEqual(await chat.sentOf('compactNow'), [{ type: 'compactNow' }]);
    assert.equal(await chat.page.locator(':focus').getAttribute('data-hookline'), 'usage');
  });

  const usage = { input: 120_000, output: 4_000, cacheRead: 90_000, cacheWrite: 500, answers: 12, estimated: false };
  const cost = { input: 0.5, output: 1.25, cacheRead: 0.05, cacheWrite: 0, total: 1.8 };
  for (const theme of ['light', 'dark', 'hc-light', 'hc-dark'] satisfies Theme[]) {
    for (const width of [171, 292, 560]) {
      it(`cuts nothing at ${width} px in ${theme}`, async () => {
        const status = { ...RUNNING, cost: 1.8, usage: { ...usage, cost, partial: false } };
        await open(snapshot([user('u', 'hi')], { conversation: 's', status }), { theme, width, height: 640 });
        await show();
        await answer(COUNTED);
        const box = (await panel().boundingBox())!;
        assert.ok(
          box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= 640,
          JSON.stringify(box),
        );
        const at = (await meter().boundingBox())!;
        if (box.height + at.height < at.y) {
          assert.ok(box.y + box.height <= at.y + 1, 'the panel does not cover the ring');
        }
        const wide = await panel().evaluate(element => element.scrollWidth > element.clientWidth);
        assert.equal(wide, false, 'nothing is cut at the side');
        assert.deepEqual(await seriousFindings(chat.page), []);
        mkdirSync(PICTURES, { recursive: true });
        await chat.page.screenshot({ path: join(PICTURES, `context-${width}-${theme}.png`) });
      });
    }
  }
});
