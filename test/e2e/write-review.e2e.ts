import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { assertAccessible, useTheme, widen } from './support/look';
import { answerOnCard, openCard } from './support/questions';
import { scriptedHome } from './support/scripted-home';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const SETTINGS = {
  'hookline.approvals.defaultMode': 'ask',
  'files.autoSave': 'off',
  'workbench.colorTheme': 'Dark Modern',
  'diffEditor.useInlineViewWhenSpaceIsLimited': false,
};

/** Asks itself about files whose name begins with "asked", and names the file, so that the built-in gate need not ask. */
const HOOK = `export default pi => pi.on('tool_call', async (event, ctx) => {
  const path = String(event.input.path ?? '');
  if (!path.startsWith('asked')) return;
  const choice = await ctx.ui.select('May the agent change ' + path + '?', ['Keep it', 'Change ' + path]);
  if (choice !== 'Change ' + path) return { block: true, reason: 'It stays.' };
});
`;

interface ScriptedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}
const write = (path: string, content: string): ScriptedCall => ({ name: 'write', arguments: { path, content } });
const edit = (path: string, oldText: string, newText: string): ScriptedCall => ({
  name: 'edit',
  arguments: { path, edits: [{ oldText, newText }] },
});

describe('the review of a write from its question card', () => {
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'write review ü',
      settings: SETTINGS,
      homeFiles: scriptedHome(llm),
      files: {
        '.pi/hooks/asks.ts': HOOK,
        'notes.txt': 'notes\n',
        'asked.txt': 'one\ntwo\n',
        'gone.txt': 'one\ntwo\n',
        'moved.txt': 'one\ntwo\n',
        'picture.bin': 'a\0b',
        'src/list.ts': 'export const list = 1;\n',
      },
    });
    chat = await Chat.open(workbench);
    await widen(workbench, 292);
  });

  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  const path = (name: string): string => join(workbench.workspace, name);
  const text = (name: string): string => readFileSync(path(name), 'utf8');
  const tab = (name: string): Locator => workbench.page.locator('.tab', { hasText: `${name} (current ↔ proposed)` });
  const side = (which: 'original' | 'modified'): Locator =>
    workbench.page.locator(`.monaco-diff-editor .editor.${which} .lines-content > .view-lines:not([monaco-view-zone])`);
  const shows = (which: 'original' | 'modified', wanted: string): Promise<void> =>
    side(which).getByText(wanted).first().waitFor();
  const title = (action: string): Locator => workbench.page.locator(`.editor-actions [aria-label^="${action}"]`);
  const isClosed = (name: string): Promise<void> => tab(name).waitFor({ state: 'detached' });
  const button = (): Locator => openCard(chat).getByRole('button', { name: 'Open the Diff in an Editor' });
  const warning = (words: string): Promise<true> =>
    waitFor(async () => (await workbench.notifications()).some(line => line.includes(words)) || undefined, {
      what: words,
    });
  const tools = (...toolCalls: ScriptedCall[]): void =>
    llm.reply({ toolCalls }, { text: 'I have seen what became of it.' });

  async function typeAtEnd(typed: string): Promise<void> {
    await side('modified').click();
    await workbench.page.keyboard.press('Control+End');
    await workbench.page.keyboard.type(typed);
  }

  it('opens the diff by keyboard, and closes it when the card is answered', async () => {
    tools(write('notes.txt', 'other notes\n'));
    await chat.send('go');
    await button().waitFor();
    await workbench.screenshot('write-review-card-292-dark');
    await assertAccessible(chat);
    await button().press('Enter');
    await tab('notes.txt').waitFor();
    await shows('original', 'notes');
    await shows('modified', 'other notes');
    assert.equal(await title('Approve Diff').count(), 1);
    await workbench.screenshot('write-review-292-dark');
    assert.equal(text('notes.txt'), 'notes\n');
    await answerOnCard(chat, 'Deny');
    await isClosed('notes.txt');
    await chat.idle();
    assert.equal(text('notes.txt'), 'notes\n');
  });

  it('compares a new file with nothing', async () => {
    tools(write('new.txt', 'the first text\n'));
    await chat.send('go');
    await button().click();
    await shows('modified', 'the first text');
    assert.equal((await side('original').innerText()).trim(), '');
    assert.ok(!existsSync(path('new.txt')));
    await title('Approve Diff').click();
    await isClosed('new.txt');
    await chat.idle();
    assert.equal(text('new.txt'), 'the first text\n');
  });

  it('shows each of two questions about one file with the file as it is then', async () => {
    tools(write('notes.txt', 'first\n'), write('notes.txt', 'second\n'));
    await chat.send('go');
    await button().click();
    await shows('original', 'notes');
    await shows('modified', 'first');
    await title('Approve Diff').click();
    await isClosed('notes.txt');
    await button().click();
    await shows('modified', 'second');
    await shows('original', 'first');
    await title('Approve Diff').click();
    await isClosed('notes.txt');
    await chat.idle();
    assert.equal(text('notes.txt'), 'second\n');
  });

  for (const [what, name, act] of [
    ['deleted', 'gone.txt', () => rmSync(path('gone.txt'))],
    ['renamed', 'moved.txt', () => renameSync(path('moved.txt'), path('elsewhere.txt'))],
  ] as const) {
    it(`writes nothing if the file is ${what} while its diff is open`, async () => {
      tools(edit(name, 'two', 'three'));
      await chat.send('go');
      await button().click();
      await shows('modified', 'three');
      act();
      await waitFor(async () => (await side('original').innerText()).trim() === '' || undefined, {
        what: 'the left side to be empty',
      });
      await title('Approve Diff').click();
      await warning(`This change no longer fits ${name}`);
      assert.ok(!existsSync(path(name)));
      assert.ok(await openCard(chat).isVisible());
      await workbench.runCommand('Notifications: Clear All Notifications');
      await answerOnCard(chat, 'Deny');
      await isClosed(name);
      await chat.idle();
      assert.ok(!existsSync(path(name)));
    });
  }

  it('is not offered for a file that is no text', async () => {
    tools(write('picture.bin', 'text\n'));
    await chat.send('go');
    await openCard(chat).waitFor();
    await openCard(chat).locator('.gate-diff-button').waitFor({ state: 'detached' });
    assert.equal(await button().count(), 0);
    await answerOnCard(chat, 'Deny');
    await chat.idle();
    assert.equal(text('picture.bin'), 'a\0b');
  });

  it('shows a write about which a hook asks, to read only, until the hook has its answer', async () => {
    tools(edit('asked.txt', 'two', 'three'));
    await chat.send('go');
    await button().waitFor();
    await workbench.screenshot('write-review-hook-card-292-dark');
    await assertAccessible(chat);
    await button().press('Enter');
    await tab('asked.txt').waitFor();
    await shows('original', 'two');
    await shows('modified', 'three');
    await typeAtEnd('typed');
    assert.ok(!(await side('modified').innerText()).includes('typed'));
    for (const action of ['Approve Diff', 'Reject Diff']) assert.equal(await title(action).count(), 0, action);
    await workbench.page.getByText('You can only look at this text.').first().waitFor();
    await workbench.screenshot('write-review-hook-292-dark');
    writeFileSync(path('asked.txt'), 'zero\none\ntwo\n');
    await shows('original', 'zero');
    await shows('modified', 'zero');
    assert.ok(await openCard(chat).isVisible());
    await answerOnCard(chat, 'Change asked.txt');
    await isClosed('asked.txt');
    await chat.idle();
    assert.equal(text('asked.txt'), 'zero\none\nthree\n');
  });

  it('closes the diff, with Approve in its title, when the run is stopped', async () => {
    llm.reply({ toolCalls: [write('notes.txt', 'stopped\n')] });
    await chat.send('go');
    await button().click();
    await shows('modified', 'stopped');
    await workbench.runCommand('Hookline: Stop');
    await isClosed('notes.txt');
    assert.equal(await title('Approve Diff').count(), 0);
    assert.equal(text('notes.txt'), 'second\n');
  });

  it('closes tabs without their texts after the window is loaded again, and keeps what is not saved', async () => {
    await workbench.runCommand('View: Close All Editors');
    tools(edit('src/list.ts', '= 1', '= 2'));
    await chat.send('go');
    await answerOnCard(chat, 'Allow once');
    await chat.idle();
    await chat.frame.locator('[data-hookline="changes"]').press('Enter');
    await chat.frame.getByRole('button', { name: /list\.ts.*open the diff/ }).click();
    await shows('original', '= 1');
    await typeAtEnd('// unsaved');
    await shows('modified', '// unsaved');
    await workbench.runCommand('Hookline: Review All Changes');
    await workbench.page.locator('.multiDiffEntry').first().waitFor();
    llm.reply({ toolCalls: [write('notes.txt', 'half\n')] });
    await chat.send('go');
    await button().click();
    await shows('modified', 'half');
    await typeAtEnd(' a thought');
    await shows('modified', 'half a thought');
    await workbench.screenshot('write-review-before-reload');
    await workbench.reload();
    await workbench.screenshot('write-review-at-reload');
    chat = await Chat.open(workbench);
    chat = await useTheme(workbench, 'Light Modern');
    const tabs = (words: string): Locator => workbench.page.locator('.tab', { hasText: words });
    await tabs('list.ts').waitFor();
    for (const words of ['All Changes of This Session', '↔']) await tabs(words).waitFor({ state: 'detached' });
    await workbench.page.locator('.monaco-editor .view-line', { hasText: 'unsaved' }).first().waitFor();
    await workbench.page.locator('.tab.dirty').waitFor();
    await workbench.screenshot('write-review-after-reload');
    assert.equal(await workbench.page.locator('.monaco-dialog-box').count(), 0);
    assert.equal(text('notes.txt'), 'second\n');
    assert.equal(text('src/list.ts'), 'export const list = 2;\n');
  });
});
