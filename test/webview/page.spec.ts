import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../scripts/support/paths.ts';
import { seriousFindings } from '../support/axe';
import { assistant, RUNNING, snapshot, TOUR } from './harness/demo';
import { eachInBrowser } from './harness/each-in-browser';
import type { ChatHarness, Theme } from './harness/harness';

const PICTURES = join(ARTIFACTS, 'webview');

describe('chat page in each theme and width', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const item = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"]`);
  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
    it(`has no serious finding of axe in ${theme}`, async () => {
      await open(snapshot(TOUR, { status: RUNNING }), { theme });
      for (const id of ['tool:2', 'tool:4']) await item(id).locator('.card-line').click();
      await composer().fill('/');
      mkdirSync(PICTURES, { recursive: true });
      await chat.page.screenshot({ path: join(PICTURES, `${theme}.png`) });
      assert.deepEqual(await seriousFindings(chat.page), []);
    });
  }

  it('has no serious finding of axe while the conversation is empty', async () => {
    await open(snapshot([]));
    assert.deepEqual(await seriousFindings(chat.page), []);
  });

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
    it(`shows added lines of a diff in green and removed ones in red in ${theme}`, async () => {
      await open(snapshot([assistant('a', '```diff\n+one\n-two\n```')]), { theme });
      await item('a').locator('.hljs-addition').waitFor();
      const rgbOf = (selector: string): Promise<number[]> =>
        item('a')
          .locator(selector)
          .evaluate(line => {
            const context = document.createElement('canvas').getContext('2d');
            if (context === null) return [];
            context.fillStyle = getComputedStyle(line).color;
            context.fillRect(0, 0, 1, 1);
            return [...context.getImageData(0, 0, 1, 1).data];
          });
      const [addedRed = 0, addedGreen = 0, addedBlue = 0] = await rgbOf('.hljs-addition');
      const [red = 0, green = 0, blue = 0] = await rgbOf('.hljs-deletion');
      assert.ok(addedGreen > addedRed + 20 && addedGreen > addedBlue + 20, `${addedRed} ${addedGreen} ${addedBlue}`);
      assert.ok(red > green + 20 && red > blue + 20, `${red} ${green} ${blue}`);
    });
  }

  it('shows the suggestions of the composer in front of all else', async () => {
    await open(snapshot([]));
    await composer().fill('/');
    const options = chat.page.locator('[data-hookline="suggestions"] [role="option"]');
    for (const option of [options.first(), options.last()]) {
      await option.scrollIntoViewIfNeeded();
      const isOnTop = await option.evaluate(element => {
        const { left, top, height } = element.getBoundingClientRect();
        return element.contains(document.elementFromPoint(left + 5, top + height / 2));
      });
      assert.ok(isOnTop, await option.innerText());
    }
  });

  for (const width of [240, 320]) {
    it(`fits into ${width} px`, async () => {
      await open(snapshot(TOUR, { status: RUNNING }), { width });
      const wide = await chat.page.evaluate(() => {
        const limit = document.documentElement.clientWidth;
        const inScroller = (element: Element): boolean =>
          element.closest('pre, .table, .chip, .sr-only, .detail') !== null;
        return [...document.querySelectorAll('[data-hookline="chat"] *')]
          .filter(element => !inScroller(element) && element.getBoundingClientRect().right > limit + 1)
          .map(element => element.outerHTML.slice(0, 120));
      });
      assert.deepEqual(wide, []);
      mkdirSync(PICTURES, { recursive: true });
      await chat.page.screenshot({ path: join(PICTURES, `${width}px.png`) });
    });
  }
});
