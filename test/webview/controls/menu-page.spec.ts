import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { RunStatus } from '../../../src/protocol/messages';
import { seriousFindings } from '../../support/axe';
import { IDLE, RUNNING, snapshot } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness, Theme } from '../harness/harness';

const APPROVALS = { mode: 'edits', locked: false } as const;

describe('a menu of the page', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const mode = (): Locator => chat.page.locator('[data-hookline="approval-mode"]');
  const menu = (): Locator => chat.page.getByRole('menu');
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await chat.page.keyboard.press(key);
  };
  /** The label of what has the focus. */
  const focused = (): Promise<string> =>
    chat.page.evaluate(() => {
      const { activeElement: element } = document;
      return element?.ariaLabel ?? element?.querySelector<HTMLElement>('.menu-words')?.innerText.split('\n')[0] ?? '';
    });
  const shows = (status: RunStatus, revision = 1): Promise<void> => chat.post({ type: 'status', revision, status });

  it('opens with the entry in force, walks by arrows, ends and first letters, and chooses', async () => {
    await open(snapshot([], { status: { ...IDLE, approvals: APPROVALS } }));
    await mode().focus();
    assert.equal(await mode().getAttribute('aria-expanded'), 'false');
    await press('ArrowDown');
    assert.equal(await mode().getAttribute('aria-expanded'), 'true');
    assert.equal(await focused(), 'Edits');
    const walked: string[] = [];
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowDown', 'End', 'Home', 'p', 'a', 'A', 'x']) {
      await press(key);
      walked.push(await focused());
    }
    assert.deepEqual(walked, ['Ask', 'Plan', 'Ask', 'Plan', 'Ask', 'Plan', 'Ask', 'Auto', 'Auto']);
    await press('Enter');
    assert.equal(await menu().count(), 0);
    assert.deepEqual(await chat.sentOf('setApprovalMode'), [{ type: 'setApprovalMode', mode: 'auto' }]);
    assert.equal(await focused(), 'Who decides about tool calls: Edits', 'the button has the focus again');
  });

  it('shows one entry as chosen: the one of the last key, or below a mouse that moved since', async () => {
    await open(snapshot([], { status: { ...IDLE, approvals: APPROVALS } }));
    const shown = (): Promise<readonly string[]> =>
      menu()
        .locator('button')
        .evaluateAll(all =>
          all
            .filter(entry => getComputedStyle(entry).backgroundColor !== 'rgba(0, 0, 0, 0)')
            .map(entry => entry.querySelector<HTMLElement>('.menu-words')?.innerText.split('\n')[0] ?? ''),
        );
    const centreOf = async (name: string): Promise<readonly [number, number]> => {
      const box = await menu().getByRole('menuitemradio', { name }).boundingBox();
      return [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    };
    await mode().press('Enter');
    const place = await centreOf('Plan');
    await press('Escape');
    await chat.page.mouse.move(...place);
    await mode().press('Enter');
    assert.deepEqual([await shown(), await focused()], [['Edits'], 'Edits'], 'the mouse rests where the menu opens');
    await chat.page.mouse.move(place[0] + 3, place[1]);
    assert.deepEqual([await shown(), await focused()], [['Plan'], 'Plan']);
    await press('ArrowUp');
    assert.deepEqual([await shown(), await focused()], [['Auto'], 'Auto']);
    await chat.page.screenshot({ path: join(ARTIFACTS, 'webview', 'menu-one-entry.png') });
    await chat.page.mouse.move(...(await centreOf('Ask')));
    await chat.page.mouse.move(5, 5);
    assert.deepEqual([await shown(), await focused()], [['Ask'], 'Ask'], 'a mouse that leaves takes nothing');
    assert.deepEqual(await chat.sentOf('setApprovalMode'), []);
  });

  it('closes by Escape without stopping the run, by Tab, by a press beside it and by its button', async () => {
    await open(snapshot([], { status: { ...RUNNING, approvals: APPROVALS } }));
    for (const key of ['Escape', 'Tab']) {
      await mode().press('Enter');
      await press(key);
      assert.equal(await menu().count(), 0, key);
      assert.match(await focused(), /^Who decides/, key);
    }
    await mode().click();
    await chat.page.locator('[role="log"]').click();
    assert.equal(await menu().count(), 0);
    await mode().click();
    assert.equal(await menu().count(), 1);
    await mode().click();
    assert.equal(await menu().count(), 0);
    assert.deepEqual(await chat.sentOf('stop'), []);
    assert.deepEqual(await chat.sentOf('setApprovalMode'), []);
  });

  it('chooses nothing by the key that opened it and is still down, nor by the second click of a double click', async () => {
    await open(snapshot([], { status: { ...IDLE, approvals: APPROVALS } }));
    await mode().focus();
    await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.up('Enter');
    assert.equal(await menu().count(), 1);
    const plan = menu().getByRole('menuitemradio', { name: 'Plan' });
    await plan.evaluate(entry => entry.dispatchEvent(new MouseEvent('click', { detail: 2, bubbles: true })));
    assert.deepEqual(await chat.sentOf('setApprovalMode'), []);
  });

  it('keeps its focus when the page is redrawn, and gives it to the text when its button is gone', async () => {
    const status = { ...RUNNING, approvals: APPROVALS };
    await open(snapshot([], { status, draft: 'be brief' }));
    await mode().press('Enter');
    await shows({ ...status, cost: 0.5 });
    assert.equal(await focused(), 'Edits');
    await press('Escape');
    await shows({ ...status, cost: 0.6 }, 2);
    assert.match(await focused(), /^Who decides/);
    await chat.page.getByRole('button', { name: 'More Ways to Send' }).press('Enter');
    assert.equal(await focused(), 'Steer');
    await shows({ ...IDLE, approvals: APPROVALS }, 3);
    await menu().waitFor({ state: 'detached' });
    assert.equal(await focused(), 'Message');
  });

  it('opens nothing where the mode is locked, and says why', async () => {
    await open(snapshot([], { status: { ...IDLE, approvals: { mode: 'ask', locked: true } } }));
    assert.match((await mode().getAttribute('title')) ?? '', /stays Ask until this folder is trusted/);
    await mode().press('Enter');
    await mode().press('ArrowDown');
    await mode().click({ force: true });
    assert.equal(await menu().count(), 0);
  });

  for (const [width, theme] of [
    [171, 'dark'],
    [292, 'light'],
    [292, 'hc-dark'],
    [292, 'hc-light'],
  ] satisfies [number, Theme][]) {
    it(`stays inside of a page of ${width} px and can be read in ${theme}`, async () => {
      const status = { ...RUNNING, approvals: APPROVALS };
      await open(snapshot([], { status, draft: 'be brief' }), { width, theme, height: 420 });
      for (const id of ['add', 'approval-mode', 'thinking', 'ways']) {
        await chat.page.locator(`[data-hookline="${id}"]`).press('Enter');
        const { x, y, width: across, height } = (await menu().boundingBox())!;
        assert.ok(x >= 0 && y >= 0 && x + across <= width && y + height <= 420, `${id}: ${x} ${y} ${across} ${height}`);
        await chat.page.screenshot({ path: join(ARTIFACTS, 'webview', `menu-${id}-${width}-${theme}.png`) });
        assert.deepEqual(await seriousFindings(chat.page), []);
        await press('Escape');
      }
    });
  }
});
