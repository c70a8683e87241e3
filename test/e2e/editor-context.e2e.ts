import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { assertAccessible, useTheme, widen } from './support/look';
import { scriptedHome } from './support/scripted-home';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const SUM = ['function sum(a, b) {', '  return a - b; // SUM BODY', '}', '', 'sum(1, 2); // LAST LINE', ''].join('\n');
const LONG = `${'LONG TEXT '.repeat(10)}\n`.repeat(20_000);

describe('the editor in the composer', () => {
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    llm.otherwise(() => ({ text: 'Done.' }));
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'editor context ü',
      homeFiles: scriptedHome(llm),
      settings: { 'files.exclude': { '**/hidden': true }, 'editor.find.seedSearchStringFromSelection': 'never' },
      files: {
        '.gitignore': 'out/\n',
        'src/sum.js': SUM,
        'src/doomed.js': '// DOOMED TEXT\n// second\n',
        'src/broken.json': '{ "a": }\n',
        'src/long.txt': LONG,
        'out/built.js': '// IGNORED TEXT\n// second\n',
        '.env': 'TOKEN=SECRET-TEXT\nOTHER=1\n',
        'hidden/generated.js': '// EXCLUDED TEXT\n// second\n',
      },
    });
    execFileSync('git', ['init', '-q'], { cwd: workbench.workspace });
    chat = await Chat.open(workbench);
    await widen(workbench, 292);
  });

  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await workbench.page.keyboard.press(key);
  };
  const chip = (kind: 'selection' | 'file'): Locator =>
    chat.frame.locator(`[data-hookline="editor-chip"][data-kind="${kind}"]`);
  /** Waits until a chip says this, by its text and by whether it is on. */
  const chipIs = async (kind: 'selection' | 'file', text: string, isOn: boolean): Promise<void> => {
    let last: unknown[] = [];
    await waitFor(
      async () => {
        if ((await chip(kind).count()) === 0) return undefined;
        last = [
          (await chip(kind).innerText()).replace(/\s+/g, ' ').replace(' :', ':').trim(),
          await chip(kind).getAttribute('aria-pressed'),
        ];
        return last[0] === text && last[1] === String(isOn) ? true : undefined;
      },
      { what: `the chip "${text}"` },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${JSON.stringify(last)}`);
    });
  };
  const noChip = (kind: 'selection' | 'file'): Promise<void> => chip(kind).waitFor({ state: 'detached' });
  /** Opens a file by its path, without the mouse, and gives its editor the focus. */
  const openFile = async (path: string): Promise<void> => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    await workbench.openPalette();
    await workbench.quickInput.type(path);
    await waitFor(async () => ((await workbench.quickInput.items())[0]?.includes(name) ? true : undefined), {
      what: `${name} in the list of files`,
    });
    await workbench.quickInput.accept();
    await workbench.page.locator('.tab.active', { hasText: name }).waitFor();
    await inEditor();
  };
  const inEditor = async (): Promise<void> => {
    await workbench.pressUntil(
      'Control+1',
      async () => (await workbench.page.locator('.monaco-editor.focused').count()) > 0,
    );
  };
  /** Selects the first lines of the active editor. */
  const selectLines = async (count: number, total = count): Promise<void> => {
    await waitFor(
      async () => {
        await inEditor();
        await press('Control+Home', ...Array<string>(count).fill('Shift+ArrowDown'));
        return (await workbench.statusBar()).some(text => text.includes(`Ln ${total + 1}, Col 1 (`)) ? true : undefined;
      },
      { what: `${count} selected lines` },
    );
  };
  // Not by the command: the focus that it gives comes once more, after the page was shown.
  const inComposer = (): Promise<void> => chat.composer.focus();
  const hasFocus = async (kind: 'selection' | 'file'): Promise<boolean> =>
    (await chip(kind).and(chat.frame.locator(':focus')).count()) > 0;
  /** Goes from the composer back to a chip, as a person without a mouse does, and presses a key there. */
  const switchChip = async (kind: 'selection' | 'file', key: string): Promise<void> => {
    await inComposer();
    for (let step = 0; step < 5 && !(await hasFocus(kind)); step++) await press('Shift+Tab');
    assert.ok(await hasFocus(kind), `Shift+Tab reaches the chip of the ${kind}`);
    await press(key);
  };
  /** Sends a prompt and returns what the model got as the last message, as JSON. */
  const ask = async (text: string): Promise<string> => {
    const before = llm.requests.length;
    await inComposer();
    await workbench.page.keyboard.type(text);
    await press('Enter');
    return received(before, text);
  };
  const received = async (before: number, text: string): Promise<string> => {
    await waitFor(async () => Promise.resolve(llm.requests.length > before ? true : undefined), {
      what: 'the request',
    });
    await chat.idle();
    const messages = llm.requests[before]?.body['messages'] as readonly unknown[];
    const last = JSON.stringify(messages.at(-1));
    assert.ok(last.includes(text), last);
    return last;
  };
  const sentAlong = (): Promise<string[]> =>
    chat.frame.locator('.sent-along').last().getByRole('listitem').allInnerTexts();
  const times = (text: string, part: string): number => text.split(part).length - 1;

  it('has no chip without an editor, and one for the file without a selection', async () => {
    assert.equal(await chat.frame.locator('[data-hookline="editor-chip"]').count(), 0);
    await openFile('src/sum.js');
    await chipIs('file', 'sum.js', false);
    assert.equal(await chip('selection').count(), 0);
    await workbench.screenshot('editor-context-file-292');
  });

  it('sends the selection with a prompt, follows it, and shows it with the message', async () => {
    await selectLines(2);
    await chipIs('selection', 'sum.js:1–2', true);
    await press('Shift+ArrowDown');
    await chipIs('selection', 'sum.js:1–3', true);
    const title = await chip('selection').getAttribute('title');
    assert.equal(title?.split('\n')[0], `${join(workbench.workspace, 'src/sum.js')}:1–3`);
    const sent = await ask('What does this do?');
    assert.ok(sent.includes('<file name=\\"selection of src/sum.js:1-3\\">\\nfunction sum(a, b) {'), sent);
    assert.ok(!sent.includes('LAST LINE'), 'only the selection');
    assert.deepEqual(await sentAlong(), ['selection of src/sum.js:1-3']);
    await workbench.screenshot('editor-context-sent-292');
    await chat.frame.locator('.sent-along').last().getByRole('button').press('Enter');
    await workbench.page.locator('.tab.active', { hasText: 'sum.js' }).waitFor();
  });

  it('leaves out the selection that was switched off by keyboard, also after a reload', async () => {
    await selectLines(2);
    await chipIs('selection', 'sum.js:1–2', true);
    await switchChip('selection', 'Enter');
    await chipIs('selection', 'sum.js:1–2', false);
    assert.ok(await hasFocus('selection'));
    assert.ok(!(await ask('And now?')).includes('SUM BODY'));
    await workbench.reload();
    chat = await Chat.open(workbench);
    await selectLines(2);
    await chipIs('selection', 'sum.js:1–2', false);
    await workbench.screenshot('editor-context-off-292');
    assert.ok(!(await ask('After the reload?')).includes('SUM BODY'));
    await switchChip('selection', 'Space');
    await chipIs('selection', 'sum.js:1–2', true);
  });

  it('sends the file once it was added, and no text twice', async () => {
    await switchChip('file', 'Enter');
    await chipIs('file', 'sum.js', true);
    const sent = await ask('See @src/sum.js please');
    assert.equal(times(sent, 'SUM BODY'), 1);
    assert.equal(times(sent, 'LAST LINE'), 1);
    assert.ok(sent.includes('selection of src/sum.js:1-2'), 'the place of the selection is sent');
    await workbench.reload();
    chat = await Chat.open(workbench);
    await inEditor();
    await chipIs('file', 'sum.js', true);
    await switchChip('file', 'Enter');
    await chipIs('file', 'sum.js', false);
  });

  for (const [path, text, reason] of [
    ['out/built.js', 'IGNORED TEXT', /\.gitignore excludes it/],
    ['.env', 'SECRET-TEXT', /keys or passwords/],
    ['hidden/generated.js', 'EXCLUDED TEXT', /files\.exclude/],
  ] as const) {
    it(`sends nothing of ${path} unless you say so for one message`, async () => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      await openFile(path);
      await selectLines(1);
      await chipIs('selection', `${name}:1`, false);
      assert.match((await chip('selection').getAttribute('title')) ?? '', reason);
      assert.ok(!(await ask('What is selected?')).includes(text));
      await workbench.screenshot(`editor-context-withheld-${name.replace('.', '')}-292`);
      await switchChip('selection', 'Enter');
      await chipIs('selection', `${name}:1`, true);
      assert.ok((await ask('Now it may be sent.')).includes(text));
      await chipIs('selection', `${name}:1`, false);
      assert.ok(!(await ask('And no more.')).includes(text));
    });
  }

  it('sends a text that is not saved, all selections, and the start of 2 MB', async () => {
    await workbench.runCommand('File: New Untitled Text File');
    await workbench.page.locator('.tab.active', { hasText: 'Untitled-1' }).waitFor();
    await inEditor();
    // In one piece: an Enter could take a suggestion of the editor.
    await workbench.page.keyboard.insertText('UNSAVED TEXT\nmiddle\nUNSAVED TEXT\n');
    await press('Control+Home', 'Shift+End');
    await chipIs('selection', 'Untitled-1:1', true);
    await press('Control+d');
    await chipIs('selection', 'Untitled-1:1, 3', true);
    const sent = await ask('What is this?');
    assert.equal(times(sent, 'UNSAVED TEXT'), 2);
    assert.ok(sent.includes('selection of Untitled-1, lines 1, 3') && !sent.includes('middle'), sent);
    await workbench.runCommand('View: Revert and Close Editor');
    await openFile('src/long.txt');
    await inEditor();
    await press('Control+a');
    await chipIs('selection', 'long.txt:1–20000 the first 506 lines', true);
    await workbench.screenshot('editor-context-long-292');
    const cut = await ask('And this?');
    assert.ok(cut.length < 60_000 && cut.includes('[Cut: 1.9MB in all]'), `${cut.length}`);
  });

  it('sends what the editor has of a file that was deleted, and goes on without an editor', async () => {
    await openFile('src/doomed.js');
    await selectLines(1);
    await chipIs('selection', 'doomed.js:1', true);
    await inComposer();
    await workbench.page.keyboard.type('Was it deleted?');
    rmSync(join(workbench.workspace, 'src/doomed.js'));
    const before = llm.requests.length;
    await inComposer();
    await press('Enter');
    assert.ok((await received(before, 'Was it deleted?')).includes('DOOMED TEXT'));
    await workbench.runCommand('View: Close All Editors');
    await noChip('selection');
    await noChip('file');
    assert.ok(!(await ask('Without an editor.')).includes('DOOMED TEXT'));
  });

  it('explains, fixes and tests the selection from the menu of the editor', async () => {
    await openFile('src/broken.json');
    await workbench.page.locator('.monaco-editor .squiggly-error').first().waitFor();
    for (const [entry, prompt] of [
      ['Explain Selection', 'Explain the selected code'],
      ['Fix Selection', 'Fix the selected code'],
      ['Write Tests for Selection', 'Write tests for the selected code'],
    ] as const) {
      await selectLines(1);
      const before = llm.requests.length;
      const menu = workbench.page.locator('.monaco-menu');
      await press('Shift+F10');
      await menu.first().waitFor();
      await menuItem('Hookline', 'ArrowRight');
      await workbench.screenshot(`editor-context-menu`);
      await menuItem(entry, 'Enter');
      const sent = await received(before, prompt);
      assert.ok(
        sent.includes('<file name=\\"selection of src/broken.json:1\\">\\n{ \\"a\\": }') ||
          sent.includes('selection of src/broken.json:1'),
        sent,
      );
      assert.equal(sent.includes('src/broken.json:1:8 error'), entry === 'Fix Selection', sent);
      assert.deepEqual(await sentAlong(), ['selection of src/broken.json:1']);
    }
    await workbench.screenshot('editor-context-fix-292');
  });

  for (const theme of ['Light Modern', 'Dark High Contrast', 'Light High Contrast']) {
    it(`can be read in ${theme}`, async () => {
      await openFile('src/sum.js');
      await selectLines(2);
      chat = await useTheme(workbench, theme);
      await chipIs('selection', 'sum.js:1–2', true);
      await assertAccessible(chat);
      await workbench.screenshot(`editor-context-292-${theme.toLowerCase().replaceAll(' ', '-')}`);
    });
  }

  /** Walks the open menu by arrow keys to an entry and presses a key on it. */
  async function menuItem(label: string, key: string): Promise<void> {
    const focused = workbench.page.locator('.monaco-menu .action-item.focused').last();
    await waitFor(
      async () => {
        const text = await focused.innerText({ timeout: 1000 }).catch(() => '');
        if (text.trim().startsWith(label)) return true;
        await press('ArrowDown');
        return undefined;
      },
      { what: `${label} in the menu` },
    );
    await press(key);
  }
});
