import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import { seriousFindings } from '../../support/axe';
import { snapshot, tool } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness, HarnessOptions, Theme } from '../harness/harness';

const PICTURES = join(ARTIFACTS, 'webview');
const THEMES = ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[];

const EDIT = `    ...
  11 import { readFile } from 'node:fs/promises';
  12 import { join } from 'node:path';
  13 
  14 /** Reads the settings of a folder. */
- 15 export async function readSettings(folder: string): Promise<Settings> {
+ 15 export async function readSettings(folder: string, signal?: AbortSignal): Promise<Settings> {
  16   const path = join(folder, '.hookline', 'settings.json');
  17   const known = cache.get(path);
  18   if (known !== undefined) return known;
- 19   const text = await readFile(path, 'utf8');
+ 19   const text = await readFile(path, { encoding: 'utf8', signal });
+ 20   log.debug(\`Read \${path}\`);
  20   return parse(text);
  21 }
  22 
  23 export const NONE: Settings = {};
    ...
 120 // The end.`;

const OF_GIT = `diff --git a/packages/core/src/settings/read-settings.ts b/packages/core/src/settings/read-settings.ts
index 1..2 100644
--- a/packages/core/src/settings/read-settings.ts
+++ b/packages/core/src/settings/read-settings.ts
@@ -7,1 +7,1 @@
-const old = 1;
+const old = 2;
diff --git a/src/from.ts b/src/deep/in/folders/that/go/on/to.ts
rename from src/from.ts
rename to src/deep/in/folders/that/go/on/to.ts
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
diff --git a/media/logo.png b/media/logo.png
Binary files a/media/logo.png and b/media/logo.png differ
`;

describe('diff in a card', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const show = (diff: string, options: HarnessOptions = {}): Promise<void> => {
    const path = '/work/demo/packages/core/src/settings/read-settings.ts';
    const item = tool('e', 'edit', 'read-settings.ts', { type: 'done', durationMs: 5 }, { path, diff });
    return open(snapshot([item]), options);
  };
  const diff = (): Locator => chat.page.locator('.diff');
  const picture = async (name: string): Promise<void> => {
    mkdirSync(PICTURES, { recursive: true });
    await chat.page.screenshot({ path: join(PICTURES, `${name}.png`) });
  };
  /** The visible rows as text. */
  const visible = async (): Promise<readonly string[]> => (await diff().innerText()).split(/\n+(?=\s*[\d⋯])/);

  for (const width of [292, 560]) {
    for (const theme of THEMES) {
      it(`wraps lines, marks changed words and cuts nothing at ${width} px in ${theme}`, async () => {
        await show(EDIT, { width, theme, height: 620 });
        await picture(`diff-${width}-${theme}`);
        const marks = await chat.page.locator('.diff-word').allInnerTexts();
        assert.deepEqual(marks, [', signal?: AbortSignal', '{ encoding: ', ', signal }']);
        const isCut = (): Promise<boolean> => diff().evaluate(one => one.scrollWidth > one.clientWidth);
        assert.equal(await isCut(), false);
        assert.deepEqual(await seriousFindings(chat.page), []);
      });
    }
  }

  it('goes on below the text of a line that wraps, not below its number', async () => {
    await show(EDIT, { width: 292 });
    const line = chat.page.locator('.diff-added').first();
    const text = await line.locator('.diff-text').boundingBox();
    const number = await line.locator('.diff-number').boundingBox();
    const row = await line.boundingBox();
    assert.ok(text !== null && number !== null && row !== null);
    assert.ok(text.height > 30, 'the line wraps');
    assert.ok(text.x >= number.x + number.width);
    assert.equal(Math.round(text.height), Math.round(row.height));
  });

  it('shows one unchanged line around a change in a narrow panel, and all of them in a wide one', async () => {
    await show(EDIT, { width: 292, height: 1_000 });
    const folds = (): Promise<readonly string[]> => chat.page.locator('.diff-gap:visible').allInnerTexts();
    assert.deepEqual(await folds(), ['⋯ 13 unchanged lines', '⋯ 100 unchanged lines']);
    assert.equal(
      await chat.page.getByText('const known = cache.get(path);').isVisible(),
      true,
      'a fold for one line saves nothing',
    );
    assert.equal(await chat.page.getByText("import { join } from 'node:path';").isVisible(), false);
    await chat.page.setViewportSize({ width: 560, height: 1_000 });
    assert.deepEqual(await folds(), ['⋯ 10 unchanged lines', '⋯ 96 unchanged lines']);
    assert.equal(await chat.page.getByText("import { join } from 'node:path';").isVisible(), true);
    await chat.page.setViewportSize({ width: 171, height: 1_000 });
    const gaps = await chat.page
      .locator('.diff-gap:visible')
      .evaluateAll(all => all.map(gap => gap.scrollWidth <= gap.closest('.diff')!.clientWidth));
    assert.deepEqual(gaps, [true, true], 'a fold wraps');
  });

  it('copies the text of lines without numbers and signs', async () => {
    await show(EDIT, { width: 560 });
    const copied = await diff().evaluate(one => {
      const selection = getSelection();
      selection?.selectAllChildren(one);
      return selection?.toString() ?? '';
    });
    assert.match(
      copied,
      /\n {2}const text = await readFile\(path, 'utf8'\);\n {2}const text = await readFile\(path, \{/,
    );
    assert.doesNotMatch(copied, /19|unchanged/);
  });

  it('says to screen readers which lines are added and removed', async () => {
    await show('-1 a b\n+1 a c\n 2 d', {});
    const names = await diff()
      .getByRole('img')
      .evaluateAll(all => all.map(sign => sign.getAttribute('aria-label')));
    assert.deepEqual(names, ['removed', 'added']);
    assert.deepEqual(await visible(), ['1\n-\na b', '1\n+\na c', '2\nd']);
  });

  it('names created, deleted, renamed and binary files, with folders shortened from the left', async () => {
    await show(OF_GIT, { width: 292 });
    await picture('diff-files-292');
    const files = chat.page.locator('.diff-file');
    assert.deepEqual(await files.evaluateAll(all => all.map(file => file.textContent.replace(/\s+/g, ' ').trim())), [
      'packages/core/src/settings/read-settings.ts',
      'src/deep/in/folders/that/go/on/to.ts renamed from src/from.ts',
      'gone.txt deleted',
      'media/logo.png binary file, not compared',
    ]);
    assert.equal(await files.first().getAttribute('title'), 'packages/core/src/settings/read-settings.ts');
    const name = await files
      .first()
      .locator('.path-name')
      .evaluate(one => one.scrollWidth <= one.clientWidth);
    assert.ok(name, 'the name of the file is whole');
  });

  it('shows where a very long line differs, and opens the rest in an editor', async () => {
    const long = 'x'.repeat(500_000);
    await show(`-1 ${long}before${long}\n+1 ${long}after${long}`, { width: 292 });
    assert.match(await chat.page.locator('.diff-removed .diff-text').innerText(), /^…x{100}before/);
    assert.match(await chat.page.locator('.diff-added .diff-text').innerText(), /^…x{100}after/);
    assert.ok((await diff().innerText()).length < 3_000);
    await chat.page.getByRole('button', { name: 'Open in Editor' }).click();
    assert.deepEqual(await chat.sentOf('showDiff'), [{ type: 'showDiff', id: 'e' }]);
  });

  it('draws the beginning of a diff of 5 MB, and says how much is left', async () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, at) => `-${at + 1} ${'old '.repeat(60)}${at}\n+${at + 1} ${'new '.repeat(60)}${at}`,
    );
    await show(lines.join('\n'), { width: 292 });
    const drawn = await chat.page.locator('.diff-line').count();
    assert.ok(drawn > 100 && drawn <= 400, `${drawn} lines`);
    await chat.page.getByText(`${40_000 - drawn} more lines.`).waitFor();
    assert.equal(await chat.page.locator('.counts .count-added').textContent(), '+20000');
  });
});
