import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { HostToTree } from '../../../src/protocol/pages/session-tree';
import { seriousFindings } from '../../support/axe';
import { type HarnessOptions, type Theme } from '../harness/harness';
import { TREE, TreeHarness } from '../harness/tree-harness';

describe('the page of a session tree in a browser', function () {
  this.timeout(120_000);
  let tree: TreeHarness;

  afterEach(async () => {
    assert.deepEqual(tree.errors, [], 'errors in the page');
    assert.deepEqual(await tree.violations(), [], 'violations of the CSP');
    assert.deepEqual(tree.requests, [], 'requests to elsewhere');
    await tree.close();
  });

  async function open(options: HarnessOptions = {}, said: readonly HostToTree[] = TREE): Promise<void> {
    tree = await TreeHarness.open(said, options);
  }

  const row = (id: string): Locator => tree.page.locator(`[data-entry="${id}"]`);
  const selected = (): Locator => tree.page.locator('[role="treeitem"][aria-selected="true"]');
  const press = (key: string): Promise<void> => tree.page.keyboard.press(key);
  const picture = (name: string): Promise<unknown> =>
    tree.page.screenshot({ path: join(ARTIFACTS, 'webview', `tree-${name}.png`) });
  /** What was asked for since the page was ready. */
  const asked = async (): Promise<unknown> => (await tree.sent()).filter(({ type }) => type !== 'ready');

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
    it(`has no serious accessibility problem, with and without the keyboard on it (${theme})`, async () => {
      await open({ theme });
      assert.deepEqual(await seriousFindings(tree.page), []);
      await tree.page.locator('[role="tree"]').focus();
      await press('Home');
      await tree.page.locator('[data-entry="u1"][aria-selected="true"]').waitFor();
      assert.deepEqual(await seriousFindings(tree.page), []);
      // In high contrast a badge may have the ground of the page.
      const pill = tree.page.locator('.tree-here');
      const [edge, ground] = await pill.evaluate(one => {
        const { borderTopColor } = getComputedStyle(one);
        return [borderTopColor, getComputedStyle(document.body).backgroundColor];
      });
      assert.notEqual(edge, ground, 'the pill has an edge');
      await picture(theme);
    });
  }

  for (const language of ['en', 'de'] as const) {
    it(`shows what was said at 240 px, and all of its controls (${language})`, async () => {
      await open({ width: 240, height: 480, ...(language === 'de' ? { language } : {}) });
      await picture(`240px-${language}`);
      const beyond = await tree.page.evaluate<readonly string[]>(
        `[...document.querySelectorAll('h1, input, select, button, .tree-here, .tree-label, .tree-hint')]
          .filter(one => one.getBoundingClientRect().right > innerWidth)
          .map(one => one.outerHTML)`,
      );
      assert.deepEqual(beyond, []);
      const cut = await tree.page.evaluate<readonly string[]>(
        `[...document.querySelectorAll('.tree-text')]
          .filter(one => one.scrollWidth > one.clientWidth && one.clientWidth < 80)
          .map(one => one.clientWidth + ' ' + one.textContent)`,
      );
      assert.deepEqual(cut, [], 'of these texts there is too little to be read');
      const hint = tree.page.locator('.tree-hint');
      assert.equal(await hint.evaluate(one => one.scrollWidth <= one.clientWidth), true, 'the keys are all told');
    });
  }

  it('goes to the entry that is clicked; a folded run and the twistie of a fork only fold', async () => {
    await open();
    await row('x1').click();
    assert.deepEqual(await asked(), [{ type: 'continueFrom', id: 'x1' }]);
    assert.equal(
      await tree.page.evaluate('document.activeElement.className'),
      'tree-rows',
      'the keyboard is there now',
    );
    await tree.page.locator('[data-kind="run"]').click();
    await row('s3').waitFor();
    await row('a1').locator('.tree-twistie').click();
    await row('x1').waitFor({ state: 'detached' });
    assert.deepEqual(await asked(), [{ type: 'continueFrom', id: 'x1' }]);
  });

  it('goes to the current message of another session, too', async () => {
    const entries = Array.from({ length: 200 }, (_, index) => ({
      id: `other${index}`,
      parent: index === 0 ? null : `other${index - 1}`,
      kind: 'user' as const,
      text: `Question ${index}`,
      time: '2026-11-20T09:00:00.000Z',
    }));
    await open();
    await selected().waitFor();
    await tree.post(
      { type: 'entries', replace: true, done: true, entries },
      { type: 'leaf', id: 'other199', title: 'Another' },
    );
    await tree.page.locator('[data-entry="other199"][aria-selected="true"]').waitFor();
  });

  it('still filters after VS Code has put the page away', async () => {
    await open();
    await tree.page.getByRole('searchbox').fill('generator');
    await tree.page.getByLabel('Show').selectOption({ label: 'Your messages' });
    await tree.page.reload();
    await tree.post(...TREE);
    await row('x1').waitFor();
    assert.equal(await tree.page.getByRole('searchbox').inputValue(), 'generator');
    assert.deepEqual(
      await tree.page.locator('[role="treeitem"]').evaluateAll(rows => rows.map(one => one.getAttribute('data-entry'))),
      ['x1'],
    );
    await tree.page.evaluate(() => sessionStorage.setItem('state', '{"text":3}'));
    await tree.page.reload();
    await tree.post(...TREE);
    await row('u1').waitFor();
  });

  it('goes nowhere when what is clicked moves away under the pointer', async () => {
    await open();
    const box = await row('u2').boundingBox();
    assert.ok(box);
    await tree.page.mouse.move(box.x + 200, box.y + 10);
    await tree.page.mouse.down();
    const late = { id: 'z1', parent: 'a1', kind: 'user', text: 'Another branch', time: '' } as const;
    await tree.post({ type: 'entries', entries: [late], replace: false, done: true });
    await row('z1').waitFor();
    await tree.page.mouse.up();
    assert.deepEqual(await asked(), []);
  });

  it('takes keys that come faster than frames on the rows as they will be', async () => {
    await open();
    await tree.page.locator('[role="tree"]').focus();
    await press('Home');
    await tree.page.evaluate(`(() => {
      const key = (on, name) => on.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
      const rows = document.querySelector('[role="tree"]');
      const filter = document.querySelector('input[type="search"]');
      filter.value = 'generator';
      filter.dispatchEvent(new InputEvent('input', { bubbles: true }));
      key(filter, 'Enter');
      key(rows, 'Enter');
      key(rows, 'ArrowDown');
      key(rows, 'Enter');
    })()`);
    assert.deepEqual(await asked(), [
      { type: 'continueFrom', id: 'x1' },
      { type: 'continueFrom', id: 'b1' },
    ]);
  });

  it('does not look at every entry again while it is scrolled', async () => {
    const entries = Array.from({ length: 10_000 }, (_, at) => ({
      id: `e${at}`,
      parent: at === 0 ? null : `e${at - 1}`,
      kind: 'user' as const,
      text: `Question ${at}`,
      time: '2026-11-20T09:00:00.000Z',
    }));
    await open({}, [
      { type: 'entries', replace: true, done: true, entries },
      { type: 'leaf', id: 'e9999', title: 'A long session' },
    ]);
    await row('e9999').waitFor();
    await tree.page.evaluate(`(() => {
      const has = Set.prototype.has;
      globalThis.looks = 0;
      Set.prototype.has = function (value) { looks += 1; return has.call(this, value); };
      document.querySelector('[role="tree"]').scrollTop = 0;
    })()`);
    await row('e0').waitFor();
    assert.ok((await tree.page.evaluate<number>('looks')) < 10_000);
  });

  it('is walked, unfolded, labelled and used with keys alone', async () => {
    await open();
    await press('Tab');
    for (let tabs = 0; tabs < 6 && !(await tree.page.locator('[role="tree"]:focus').count()); tabs++) {
      await press('Tab');
    }
    await press('c');
    assert.match(await selected().innerText(), /all 41 tests pass[\s\S]*current/);
    await press('ArrowUp');
    await press('l');
    await press('Home');
    await press('Enter');
    await press('ArrowDown');
    await press('ArrowRight');
    await row('s2').waitFor();
    await press('ArrowLeft');
    await row('s2').waitFor({ state: 'detached' });
    await press('/');
    await tree.page.keyboard.type('callers');
    await press('Enter');
    await press('Enter');
    assert.deepEqual(await asked(), [
      { type: 'label', id: 'h1' },
      { type: 'continueFrom', id: 'u1' },
      { type: 'continueFrom', id: 'x2' },
    ]);
  });
});
