import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { Completion, ComposerToPage } from '../../../src/protocol/composer/composer';
import { snapshot } from '../harness/demo';
import { seriousFindings } from '../../support/axe';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness } from '../harness/harness';

const PICTURES = join(ARTIFACTS, 'webview');
const MAIN_FILE: Completion = { kind: 'file', label: 'main.ts', detail: 'src', insert: '@src/main.ts' };

describe('what is sent along, on the page', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');
  const button = (name: string | RegExp): Locator => chat.page.getByRole('button', { name, exact: true });
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);
  /** Answers what the page asked last for the word behind `@`. */
  const offerMain = async (): Promise<void> => {
    const last = (await chat.sentOf('complete')).at(-1);
    await chat.post({ type: 'completions', id: last?.id ?? -1, items: [MAIN_FILE], final: true });
  };
  /** What was said of one type, whatever conversation it is about. */
  const told = async (type: 'attachments' | 'submit'): Promise<readonly object[]> =>
    (await chat.sentOf(type)).map(({ conversation: _, ...said }) => said);

  describe('shows what the text names as chips', () => {
    /** Answers what the page asked last about the text. */
    const names = async (found: Extract<ComposerToPage, { type: 'mentioned' }>['found']): Promise<void> => {
      const last = (await chat.sentOf('mentioned')).at(-1);
      await chat.post({ type: 'mentioned', id: last?.id ?? -1, found });
    };
    const MAIN = { name: 'src/main.ts', kind: 'file', path: '/work/src/main.ts' } as const;
    const chips = (): Promise<string[]> => chat.page.locator('[data-hookline="attachments"] li').allInnerTexts();

    it('once a line of the list is taken, and not while it is typed; a chip opens its file', async () => {
      await open(snapshot([]), { width: 292 });
      await composer().click();
      await chat.page.keyboard.type('see @ma');
      assert.deepEqual(await chat.sentOf('mentioned'), []);
      await offerMain();
      await press('Enter');
      assert.deepEqual((await chat.sentOf('mentioned')).at(-1)?.words, [['src/main.ts']]);
      await names([MAIN]);
      assert.deepEqual(await chips(), ['src/main.ts']);
      await button('Open src/main.ts').press('Enter');
      assert.deepEqual(await chat.sentOf('openFile'), [{ type: 'openFile', path: '/work/src/main.ts' }]);
      await chat.page.screenshot({ path: join(PICTURES, 'mention-chip-292.png') });
      assert.deepEqual(await seriousFindings(chat.page), []);
      await composer().press('Enter');
      assert.equal((await chat.sentOf('submit'))[0]?.text, 'see @src/main.ts ');
      assert.deepEqual(await chips(), []);
    });

    it('of a draft after a reload, and only of what the host knows', async () => {
      await open(snapshot([], { draft: 'ask @someone, about @src/main.ts, and\n```\n@src/other.ts\n```' }));
      assert.deepEqual((await chat.sentOf('mentioned')).at(-1)?.words, [
        ['someone,', 'someone'],
        ['src/main.ts,', 'src/main.ts'],
      ]);
      await names([MAIN]);
      assert.deepEqual(await chips(), ['src/main.ts']);
    });

    it('with a button that takes all its words out of the text, which can be undone', async () => {
      await open(snapshot([], { draft: '@src/main.ts look at @src/main.ts, twice' }));
      await names([MAIN]);
      await button('Remove src/main.ts').press('Enter');
      assert.equal(await composer().inputValue(), 'look at , twice');
      assert.deepEqual(await chips(), []);
      assert.equal(await composer().evaluate(area => area === document.activeElement), true);
      await press('Control+z');
      assert.equal(await composer().inputValue(), '@src/main.ts look at @src/main.ts, twice');
    });

    it('which follow undo and redo of a taken line', async () => {
      await open(snapshot([]));
      await composer().click();
      await chat.page.keyboard.type('see @ma');
      await offerMain();
      await press('Enter');
      await names([MAIN]);
      await press('Control+z');
      assert.equal(await composer().inputValue(), 'see @ma');
      assert.deepEqual(await chips(), []);
      await press('Control+Shift+z');
      assert.equal(await composer().inputValue(), 'see @src/main.ts ');
      await names([MAIN]);
      assert.deepEqual(await chips(), ['src/main.ts']);
    });

    it('and forgets what an older answer says', async () => {
      await open(snapshot([], { draft: '@a.ts' }));
      const [first] = await chat.sentOf('mentioned');
      await composer().fill('@b.ts ');
      await chat.post({ type: 'mentioned', id: first?.id ?? -1, found: [{ ...MAIN, name: 'b.ts' }] });
      assert.deepEqual(await chips(), []);
    });
  });

  describe('takes files', () => {
    const drop = async (data: Readonly<Record<string, string>>, files: readonly [string, string, string][] = []) =>
      composer().evaluate(
        (area, { data, files }) => {
          const transfer = new DataTransfer();
          for (const [type, value] of Object.entries(data)) transfer.setData(type, value);
          for (const [name, type, text] of files) transfer.items.add(new File([text], name, { type }));
          for (const type of ['dragover', 'drop']) {
            area.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
          }
        },
        { data, files },
      );

    it('dropped from VS Code, as what they are called there', async () => {
      await open(snapshot([]));
      await drop({ 'application/vnd.code.uri-list': 'vscode-remote://x/a.ts\nvscode-remote://x/b.ts' });
      await drop({ 'text/uri-list': '# comment\r\nfile:///c.ts\r\n' });
      await drop({ 'text/uri-list': 'https://example.org/' });
      assert.deepEqual(await chat.sentOf('dropped'), [
        { type: 'dropped', uris: ['vscode-remote://x/a.ts', 'vscode-remote://x/b.ts'] },
        { type: 'dropped', uris: ['file:///c.ts'] },
      ]);
      await composer().fill('look at');
      await chat.post({ type: 'composer', revision: 1, text: '@a.ts @b.ts ', mode: 'insert', draft: '' });
      assert.equal(await composer().inputValue(), 'look at @a.ts @b.ts ');
    });

    it('dropped from outside, as text with their name; what is no text is named', async () => {
      await open(snapshot([]));
      await drop({}, [
        ['notes.txt', 'text/plain', 'one\ntwo'],
        ['data.bin', '', 'a\0b'],
        ['big.log', 'text/plain', 'x'.repeat(300 * 1024)],
      ]);
      await button('Remove notes.txt').waitFor();
      assert.match(await chat.page.locator('[data-hookline="attachments"]').innerText(), /notes\.txt\s+2 lines/);
      const alert = await chat.page.getByRole('alert').innerText();
      assert.match(alert, /data\.bin cannot be attached: it is neither text nor/);
      assert.match(alert, /big\.log is 300 KB; text files of up to 256 KB/);
      const files = [{ name: 'notes.txt', text: 'one\ntwo' }];
      assert.deepEqual(await told('attachments'), [{ type: 'attachments', images: [], files }]);
      await composer().press('Enter');
      assert.deepEqual(await told('submit'), [{ type: 'submit', text: '', delivery: 'steer', images: [], files }]);
      assert.equal(await button('Remove notes.txt').count(), 0);
    });

    it('up to twenty, and no endless text', async () => {
      await open(snapshot([]));
      await drop(
        {},
        Array.from({ length: 22 }, (_, index) => [`${index}.txt`, 'text/plain', 'x']),
      );
      await button('Remove 19.txt').waitFor();
      assert.match(await chat.page.getByRole('alert').innerText(), /At most 20 images and files/);
      await composer().evaluate(area => {
        const data = new DataTransfer();
        data.setData('text/plain', 'y'.repeat(1_000_001));
        area.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      });
      assert.match(await chat.page.getByRole('alert').innerText(), /up to 1,000,000 characters/);
    });

    it('that the host knows to be attached, after a reload', async () => {
      const files = [{ name: 'terminal zsh', text: 'a\nb\nc' }];
      const attachments = [{ type: 'image' as const, mimeType: 'image/png', data: 'AQID' }];
      await open(snapshot([], { files, attachments }));
      await button('Remove terminal zsh').waitFor();
      await button('Remove image 1').click();
      assert.deepEqual(await told('attachments'), [{ type: 'attachments', images: [], files }]);
      await chat.reload(snapshot([]));
      assert.equal(await button('Remove terminal zsh').count(), 0);
    });
  });
});
