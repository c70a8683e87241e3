import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { HostToReplay, ReplayRow } from '../../../src/protocol/replay';
import { seriousFindings } from '../../support/axe';
import { openPage, ORIGIN, type OpenPage, type Theme } from '../harness/harness';

const row = (key: string, status: ReplayRow['status']): ReplayRow => ({
  key,
  at: 1,
  subject: `tool_call ${key}`,
  brief: '<img src=x onerror=alert(1)>',
  status,
  before: 'nothing',
  after: 'blocked',
  handlers: [],
});

describe('the page of a replay in a browser', function () {
  this.timeout(120_000);
  let opened: OpenPage;
  let page: Page;

  async function open(theme: Theme): Promise<void> {
    opened = await openPage('replay', { width: 300, height: 520, theme });
    page = opened.page;
    await page.goto(`${ORIGIN}/`);
    await page.waitForFunction('inside.sent.length > 0');
  }

  beforeEach(() => open('dark'));
  afterEach(async () => {
    assert.deepEqual(opened.errors, [], 'errors in the page');
    assert.deepEqual(await page.evaluate('inside.violations'), [], 'violations of the CSP');
    await page.close();
  });

  const post = (message: HostToReplay): Promise<void> => page.evaluate(one => window.postMessage(one, '*'), message);
  const rows = [row('first', 'same'), row('second', 'changed'), row('third', 'changed')];
  const report: HostToReplay = { type: 'report', report: { source: 'the hook log', rows, missing: [] } };
  const isOpen = (key: string): Promise<boolean> =>
    page.locator(`[data-key="${key}"]`).evaluate(details => (details as HTMLDetailsElement).open);

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
    it(`has no serious accessibility problem (${theme})`, async () => {
      await page.close();
      await open(theme);
      const all = [...rows, row('fourth', 'unsure'), row('fifth', 'skipped')];
      await post({ type: 'report', report: { source: 'the hook log', rows: all, missing: ['gate.ts'] } });
      await page.locator('[data-key="third"]').waitFor();
      for (const status of ['same', 'skipped']) await page.locator(`[data-status="${status}"].replay-counter`).click();
      await page.locator('[data-key="fifth"]').waitFor();
      assert.deepEqual(await seriousFindings(page), []);
    });
  }

  it('leaves each row as it was opened or closed when others are listed', async () => {
    await post(report);
    await page.locator('[data-key="second"] summary').click();
    assert.deepEqual([await isOpen('second'), await isOpen('third')], [false, true]);
    await page.locator('[data-status="same"].replay-counter').click();
    await page.locator('[data-key="first"]').waitFor();
    assert.deepEqual([await isOpen('first'), await isOpen('second'), await isOpen('third')], [false, false, true]);
  });

  it('says that it begins, and cannot be repeated meanwhile', async () => {
    await post(report);
    await page.locator('[data-key="third"]').waitFor();
    await post({ type: 'begun', again: false });
    await page.getByRole('status').filter({ hasText: 'Loading the hooks…' }).waitFor();
    assert.equal(await page.locator('[data-key]').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Replay Again' }).isEnabled(), false);
    assert.deepEqual(await seriousFindings(page), []);
    await post({ type: 'progress', done: 1, all: 3 });
    await page.getByRole('status').filter({ hasText: '1 of 3 events' }).waitFor();
  });

  it('says why a replay failed, keeps the last result, and can repeat it', async () => {
    const again = page.getByRole('button', { name: 'Replay Again' });
    await post({ type: 'progress', done: 1, all: 3 });
    await post({ type: 'failed', message: 'gate.ts could not be loaded' });
    await page.getByRole('alert').filter({ hasText: 'gate.ts could not be loaded' }).waitFor();
    await again.click();
    assert.deepEqual(await page.evaluate('inside.sent.at(-1)'), { type: 'again' });
    await post(report);
    await page.locator('[data-key="third"]').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await post({ type: 'progress', done: 1, all: 3 });
    await post({ type: 'failed', message: 'gate.ts could not be loaded' });
    await page.getByRole('alert').waitFor();
    assert.equal(await page.locator('[data-key="third"]').count(), 1);
    assert.equal(await again.isEnabled(), true);
  });
});
