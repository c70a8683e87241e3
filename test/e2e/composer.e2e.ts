import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { Chat } from './support/chat';
import { useTheme, widen } from './support/look';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** How the list shows a symbol: its name, its kind and its file. */
const SYMBOL = /greet\s+\w+ · src\/greet\.js/;

describe('the composer in VS Code', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({
      name: 'composer ü',
      ownServer: true,
      files: { 'my notes/to do.md': '- write it\n', 'src/broken.json': '{ "a": }\n' },
    });
    git('init', '-q');
    git('add', '.');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', 'first');
    writeFileSync(join(workbench.workspace, 'notes.txt'), 'changed since the commit\n');
    // An editor takes the focus once more after it was opened: both are open before anything is typed into the chat.
    await openFile('greet.js');
    await openFile('broken.json');
    await workbench.page.locator('.monaco-editor .squiggly-error').first().waitFor();
    chat = await Chat.open(workbench);
  });

  after(() => workbench.close());

  const git = (...args: readonly string[]): void => {
    execFileSync('git', args, { cwd: workbench.workspace, stdio: 'ignore' });
  };
  const type = (text: string): Promise<void> => workbench.page.keyboard.type(text);
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await workbench.page.keyboard.press(key);
  };
  const holds = async (text: string): Promise<void> => {
    let last = '';
    await waitFor(
      async () => {
        last = await chat.composer.inputValue();
        return last === text ? true : undefined;
      },
      { what: `"${text}" in the composer` },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; it holds "${last}"`);
    });
  };
  const option = (text: string | RegExp): Locator => chat.frame.getByRole('option').filter({ hasText: text });
  const activeOption = (): Locator => chat.frame.locator('[role="option"][aria-selected="true"]');
  /** Walks the list by arrow keys until this line is active. */
  const walkTo = async (text: RegExp): Promise<void> => {
    await option(text).first().waitFor();
    for (let step = 0; step < 50 && !text.test(await activeOption().innerText()); step++) await press('ArrowDown');
    assert.match(await activeOption().innerText(), text);
  };
  const clear = async (): Promise<void> => {
    await chat.composer.click();
    await press('Control+a', 'Backspace');
  };
  /** Types a text as the whole message. An editor that has just been opened may take the focus back meanwhile. */
  const write = async (text: string): Promise<void> => {
    await waitFor(
      async () => {
        await clear();
        await type(text);
        return (await chat.composer.inputValue()) === text ? true : undefined;
      },
      { what: `"${text}" in the composer` },
    );
  };
  /** Opens a file of the workspace by name, without the mouse. */
  const openFile = async (name: string): Promise<void> => {
    await workbench.openPalette();
    await workbench.quickInput.type(name);
    await waitFor(async () => ((await workbench.quickInput.items())[0]?.includes(name) ? true : undefined), {
      what: `${name} in the list of files`,
    });
    await workbench.quickInput.accept();
    await workbench.page.locator('.tab.active', { hasText: name }).waitFor();
    await workbench.page.locator('.monaco-editor.focused').waitFor();
  };

  it('completes files, those with blanks too, and goes into folders', async () => {
    await write('look at @todo');
    await option(/to do\.md/).waitFor();
    await workbench.screenshot('composer-1-mention');
    await press('Enter');
    await holds('look at @"my notes/to do.md" ');
    await type('and @src');
    await walkTo(/src\//);
    await press('Tab');
    await holds('look at @"my notes/to do.md" and @src/');
    await walkTo(/main\.js/);
    await press('Enter');
    await holds('look at @"my notes/to do.md" and @src/main.js ');
    await type('again: @./src/main.js @nobody');
    const chips = chat.frame.locator('[data-hookline="attachments"] li.attached-file');
    await chips.filter({ hasText: 'my notes/to do.md' }).waitFor();
    await waitFor(async () => ((await chips.count()) === 2 ? true : undefined), { what: 'one chip for each file' });
    await chat.frame.getByRole('button', { name: 'Open my notes/to do.md' }).press('Enter');
    await workbench.page.locator('.tab.active', { hasText: 'to do.md' }).waitFor();
    await chat.composer.click();
    await widen(workbench, 292);
    await workbench.screenshot('composer-chips-292');
    await press('Enter');
    const sent = chat.frame.locator('.sent-along').last();
    await sent.filter({ hasText: 'my notes/to do.md' }).waitFor();
    assert.equal(await sent.getByRole('listitem').count(), 2, 'each file is sent once');
    await chat.idle();
    await sent.getByRole('button', { name: 'Open src/main.js' }).press('Enter');
    await workbench.page.locator('.tab.active', { hasText: 'main.js' }).waitFor();
    await workbench.screenshot('composer-sent-chips-292');
  });

  it('completes symbols of the workspace', async () => {
    await waitFor(
      async () => {
        await write('what does @greet');
        const symbol = option(SYMBOL).first();
        return symbol.waitFor({ timeout: 5000 }).then(
          () => true,
          () => undefined,
        );
      },
      { what: 'a symbol in the list', timeout: 60_000 },
    );
    await walkTo(SYMBOL);
    await workbench.screenshot('composer-2-symbol');
    await press('Enter');
    assert.match(await chat.composer.inputValue(), /^what does @src\/greet\.js#\w+ $/);
    await press('Enter');
    await chat.frame.locator('.sent-along', { hasText: /in src\/greet\.js:\d+/ }).waitFor();
    await chat.idle();
  });

  it('completes problems and the git diff, and sends what they are', async () => {
    await write('explain @prob');
    await walkTo(/problem/);
    await press('Enter');
    await type('and @dif');
    await walkTo(/diff/);
    await workbench.screenshot('composer-3-sources');
    await press('Enter');
    await holds('explain @problems and @diff ');
    await press('Enter');
    await chat.frame.locator('.sent-along', { hasText: 'git diff' }).waitFor();
    assert.match(await chat.frame.locator('.sent-along').last().innerText(), /problems/);
    await chat.idle();
  });

  it('takes the selection by a key', async () => {
    await clear();
    await openFile('greet.js');
    await waitFor(
      async () => {
        await workbench.page.locator('.monaco-editor .view-line').first().click();
        await press('Control+Home', 'Shift+ArrowDown', 'Shift+ArrowDown');
        return (await workbench.statusBar()).some(text => text.includes('Ln 3, Col 1 (')) ? true : undefined;
      },
      { what: 'two selected lines' },
    );
    await press('Control+Alt+k');
    await holds('@src/greet.js:1-2 ');
    await openFile('main.js');
    await press('Control+Alt+j');
    await chat.frame.locator('[data-hookline="composer"]:focus').waitFor();
    await workbench.screenshot('composer-4-selection');
  });

  it('fixes a problem from the light bulb by keyboard', async () => {
    await clear();
    await openFile('broken.json');
    const menu = workbench.page.locator('.action-widget', { hasText: 'Fix with Hookline' });
    await waitFor(
      async () => {
        await press('F8', 'Escape', 'Control+.');
        return menu.waitFor({ timeout: 3000 }).then(
          () => true,
          () => undefined,
        );
      },
      { what: 'the quick fixes' },
    );
    await workbench.screenshot('composer-5-quick-fix');
    for (let step = 0; step < 10; step++) {
      const active = workbench.page.locator('.action-widget .monaco-list-row.focused');
      if ((await active.innerText()).includes('Fix with Hookline')) break;
      await press('ArrowDown');
    }
    await press('Enter');
    await chat.says(/Fix this problem in src\/broken\.json at line 1/);
    await chat.idle();
  });

  it('adds several files from the Explorer', async () => {
    await clear();
    await workbench.runCommand('View: Show Explorer');
    const row = (name: string): Locator =>
      workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name });
    await row('package.json').click();
    await row('README.md').click({ modifiers: ['ControlOrMeta'] });
    await row('README.md').click({ button: 'right' });
    const entry = workbench.page.locator('.monaco-menu .action-item', { hasText: 'Add File to Chat' });
    await entry.waitFor();
    await workbench.screenshot('composer-6-explorer');
    await entry.click();
    chat = await Chat.attach(workbench);
    await waitFor(
      async () => {
        const text = await chat.composer.inputValue();
        return text.includes('@README.md') && text.includes('@package.json') ? true : undefined;
      },
      { what: 'both files in the composer' },
    );
  });

  it('steers, queues, takes back and stops by keyboard; what waited comes back', async () => {
    await write('run `sleep 60`');
    await press('Enter');
    await chat.tool('bash', 'running');
    await type('be brief');
    await press('Enter');
    await type('then run the tests');
    await press('Alt+Enter');
    const waiting = chat.frame.getByRole('list', { name: 'Waiting messages' });
    await waiting.getByText('then run the tests').waitFor();
    await type('one more');
    await workbench.screenshot('composer-7-queue');
    const ways = chat.frame.locator('[data-hookline="ways"]');
    await press('Tab');
    await ways.focus();
    await press('ArrowDown');
    await chat.frame.getByRole('menuitem', { name: 'Queue' }).waitFor();
    await workbench.screenshot('composer-ways-292');
    await press('q', 'Enter');
    await waiting.getByText('one more').waitFor();
    await chat.frame.locator('[data-hookline="stop"]').waitFor();
    await press('Alt+ArrowUp');
    await holds('one more');
    await press('Control+a', 'Backspace', 'Alt+ArrowUp');
    await holds('then run the tests');
    await waitFor(async () => ((await waiting.getByRole('listitem').count()) === 1 ? true : undefined), {
      what: 'one waiting message',
    });
    await press('Escape');
    await chat.idle();
    await holds('be brief\n\nthen run the tests');
    assert.equal(await waiting.count(), 0);
  });

  it('shows context and cost with a breakdown by keyboard, and picks model and level', async () => {
    await clear();
    await chat.frame.locator('[data-hookline="model"]').focus();
    await press('Enter');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.cancel();
    await chat.frame.locator('[data-hookline="usage"]').focus();
    await press('Enter');
    const panel = chat.frame.getByRole('dialog', { name: 'Context and cost' });
    await panel.waitFor();
    await workbench.screenshot('composer-8-meter');
    assert.match(await panel.innerText(), /Context: [\s\S]*Summarized automatically at[\s\S]*Input/);
    await press('Escape');
    await panel.waitFor({ state: 'hidden' });
  });

  for (const theme of ['Dark Modern', 'Light Modern', 'Dark High Contrast', 'Light High Contrast']) {
    it(`is a text and one row at 292 and 560 px, idle and during a run, in ${theme}`, async () => {
      await workbench.runCommand('View: Close All Editors');
      chat = await useTheme(workbench, theme);
      const name = theme.toLowerCase().replaceAll(' ', '-');
      const box = (): ReturnType<Locator['boundingBox']> => chat.frame.locator('.composer').boundingBox();
      for (const phase of ['idle', 'running'] as const) {
        if (phase === 'running') {
          await write('run `sleep 60`');
          await press('Enter');
          await chat.tool('bash', 'running');
          await type('be brief');
        } else await clear();
        for (const width of [560, 292]) {
          await widen(workbench, width);
          await chat.composer.click();
          await workbench.screenshot(`composer-${phase}-${width}-${name}`);
          assert.ok(((await box())?.height ?? Infinity) <= 72, `${phase} at ${width} px`);
        }
      }
      await press('Escape');
      await chat.idle();
    });
  }
});
