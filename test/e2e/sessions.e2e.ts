import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Frame } from 'playwright-core';
import { ARTIFACTS } from '../../scripts/support/paths.ts';
import { Chat } from './support/chat';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** Of the title of the question for a summary. */
const LEAVING = 'branch you are leaving';

describe('sessions', function () {
  this.timeout(240_000);
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({ name: 'sessions ä' });
    chat = await Chat.open(workbench);
  });

  after(() => workbench.close());

  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);
  const walkToFirstAnswer = async (tree: Frame): Promise<void> => {
    const answer = tree.locator('[role="treeitem"][aria-selected="true"][data-kind="assistant"]');
    await waitFor(
      async () => {
        // A moment after a pick has closed, VS Code can still move the focus.
        await focusTree(tree);
        await press('Home');
        await press('ArrowDown');
        return (await answer.isVisible()) || undefined;
      },
      { what: 'the first answer to be selected' },
    );
  };
  const sessionFiles = (): string[] => {
    const folder = join(workbench.place.home, '.pi', 'agent', 'sessions');
    return existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.jsonl'))
      : [];
  };
  /** Rows of the open pick, once one of them reads like this. */
  const rowsWith = (text: string | RegExp): Promise<string[]> =>
    waitFor(
      async () => {
        const rows = await workbench.quickInput.items().catch(() => []);
        const fits = (row: string): boolean => (typeof text === 'string' ? row.includes(text) : text.test(row));
        return rows.some(fits) ? rows : undefined;
      },
      { what: `a row with ${String(text)}` },
    );
  const activeRow = (text: string): Promise<true> =>
    waitFor(async () => ((await workbench.quickInput.activeItem())?.includes(text) === true ? true : undefined), {
      what: `"${text}" to be the marked row`,
    });

  it('lists sessions, names them and searches in what was said, with keys alone', async () => {
    await chat.ask('tell me about marmalade');
    await chat.idle();
    await workbench.runCommand('Hookline: New Session');
    await chat.isNew();
    await chat.ask('the second talk is about herrings');
    await chat.idle();
    await workbench.runCommand('Hookline: Rename Session…');
    await workbench.quickInput.type('All about fish');
    await workbench.quickInput.accept();
    await workbench.runCommand('Hookline: Resume Session…');
    const rows = await rowsWith('All about fish');
    assert.ok(
      rows.some(row => row.includes('tell me about marmalade')),
      rows.join('\n'),
    );
    assert.ok(
      rows.some(row => row.includes('shown')),
      rows.join('\n'),
    );
    await settled(workbench);
    await workbench.screenshot('sessions-list');
    await workbench.quickInput.type('quetzalcoatl');
    await rowsWith('No session contains these words.');
    await workbench.quickInput.type('marmalade');
    await rowsWith(/tell me about marmalade/);
    await waitFor(
      async () => {
        const found = await workbench.quickInput.items();
        return found.length >= 2 && found.every(row => row.includes('marmalade')) ? true : undefined;
      },
      { what: 'the message that was found' },
    );
    await workbench.screenshot('sessions-search');
    await press('ArrowDown');
    await workbench.quickInput.accept();
    await chat.says('tell me about marmalade');
    await chat.frame.locator('.item.revealed').waitFor();
    assert.match(await chat.frame.locator('.item.revealed').innerText(), /marmalade/);
    await workbench.screenshot('sessions-found');
  });

  it('renames, deletes and brings back a session from the list', async () => {
    await workbench.runCommand('Hookline: Resume Session…');
    await rowsWith('All about fish');
    await workbench.quickInput.type('fish');
    await activeRow('All about fish');
    await press('F2');
    await waitFor(
      async () => ((await workbench.quickInput.title()).includes('Name of the session') ? true : undefined),
      {
        what: 'the question for a name',
      },
    );
    await workbench.quickInput.type('Herrings');
    await workbench.quickInput.accept();
    await waitFor(async () => ((await workbench.quickInput.title()).includes('Sessions') ? true : undefined), {
      what: 'the list to be back',
    });
    await workbench.quickInput.type('Herrings');
    await activeRow('Herrings');
    const before = sessionFiles().length;
    await press('Shift+Delete');
    const toast = workbench.page.locator('.notification-toast', {
      hasText: '"Herrings" was deleted.',
    });
    await toast.waitFor();
    assert.equal(sessionFiles().length, before - 1);
    await workbench.screenshot('sessions-deleted');
    await workbench.quickInput.cancel();
    await toast.getByText('Undo').click();
    await waitFor(() => (sessionFiles().length === before ? true : undefined), {
      what: 'the session to be back',
    });
    await workbench.runCommand('Hookline: Resume Session…');
    await rowsWith('Herrings');
    await workbench.quickInput.cancel();
  });

  it('shows the entry that was chosen in the tree in a chat that was hidden', async () => {
    await workbench.runCommand('Hookline: New Session');
    await chat.isNew();
    await chat.ask('first question');
    await chat.idle();
    await workbench.runCommand('Hookline: Show Session Tree');
    const tree = await workbench.frameWith('[data-hookline="tree"][data-ready="true"]');
    await tree.locator('[role="treeitem"][data-current]').waitFor();
    await chat.ask('second question');
    // While the answer is not there, nothing is left that could be summarized.
    await waitFor(async () => ((await tree.locator('[role="treeitem"]').count()) === 4 ? true : undefined), {
      what: 'the answer in the tree',
    });
    await chat.idle();
    await workbench.runCommand('View: Toggle Secondary Side Bar Visibility');
    await workbench.page.locator('.part.auxiliarybar').waitFor({ state: 'hidden' });
    await walkToFirstAnswer(tree);
    await press('Enter');
    await workbench.quickInput.chooseByKeyboard('No summary');
    chat = await Chat.attach(workbench);
    await chat.frame.locator('.item.revealed').waitFor();
  });

  it('draws the tree, walks it with keys, labels an entry and goes there', async () => {
    await workbench.runCommand('Hookline: New Session');
    await chat.isNew();
    await chat.ask('first question');
    await chat.idle();
    await chat.ask('read README.md');
    await chat.idle();
    await workbench.runCommand('Hookline: Show Session Tree');
    const tree = await workbench.frameWith('[data-hookline="tree"][data-ready="true"]');
    await tree.locator('[role="treeitem"][data-current]').waitFor();
    await focusTree(tree);
    await press('Home');
    await workbench.pressUntil('l', async () => (await workbench.quickInput.title()).includes('Label'));
    await workbench.quickInput.type('begin here');
    await workbench.quickInput.accept();
    await tree.locator('.tree-label', { hasText: 'begin here' }).waitFor();
    assert.match((await tree.locator('.tree-time').first().textContent()) ?? '', /now|ago/);
    await workbench.screenshot('sessions-tree-line');
    await walkToFirstAnswer(tree);
    await workbench.pressUntil('Enter', async () => (await workbench.quickInput.title()).includes(LEAVING));
    await workbench.screenshot('sessions-tree-question');
    await workbench.quickInput.chooseByKeyboard('No summary');
    await chat.frame.locator('.item.revealed').waitFor();
    await chat.ask('another way to go on');
    await chat.idle();
    const rows = tree.locator('[role="treeitem"]');
    await tree.locator('[role="treeitem"][data-lane="1"]').first().waitFor();
    assert.equal(await tree.locator('[role="treeitem"][data-path]').last().getAttribute('data-current'), '');
    assert.ok((await rows.count()) >= 5);
    await workbench.screenshot('state-tree');
    await focusTree(tree);
    await workbench.pressUntil('/', async () => (await tree.locator('input[type="search"]:focus').count()) > 0);
    await workbench.page.keyboard.type('another');
    await waitFor(async () => ((await rows.count()) === 1 ? true : undefined), {
      what: 'one row that passes',
    });
    await press('Escape');
    await waitFor(async () => ((await rows.count()) >= 5 ? true : undefined), {
      what: 'all rows again',
    });
  });

  it('goes to a row that is clicked, and takes along a summary of the branch that is left', async () => {
    const tree = await workbench.frameWith('[data-hookline="tree"][data-ready="true"]');
    await tree.locator('[role="treeitem"][data-kind="user"]', { hasText: 'read README.md' }).click();
    await waitFor(async () => ((await workbench.quickInput.title()).includes(LEAVING) ? true : undefined), {
      what: 'the question for a summary',
    });
    await workbench.quickInput.chooseByKeyboard('Summarize');
    await tree.locator('[role="treeitem"][data-kind="summary"][data-current]').waitFor();
    await chat.says('Summary of the branch you left');
    await waitFor(async () => ((await chat.composer.inputValue()) === 'read README.md' ? true : undefined), {
      what: 'the words of the message that was clicked',
    });
    const summary = tree.locator('[role="treeitem"][data-kind="summary"] .tree-text');
    assert.doesNotMatch((await summary.textContent()) ?? '#', /[#`]|\*\*/);
    await workbench.screenshot('sessions-tree-summary');
    await chat.composer.fill('');
  });

  it('labels a message from its menu in the chat', async () => {
    const message = chat.frame.locator('[data-kind="user"]', { hasText: 'first question' });
    await message.click({ button: 'right' });
    const entry = workbench.page.locator('.monaco-menu .action-item', { hasText: 'Label Message…' });
    await entry.waitFor();
    await workbench.screenshot('sessions-label-menu');
    await entry.click();
    await waitFor(async () => ((await workbench.quickInput.value()) === 'begin here' ? true : undefined), {
      what: 'the label that it bears',
    });
    await workbench.quickInput.type('from the menu');
    await workbench.quickInput.accept();
    const tree = await workbench.frameWith('[data-hookline="tree"][data-ready="true"]');
    await tree.locator('.tree-label', { hasText: 'from the menu' }).waitFor();
  });

  it('exports to a file that a browser shows without running anything', async () => {
    await workbench.runCommand('Hookline: Export Session…');
    await rowsWith('HTML, all branches');
    await workbench.screenshot('sessions-export-format');
    await workbench.quickInput.chooseByKeyboard('HTML, all branches');
    const target = join(workbench.workspace, 'talk.html');
    await waitFor(async () => ((await workbench.quickInput.value()).endsWith('.html') ? true : undefined), {
      what: 'the question where to',
    });
    await workbench.quickInput.type(target);
    await workbench.quickInput.accept();
    await waitFor(() => (existsSync(target) ? true : undefined), {
      what: 'the file',
    });
    assert.match(readFileSync(target, 'utf8'), /another way to go on/);
    const page = await workbench.page.context().newPage();
    const complaints: string[] = [];
    page.on('console', message => complaints.push(message.text()));
    await page.goto(pathToFileURL(target).href);
    await page.getByText('first question').first().waitFor();
    await page.getByText('from the menu').waitFor();
    assert.deepEqual(complaints, []);
    await page.screenshot({
      path: join(ARTIFACTS, 'sessions-exported.png'),
    });
    await page.close();
  });
});

/** The pick fades in. */
async function settled({ page }: Workbench): Promise<void> {
  await page.waitForFunction("getComputedStyle(document.querySelector('.quick-input-widget')).opacity === '1'");
}

async function focusTree(tree: Frame): Promise<void> {
  await tree.locator('[role="tree"]').focus();
}
