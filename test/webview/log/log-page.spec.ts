import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { HostToLog, LogRow } from '../../../src/protocol/pages/log';
import { seriousFindings } from '../../support/axe';
import { openPage, ORIGIN, type HarnessOptions, type OpenPage, type Theme } from '../harness/harness';
import { hasHiddenCharacters } from '../../../src/base/text/visible-text';
import { HIDING_COMMAND, SHOWN_COMMAND } from '../../support/hidden-text';

const OUTCOMES = ['nothing', 'blocked', 'threw', 'modified'];

function rowOf(index: number): LogRow {
  const outcome = OUTCOMES[index % OUTCOMES.length] ?? '';
  return {
    key: `k${index}`,
    at: Date.UTC(2026, 10, 20, 9, 0, index),
    hookPath: `/hooks/${index % 2 === 0 ? 'gate' : 'audit'}.ts`,
    hook: index % 2 === 0 ? 'gate.ts' : 'audit.ts',
    event: 'tool_call',
    registeredAs: 'tool_call',
    nth: 0,
    tool: 'bash',
    outcome,
    text: `${outcome} ${index}`,
    ms: 12,
    askedMs: 0,
    waits: [],
    conversation: 'r:c1',
    changed: index % 4 === 3,
    earlier: index < 3,
  };
}

const said = (from: number, count: number, replace: boolean): HostToLog => ({
  type: 'rows',
  rows: Array.from({ length: count }, (_, index) => rowOf(from + index)),
  replace,
});

describe('the page of the hook log in a browser', function () {
  this.timeout(120_000);
  let open: OpenPage;
  let page: Page;

  afterEach(async () => {
    assert.deepEqual(open.errors, [], 'errors in the page');
    assert.deepEqual(await page.evaluate('inside.violations'), [], 'violations of the CSP');
    assert.deepEqual(open.requests, [], 'requests to elsewhere');
    await page.close();
  });

  async function load(options: HarnessOptions = {}, first = said(0, 500, true)): Promise<void> {
    open = await openPage('log', { width: 900, height: 520, ...options });
    page = open.page;
    await page.goto(`${ORIGIN}/`);
    await page.waitForFunction('inside.sent.length > 0');
    await post(first);
    await page.waitForSelector('[data-hookline="log"][data-ready="true"]');
  }

  const post = (message: HostToLog): Promise<void> => page.evaluate(one => window.postMessage(one, '*'), message);
  const list = (): Locator => page.getByRole('tree');
  /** Resolves once the row is selected, and no other. */
  const selects = (key: string): Promise<void> => page.locator(`[data-key="${key}"][aria-selected="true"]`).waitFor();
  const asked = (): Promise<unknown> => page.evaluate('inside.sent.filter(({ type }) => type !== "ready")');

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
    it(`has no serious accessibility problem, with and without the keyboard on it (${theme})`, async () => {
      await load({ theme });
      assert.deepEqual(await seriousFindings(page), []);
      await list().focus();
      await page.keyboard.press('ArrowDown');
      await selects('k499');
      assert.deepEqual(await seriousFindings(page), []);
      await page.screenshot({ path: join(ARTIFACTS, 'webview', `log-${theme}.png`) });
      const marks = (key: string): Promise<string> =>
        page.locator(`[data-key="${key}"]`).evaluate(one => {
          const { backgroundColor, outlineColor, outlineStyle } = getComputedStyle(one);
          return outlineStyle === 'none' ? backgroundColor : `${backgroundColor} ${outlineColor}`;
        });
      assert.notEqual(await marks('k499'), await marks('k498'), 'the selected row can be told from the others');
    });
  }

  for (const width of [292, 560, 900, 1330]) {
    it(`keeps bars apart from the texts beside them, also bars of what lasts longer than its turn (${width} px)`, async () => {
      const at = Date.UTC(2026, 10, 20, 9, 0, 0);
      const slow = { ...rowOf(1), at, call: 'c1', ms: 754_321, subject: 'npm run a-long-script', outcome: 'blocked' };
      const asked = { ...rowOf(2), at, call: 'c1', ms: 90_000, waits: [{ at: at + 1_000, ms: 999_000 }] };
      await load({ width }, { type: 'rows', rows: [slow, asked], replace: true });
      await post({
        type: 'spans',
        replace: true,
        spans: [
          { kind: 'turn', conversation: 'r:c1', at, ms: 60_000 },
          { kind: 'model', conversation: 'r:c1', at, ms: 20_000 },
          { kind: 'tool', conversation: 'r:c1', tool: 'bash', call: 'c1', at: at + 30_000, ms: 2_000_000 },
        ],
      });
      await page.locator('.log-row.group').first().waitFor();
      await page.screenshot({ path: join(ARTIFACTS, 'webview', `log-bars-${width}.png`) });
      const overlaps = await page.locator('.log-row').evaluateAll(rows =>
        rows.flatMap(row => {
          const took = row.querySelector('.log-took')?.getBoundingClientRect();
          const outcome = row.querySelector('.log-outcome')?.getBoundingClientRect();
          return [...row.querySelectorAll('.time-bars rect')]
            .map(bar => bar.getBoundingClientRect())
            .filter(({ height }) => height > 0)
            .filter(bar => bar.right > (took?.left ?? 0) - 4 || bar.left < (outcome?.right ?? 0) + 4)
            .map(bar => `${bar.left}-${bar.right}: ${row.textContent}`);
        }),
      );
      assert.deepEqual(overlaps, []);
      const cut = await page
        .locator('.log-took')
        .evaluateAll(cells => cells.filter(cell => cell.scrollWidth > cell.clientWidth).length);
      assert.equal(cut, 0, 'no duration is cut');
      assert.equal(await page.locator('.log-row .time-bars').first().isVisible(), width > 400);
    });
  }

  it('marks characters that hide in the text of a call', async () => {
    const row = { ...rowOf(1), text: HIDING_COMMAND, tool: HIDING_COMMAND };
    await load({}, { type: 'rows', rows: [row], replace: true });
    const shown = await page.locator('[data-hookline="log"]').innerText();
    assert.ok(shown.split(SHOWN_COMMAND).length > 2, shown);
    assert.equal(hasHiddenCharacters(shown), false);
  });

  it('is walked with keys, names the row to screen readers, and draws only what is near', async () => {
    await load();
    await list().focus();
    await page.keyboard.press('End');
    await selects('k0');
    assert.equal(await list().getAttribute('aria-activedescendant'), 'row-499');
    assert.ok((await page.locator('.log-row').count()) < 100);
    assert.ok(await page.locator('[data-key="k0"]').evaluate(one => one.getBoundingClientRect().bottom <= innerHeight));
    await page.keyboard.press('PageUp');
    await selects('k15');
    await page.keyboard.press('Home');
    await selects('k499');
    await page.keyboard.press('Escape');
    await page.locator('.log-details').waitFor({ state: 'detached' });
    assert.deepEqual(await asked(), [
      { type: 'select', key: 'k0' },
      { type: 'select', key: 'k15' },
      { type: 'select', key: 'k499' },
    ]);
  });

  it('keeps what is read in its place while newer dispatches come in above', async () => {
    await load();
    await list().evaluate(one => one.scrollTo(0, 2_200));
    const top = (): Promise<number | undefined> =>
      page
        .locator('[data-key="k395"]')
        .boundingBox()
        .then(box => box?.y);
    const before = await top();
    await post(said(500, 7, false));
    await page.getByRole('status').filter({ hasText: '507 hook calls' }).waitFor();
    assert.equal(await top(), before);
  });

  it('keeps what is read in its place also at its end, and while the oldest dispatches go', async () => {
    await load({}, said(0, 3_995, true));
    await list().evaluate(one => one.scrollTo(0, one.scrollHeight));
    const top = (key: string): Promise<number | undefined> =>
      page
        .locator(`[data-key="${key}"]`)
        .boundingBox()
        .then(box => box?.y);
    const atEnd = await top('k5');
    await post(said(3_995, 5, false));
    await page.getByRole('status').filter({ hasText: '4,000 hook calls' }).waitFor();
    assert.equal(await top('k5'), atEnd);
    await list().evaluate(one => one.scrollTo(0, 22_000));
    await page.locator('[data-key="k2990"]').waitFor();
    const inside = await top('k2990');
    await post(said(4_000, 7, false));
    await page.locator('[data-key="k2990"]#row-1016').waitFor();
    assert.equal(await top('k2990'), inside);
  });

  it('gives the keyboard back to the list when the details are closed', async () => {
    await load();
    await page.locator('[data-key="k499"]').click();
    await page.getByRole('button', { name: 'Close the details' }).press('Enter');
    await page.locator('.log-details').waitFor({ state: 'detached' });
    await page.keyboard.press('End');
    await selects('k0');
  });

  it('asks for a typed text while calls keep coming in', async () => {
    await load();
    await page.clock.install();
    await page.getByRole('searchbox').fill('rm');
    for (let more = 0; more < 5; more++) {
      await page.clock.runFor(100);
      await post(said(500 + more, 1, false));
      await page
        .getByRole('status')
        .filter({ hasText: `of ${501 + more}` })
        .waitFor();
    }
    assert.ok(((await asked()) as readonly { type: string }[]).some(({ type }) => type === 'search'));
  });

  it('says why it is empty', async () => {
    await load({}, said(0, 0, true));
    await page.getByText('No handler was called yet.').waitFor();
    await post(said(0, 4, false));
    await page.getByLabel('Outcome').selectOption('blocked');
    await page.getByRole('status').filter({ hasText: '1 of 4' }).waitFor();
    assert.equal(await page.locator('.log-row').count(), 1);
    await page.getByLabel('Hook').selectOption({ label: 'gate.ts' });
    await page.getByText('No entry matches the filter.').waitFor();
    await page.getByRole('button', { name: 'Show All' }).click();
    await page.locator('[data-key="k3"]').waitFor();
  });
});
