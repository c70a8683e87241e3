import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { EditorChip } from '../../../src/protocol/composer/editor-chip';
import { seriousFindings } from '../../support/axe';
import { IDLE, snapshot } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness, Theme } from '../harness/harness';

const PICTURES = join(ARTIFACTS, 'webview');
const FILE: EditorChip = { kind: 'file', name: 'parse.ts', path: '/work/src/parse.ts', lines: [], isOn: false };
const SELECTION: EditorChip = { ...FILE, kind: 'selection', lines: [{ first: 12, last: 30 }], isOn: true };

describe('the chips of the editor on the page', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const show = (...chips: readonly EditorChip[]): Promise<void> => chat.post({ type: 'editorChips', chips });
  const chip = (kind: EditorChip['kind']): Locator => chat.page.locator(`.editor-chip[data-kind="${kind}"]`);
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);
  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');
  const texts = async (): Promise<string[]> =>
    (await chat.page.locator('.editor-chip').allInnerTexts()).map(text =>
      text.replace(/\s+/g, ' ').replace(' :', ':').trim(),
    );
  const tooltip = async (kind: EditorChip['kind']): Promise<string[]> =>
    ((await chip(kind).getAttribute('title')) ?? '').split('\n');

  it('come with a sample about the open file on the empty page', async () => {
    await open(snapshot([], { status: { ...IDLE, demo: false } }), { width: 292 });
    const samples = (): Promise<string[]> => chat.page.locator('.sample').allInnerTexts();
    const always = ['Explain how this project is built', 'Look for bugs in this project'];
    assert.deepEqual(await samples(), always);
    await chat.page.screenshot({ path: join(PICTURES, 'samples-without-file-292.png') });
    await show(FILE);
    assert.deepEqual(await samples(), [...always, 'Write a test for the open file']);
    await show();
    assert.deepEqual(await samples(), always);
  });

  it('show file and lines, and the path in the tooltip', async () => {
    await open(snapshot([]), { width: 292 });
    await show(SELECTION, FILE);
    assert.deepEqual(await texts(), ['parse.ts:12–30', 'parse.ts']);
    assert.deepEqual(await tooltip('selection'), [
      '/work/src/parse.ts:12–30',
      'It is sent with your messages. Click to leave it out.',
    ]);
    assert.deepEqual(await tooltip('file'), [
      '/work/src/parse.ts',
      'It is not sent. Click to send it with your messages.',
    ]);
    assert.equal(await chip('selection').getAttribute('aria-label'), 'Selection parse.ts:12–30');
    await show({ ...SELECTION, lines: [{ first: 3, last: 3 }], isOn: false });
    assert.deepEqual(await texts(), ['parse.ts:3']);
    await show();
    assert.equal(await chat.page.locator('[data-hookline="attachments"]').count(), 0);
  });

  it('are switched by keyboard and keep the focus; nothing is sent by that', async () => {
    await open(snapshot([], { draft: 'half a thought' }), { width: 292 });
    await show(SELECTION, FILE);
    await composer().focus();
    await press('Shift+Tab');
    await press('Enter');
    assert.deepEqual(await chat.sentOf('switchChip'), [
      { type: 'switchChip', kind: 'file', path: '/work/src/parse.ts', isOn: true },
    ]);
    await show(SELECTION, { ...FILE, isOn: true });
    assert.equal(await chip('file').getAttribute('aria-pressed'), 'true');
    assert.equal(await chip('file').evaluate(element => element === document.activeElement), true);
    await press('Shift+Tab');
    await press('Space');
    assert.deepEqual((await chat.sentOf('switchChip')).at(-1), {
      type: 'switchChip',
      kind: 'selection',
      path: '/work/src/parse.ts',
      isOn: false,
    });
    assert.deepEqual(await chat.sentOf('submit'), []);
    assert.equal(await composer().inputValue(), 'half a thought');
  });

  it('give the focus to the composer when they are gone', async () => {
    await open(snapshot([]), { width: 292 });
    await show(SELECTION, FILE);
    await chip('selection').focus();
    await show();
    await chat.page.waitForFunction(() => document.activeElement?.matches('[data-hookline="composer"]'));
  });

  it('alone are no message', async () => {
    await open(snapshot([]), { width: 292 });
    await show(SELECTION);
    await composer().focus();
    await press('Enter');
    assert.deepEqual(await chat.sentOf('submit'), []);
  });

  it('stay when another conversation is shown, and are as before after a message', async () => {
    await open(snapshot([]), { width: 292 });
    await show(SELECTION);
    await composer().fill('explain');
    await press('Enter');
    assert.equal((await chat.sentOf('submit'))[0]?.text, 'explain');
    await chat.post(snapshot([], { conversation: 'other', revision: 50 }));
    assert.deepEqual(await texts(), ['parse.ts:12–30']);
  });

  for (const [withheld, reason] of [
    ['outside', 'it is outside of the workspace'],
    ['secret', 'such files often contain keys or passwords'],
    ['gitignore', '.gitignore excludes it'],
    ['exclude', 'the setting files.exclude hides it'],
  ] as const) {
    it(`say why nothing is sent by itself: ${withheld}`, async () => {
      await open(snapshot([]), { width: 292 });
      await show({ ...SELECTION, isOn: false, withheld });
      assert.deepEqual(await tooltip('selection'), [
        '/work/src/parse.ts:12–30',
        `It is not sent by itself, because ${reason}.`,
        'It is not sent. Click to send it with this message.',
      ]);
      assert.equal(await chip('selection').locator('.codicon-lock').count(), 1);
      await show({ ...SELECTION, withheld });
      assert.equal((await tooltip('selection')).at(-1), 'It is sent with this message only. Click to leave it out.');
      assert.equal(await chip('selection').locator('.codicon-eye').count(), 1);
    });
  }

  it('say that only a part is sent, and name all selections in the tooltip', async () => {
    await open(snapshot([]), { width: 292 });
    const lines = [1, 5, 9].map(first => ({ first, last: first + 1 }));
    await show({ ...SELECTION, lines, firstLines: 0 }, { ...FILE, firstLines: 2000 });
    assert.deepEqual(await texts(), ['parse.ts:1–2, 5–6 +1 the first part', 'parse.ts the first 2,000 lines']);
    assert.deepEqual((await tooltip('selection')).slice(0, 2), [
      '/work/src/parse.ts:1–2, 5–6, 9–10',
      'It is too long to be sent whole: the first part.',
    ]);
    assert.ok((await tooltip('file')).includes('It is too long to be sent whole: the first 2,000 lines.'));
  });

  const name = 'a-very-long-name-of-a-file-that-is-long.component.spec.ts';
  const ALL: readonly EditorChip[] = [
    { ...SELECTION, name, lines: [1, 500, 90_000].map(first => ({ first, last: first + 10 })), firstLines: 0 },
    { ...FILE, name, withheld: 'gitignore', firstLines: 2000 },
  ];
  for (const width of [146, 171, 292, 560]) {
    it(`fit into ${width} px`, async () => {
      await open(snapshot([], { draft: 'explain' }), { width });
      await show(...ALL);
      const wide = await chat.page.evaluate(() =>
        [...document.querySelectorAll('.footer *')]
          .filter(element => !element.closest('.sr-only, .clip'))
          .filter(element => element.getBoundingClientRect().right > document.documentElement.clientWidth)
          .map(element => element.outerHTML.slice(0, 120)),
      );
      await chat.page.screenshot({ path: join(PICTURES, `editor-chips-${width}.png`) });
      assert.deepEqual(wide, []);
    });
  }

  for (const theme of ['light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
    it(`can be told apart in ${theme}`, async () => {
      await open(snapshot([], { draft: 'explain' }), { width: 292, theme });
      await show(SELECTION, { ...FILE, withheld: 'secret' });
      assert.deepEqual(await seriousFindings(chat.page), []);
      await chat.page.screenshot({ path: join(PICTURES, `editor-chips-292-${theme}.png`) });
    });
  }
});
