import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { ChangedFile, Changes } from '../../../src/protocol/panels/changes';
import { seriousFindings } from '../../support/axe';
import { snapshot, tool, user } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness, HarnessOptions, Theme } from '../harness/harness';

const PICTURES = join(ARTIFACTS, 'webview');
const THEMES = ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[];

const FILE = { tools: ['edit'], kind: 'changed', added: 12, removed: 4 } as const;
const changed = (displayPath: string, change: Partial<ChangedFile> = {}): ChangedFile => ({
  ...FILE,
  path: `/w/${displayPath}`,
  displayPath,
  version: 1,
  ...change,
});

const FILES: readonly ChangedFile[] = [
  changed('packages/core/src/settings/readers/read-settings.ts', { added: 120, removed: 34 }),
  changed('src/a.ts', { kept: true }),
  changed('src/new-name.ts', { kind: 'created', renamedFrom: 'src/old-name.ts', added: 40, removed: 0 }),
  changed('src/old-name.ts', { kind: 'deleted', added: 0, removed: 40 }),
  changed('media/logo.png', { added: 0, removed: 0, tools: ['bash'] }),
  changed('notes.md', { kind: 'back', added: 0, removed: 0 }),
];
const CHANGES: Changes = { files: FILES, more: 0, undo: ['notes.md'] };
const DIFF = {
  path: '/w/packages/core/src/settings/readers/read-settings.ts',
  version: 1,
  diff: '  ...\n  8 const path = folder;\n- 9 const text = read(path);\n+ 9 const text = await read(path, signal);\n 10 return text;\n  ...',
  isText: true,
};

describe('list of changed files', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const show = async (changes: Changes = CHANGES, options: HarnessOptions = {}): Promise<void> => {
    await open(snapshot([user('u', 'hi')], { changes }), options);
    await chat.page.locator('[data-hookline="changes"]').click();
  };
  const row = (name: string): Locator => chat.page.locator(`.changes-list li[data-path$="${name}"]`);
  const button = (name: string): Locator => chat.page.getByRole('button', { name, exact: true });
  const focused = (): Promise<string | null> => chat.page.locator(':focus').getAttribute('aria-label');
  const picture = async (name: string): Promise<void> => {
    mkdirSync(PICTURES, { recursive: true });
    await chat.page.screenshot({ path: join(PICTURES, `${name}.png`) });
  };
  /** Elements of the list that are wider than their place and not shortened on purpose. */
  const cut = (): Promise<readonly string[]> =>
    chat.page.locator('.changes, .changes *').evaluateAll(all =>
      all
        .filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
        .filter(one => getComputedStyle(one).textOverflow !== 'ellipsis')
        .map(one => one.outerHTML.slice(0, 120)),
    );

  for (const width of [171, 292, 560]) {
    for (const theme of THEMES) {
      it(`cuts and overlaps nothing at ${width} px in ${theme}`, async () => {
        await show(CHANGES, { width, theme, height: 700 });
        await button(`Show the changes of ${FILES[0]!.displayPath}`).click();
        await chat.post({ type: 'fileDiff', revision: 1, diff: DIFF });
        await row('new-name.ts').locator('.changes-name').focus();
        await picture(`changes-${width}-${theme}`);
        assert.deepEqual(await cut(), []);
        const title = chat.page.locator('.changes-title');
        assert.ok(await title.evaluate(one => one.scrollWidth <= one.clientWidth), 'the head is whole');
        assert.equal(
          await chat.page.locator('[data-hookline="changes"]').getAttribute('title'),
          await title.innerText(),
        );
        assert.deepEqual(await seriousFindings(chat.page), []);
      });
    }
  }

  it('shows the name of a file first, and shortens its folder from the left', async () => {
    await show(CHANGES, { width: 292 });
    const name = row('read-settings.ts').locator('.path-name');
    assert.ok(await name.evaluate(one => one.scrollWidth <= one.clientWidth), 'the name is whole');
    const folder = row('read-settings.ts').locator('.path-folder');
    assert.equal(await folder.locator('.path-far').evaluate(one => getComputedStyle(one).direction), 'rtl');
    assert.equal(await folder.textContent(), 'packages/core/src/settings/readers/');
    const tip = await row('read-settings.ts').locator('.changes-name').getAttribute('title');
    assert.match(tip ?? '', /^packages\/core\/src\/settings\/readers\/read-settings\.ts, changed \(edit\)/);
  });

  it('says in letters, words and marks what became of each file', async () => {
    await show();
    const said = await chat.page
      .locator('.changes-name')
      .evaluateAll(all => all.map(one => one.getAttribute('aria-label')));
    assert.deepEqual(said, [
      'packages/core/src/settings/readers/read-settings.ts, changed: open the diff',
      'src/a.ts, changed, kept: open the diff',
      'src/new-name.ts, renamed from src/old-name.ts: open the diff',
      'src/old-name.ts, deleted: open the diff',
      'media/logo.png, changed: open the diff',
      'notes.md, as before: open the diff',
    ]);
    assert.deepEqual(await chat.page.locator('.changes-kind').allInnerTexts(), ['M', 'M', 'R', 'D', 'M', '–']);
    assert.deepEqual(
      await chat.page.locator('.changes-kept').evaluateAll(all => all.map(one => one.textContent.trim())),
      ['kept'],
    );
    await chat.page.getByText('4 of 5 files to review').waitFor();
  });

  it('sends what is reviewed, kept and reverted, by keyboard', async () => {
    await show();
    await button('Review All Changes').press('Enter');
    await button('Keep All').press('Enter');
    await row('read-settings.ts').locator('.changes-name').focus();
    const actions = row('read-settings.ts').locator('.changes-actions');
    assert.equal(await actions.evaluate(one => getComputedStyle(one).opacity), '1');
    await chat.page.keyboard.press('Tab');
    assert.equal(await focused(), `Keep ${FILES[0]!.displayPath}`);
    await chat.page.keyboard.press('Enter');
    await chat.page.keyboard.press('Tab');
    await chat.page.keyboard.press('Enter');
    const path = FILES[0]!.path;
    assert.deepEqual((await chat.sent()).slice(1), [
      { type: 'reviewAll' },
      { type: 'keepAll' },
      { type: 'keepFile', path },
      { type: 'revertFile', path },
    ]);
    assert.equal(await button('Keep src/a.ts').count(), 0, 'it is kept');
    assert.equal(await button('Keep notes.md').count(), 0, 'it is as before');
  });

  it('offers neither review nor keep when nothing is left to review', async () => {
    const kept = FILES.map(file => ({ ...file, kept: true as const }));
    await show({ ...CHANGES, files: kept.filter(({ kind }) => kind !== 'back') });
    await chat.page.getByText('All changes are kept').waitFor();
    assert.equal((await button('Review All Changes').count()) + (await button('Keep All').count()), 0);
    await button('Revert All Files').waitFor();
  });

  it('does not say that all is kept when a file was reverted', async () => {
    const [first, second] = FILES;
    const back = { ...second!, kind: 'back', added: 0, removed: 0 } as const;
    await show({ files: [back, { ...first!, kept: true }], more: 0 }, { width: 171 });
    const title = chat.page.locator('.changes-title');
    assert.equal(await title.innerText(), '1 kept, 1 as before');
    assert.ok(await title.evaluate(one => one.scrollWidth <= one.clientWidth), 'the head is whole');
  });

  describe('while it is open', () => {
    const SMALL = ['a.ts', 'b.ts', 'c.ts', 'd.ts'].map(name => changed(name));
    const names = (): Promise<readonly string[]> =>
      chat.page
        .locator('.changes-list li')
        .evaluateAll(all => all.map(one => (one instanceof HTMLElement ? (one.dataset['path'] ?? '') : '')));
    const ofFiles = async (): Promise<readonly object[]> =>
      (await chat.sent()).filter(({ type }) => type === 'revertFile' || type === 'keepFile');
    /** What the host lists after a revert of this file: it changed last. */
    const afterRevert = (files: readonly ChangedFile[], name: string): readonly ChangedFile[] => {
      const path = `/w/${name}`;
      const back = { ...changed(name), kind: 'back', added: 0, removed: 0, version: 2 } as const;
      return [back, ...files.filter(file => file.path !== path)];
    };
    const post = (revision: number, files: readonly ChangedFile[]): Promise<void> =>
      chat.post({ type: 'changes', revision, changes: { files, more: 0, undo: ['c.ts'] } });

    for (const width of [171, 292, 560]) {
      it(`acts on no other file at a second click in the same place, at ${width} px`, async () => {
        await show({ files: SMALL, more: 0 }, { width });
        await row('c.ts').hover();
        await button('Revert c.ts').hover();
        await chat.page.mouse.down();
        await chat.page.mouse.up();
        await post(1, afterRevert(SMALL, 'c.ts'));
        await row('c.ts').and(chat.page.locator('[data-change="back"]')).waitFor();
        await chat.page.mouse.down();
        await chat.page.mouse.up();
        assert.deepEqual(await ofFiles(), [{ type: 'revertFile', path: '/w/c.ts' }]);
        assert.deepEqual(
          await names(),
          SMALL.map(({ path }) => path),
        );
        assert.equal(await row('c.ts').evaluate(one => one.matches(':hover')), true);
      });
    }

    it('keeps the row in its place when its open diff becomes shorter', async () => {
      await show({ files: SMALL, more: 0 }, { width: 292 });
      await button('Show the changes of c.ts').click();
      await chat.post({ type: 'fileDiff', revision: 1, diff: { ...DIFF, path: '/w/c.ts' } });
      await row('c.ts').locator('.diff').waitFor();
      await row('c.ts').hover({ position: { x: 40, y: 8 } });
      await button('Revert c.ts').hover();
      await chat.page.mouse.down();
      await chat.page.mouse.up();
      const before = await row('c.ts').boundingBox();
      await post(2, afterRevert(SMALL, 'c.ts'));
      await chat.post({ type: 'fileDiff', revision: 3, diff: { path: '/w/c.ts', version: 2, diff: '', isText: true } });
      await row('c.ts').getByText('No differences.').waitFor();
      assert.ok(Math.abs((await row('c.ts').boundingBox())!.y - before!.y) < 1, 'within a pixel');
      await chat.page.mouse.down();
      await chat.page.mouse.up();
      assert.deepEqual(await ofFiles(), [{ type: 'revertFile', path: '/w/c.ts' }]);
      await chat.page.mouse.move(1, 1);
      const list = chat.page.locator('.changes-list');
      assert.equal(await list.evaluate(one => one.style.minHeight), '', 'no empty room stays');
    });

    it('stays where it is scrolled to when the row below the mouse goes', async () => {
      const files = Array.from({ length: 60 }, (_, index) => changed(`f${index}.ts`));
      await show({ files, more: 0 }, { width: 292 });
      const list = chat.page.locator('.changes-list');
      await row('f40.ts').scrollIntoViewIfNeeded();
      await row('f40.ts').hover({ position: { x: 40, y: 8 } });
      const before = await list.evaluate(one => one.scrollTop);
      assert.ok(before > 0);
      await post(
        1,
        files.filter(({ displayPath }) => displayPath !== 'f40.ts'),
      );
      await row('f40.ts').waitFor({ state: 'detached' });
      assert.equal(await list.evaluate(one => one.scrollTop), before);
    });

    it('keeps the row in its place when files come, and lists them first', async () => {
      const many = Array.from({ length: 40 }, (_, index) => changed(`n${index}.ts`));
      await show({ files: many, more: 0 }, { width: 292 });
      await row('/n3.ts').hover();
      const before = await row('/n3.ts').boundingBox();
      await post(1, [changed('new.ts'), ...many]);
      await row('new.ts').waitFor({ state: 'attached' });
      assert.equal((await row('/n3.ts').boundingBox())?.y, before?.y);
      assert.equal((await names())[0], '/w/new.ts');
    });

    it('sorts again when it is opened again, and in another conversation', async () => {
      await show({ files: SMALL, more: 0 });
      await post(1, afterRevert(SMALL, 'c.ts'));
      await row('c.ts').and(chat.page.locator('[data-change="back"]')).waitFor();
      assert.equal((await names())[0], '/w/a.ts');
      const head = chat.page.locator('[data-hookline="changes"]');
      await head.click();
      await head.click();
      assert.equal((await names())[0], '/w/c.ts');
      await post(2, SMALL);
      assert.equal((await names())[0], '/w/c.ts');
      await chat.post(snapshot([user('u', 'hi')], { changes: { files: SMALL, more: 0 }, conversation: 'other' }));
      assert.equal((await names())[0], '/w/a.ts');
    });
  });

  it('keeps the focus at its file when the file is kept, and when the host lists another file first', async () => {
    await show();
    await button(`Keep ${FILES[0]!.displayPath}`).focus();
    const [first, ...others] = FILES;
    const moved = [...others, { ...first!, version: 2 }];
    await chat.post({ type: 'changes', revision: 1, changes: { ...CHANGES, files: moved } });
    assert.equal(await focused(), `Keep ${first!.displayPath}`);
    await chat.post({
      type: 'changes',
      revision: 2,
      changes: { ...CHANGES, files: [...others, { ...first!, kept: true }] },
    });
    assert.equal(await focused(), `${first!.displayPath}, changed, kept: open the diff`);
    await button('Keep All').focus();
    await chat.post({
      type: 'changes',
      revision: 3,
      changes: { ...CHANGES, files: FILES.map(file => ({ ...file, kept: true })) },
    });
    assert.equal(await chat.page.locator(':focus').getAttribute('data-hookline'), 'changes');
  });

  it('takes no focus that was elsewhere', async () => {
    await show();
    await chat.page.locator('textarea, [contenteditable="true"]').first().focus();
    await chat.post({ type: 'changes', revision: 1, changes: { ...CHANGES, files: FILES.slice(1) } });
    assert.equal(await chat.page.locator('.changes :focus').count(), 0);
  });

  it('opens in an editor what cannot be compared', async () => {
    await show();
    await button('Show the changes of media/logo.png').click();
    const path = '/w/media/logo.png';
    const diff = { path, version: 1, diff: 'This file is not text, so it is not compared.', isText: false };
    await chat.post({ type: 'fileDiff', revision: 1, diff });
    await row('logo.png').getByText('This file is not text').waitFor();
    await button('Open in Editor').click();
    assert.deepEqual(await chat.sentOf('openChange'), [{ type: 'openChange', path }]);
  });

  it('goes with a mark on the cards of calls whose change is kept', async () => {
    const done = { type: 'done', durationMs: 5 } as const;
    const edit = { path: '/w/a.ts', diff: '-1 a\n+1 b', touched: [{ path: '/w/a.ts', displayPath: 'a.ts' }] };
    await open(
      snapshot([tool('k', 'edit', 'a.ts', done, { ...edit, kept: true }), tool('o', 'edit', 'a.ts', done, edit)]),
      { width: 292 },
    );
    const marks = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"] [title="You keep this change"]`);
    assert.equal(await marks('k').isVisible(), true);
    assert.equal(await marks('o').count(), 0);
    await picture('kept-card-292');
  });
});
