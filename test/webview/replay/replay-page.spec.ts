import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { HostToReplay, ReplayRow } from '../../../src/protocol/pages/replay';
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

  it('says in a sentence what a hook throws, leads there, and folds what is long', async () => {
    const thrown = { message: 'No rules\u202e', line: 7, stack: 'Error: No rules\n    at f (/w/gate.ts:7:3)' };
    const handler = {
      hook: 'gate.ts',
      registeredAs: 'tool_call',
      file: '/w/gate.ts',
      line: 2,
      notes: [],
      thrown,
    } as const;
    const verdicts = { status: 'changed', before: 'nothing', after: 'threw', beforeValue: 1, afterValue: 2 } as const;
    const changed = { ...row('one', 'changed'), handlers: [{ ...handler, ...verdicts }] };
    await post({ type: 'report', report: { source: 'the hook log', rows: [changed], missing: [] } });
    const sentence = page.locator('.replay-thrown');
    assert.equal(await sentence.innerText(), 'It fails at gate.ts:7: No rules⟦U+202E⟧');
    assert.equal(await page.getByText('at f (/w/gate.ts:7:3)').isVisible(), false);
    assert.equal(await page.locator('.value-diff').count(), 0);
    await sentence.getByRole('button').click();
    assert.deepEqual(await page.evaluate('inside.sent.at(-1)'), { type: 'openFile', path: '/w/gate.ts', line: 7 });
    await page.locator('.replay-more summary').click();
    assert.equal(await page.getByText('at f (/w/gate.ts:7:3)').isVisible(), true);
    assert.deepEqual(await seriousFindings(page), []);
    await post({ type: 'failed', message: 'gate.ts:3 is no code\n  2 | let\n> 3 | }' });
    assert.equal(await page.getByRole('alert').innerText(), 'gate.ts:3 is no code');
    assert.equal(await page.getByText('> 3 | }').isVisible(), false);
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
