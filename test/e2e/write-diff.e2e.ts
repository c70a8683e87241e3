import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { Chat } from './support/chat';
import { useTheme, widen } from './support/look';
import { answerOnCard, openCard, openQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const SETTINGS = {
  'hookline.approvals.defaultMode': 'ask',
  'workbench.colorTheme': 'Dark Modern',
  'diffEditor.useInlineViewWhenSpaceIsLimited': false,
};

/** Notes each text of a write that it sees, and blocks some. */
const HOOK = `import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
export default pi => pi.on('tool_call', (event, ctx) => {
  const { content } = event.input;
  if (event.toolName !== 'write') return;
  appendFileSync(join(ctx.cwd, 'seen.log'), JSON.stringify(content) + '\\n');
  if (content.includes('forbidden')) return { block: true, reason: 'This word is forbidden.' };
});
`;

describe('the diff of a write that waits for an answer', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'write diff ü',
      settings: SETTINGS,
      files: { '.pi/hooks/notes.ts': HOOK, 'notes.txt': 'notes\n', 'crlf.txt': 'one\r\ntwo\r\n' },
    });
    chat = await Chat.open(workbench);
  });

  after(() => workbench.close());

  const path = (name: string): string => join(workbench.workspace, name);
  const text = (name = 'notes.txt'): string => readFileSync(path(name), 'utf8');
  const seen = (): readonly string[] =>
    existsSync(path('seen.log')) ? readFileSync(path('seen.log'), 'utf8').trim().split('\n') : [];
  const tab = (name = 'notes.txt'): Locator =>
    workbench.page.locator('.tab', { hasText: `${name} (current ↔ proposed)` });
  const side = (which: 'original' | 'modified'): Locator =>
    workbench.page.locator(`.monaco-diff-editor .editor.${which} .lines-content > .view-lines:not([monaco-view-zone])`);
  const shows = (which: 'original' | 'modified', wanted: string): Promise<void> =>
    side(which).getByText(wanted).first().waitFor();
  const title = (action: string): Locator =>
    workbench.page.locator(`.editor-actions [aria-label^="${action}"]`).first();
  const isClosed = (name?: string): Promise<void> => tab(name).waitFor({ state: 'detached' });

  /** Opens the diff from the pick, and puts the cursor to the end of its right side. */
  async function openDiff(): Promise<void> {
    await openQuestion(workbench);
    await workbench.page
      .locator('.quick-input-list .monaco-list-row', { hasText: 'Show the change in an editor' })
      .click();
    await tab().waitFor();
    await workbench.quickInput.closed();
  }

  async function typeAtEnd(typed: string): Promise<void> {
    await side('modified').click();
    await workbench.page.keyboard.press('Control+End');
    await workbench.page.keyboard.type(typed);
  }

  it('takes another text of the user: hooks see it, it is written, and the card says who changed it', async () => {
    await chat.ask('write notes.txt: other notes');
    await openDiff();
    await shows('original', 'notes');
    await shows('modified', 'other notes');
    await widen(workbench, 292);
    await workbench.screenshot('write-diff-292-dark');
    await typeAtEnd(' of mine\nand more\n');
    await shows('modified', 'and more');
    await workbench.screenshot('write-diff-edited-292-dark');
    // Enter and what is typed allow nothing.
    assert.ok(await openCard(chat).isVisible());
    assert.equal(text(), 'notes\n');
    await title('Approve Diff').click();
    const card = await chat.tool('write', 'done');
    await chat.idle();
    assert.equal(text(), 'other notes of mine\nand more\n');
    assert.deepEqual(seen(), ['"other notes"', '"other notes of mine\\nand more\\n"']);
    await isClosed();
    await card.getByText('changed by you').first().waitFor();
    await chat.frame.getByText('Allowed once, changed by you').waitFor();
    await chat.openCard(card);
    await card.getByText('You changed it, and allowed it once.').waitFor();
    await workbench.screenshot('write-diff-changed-by-you-292-dark');
  });

  it('leaves the file unchanged when it is rejected by keyboard', async () => {
    await chat.ask('write notes.txt: rejected');
    await openCard(chat).waitFor();
    await workbench.runCommand('Hookline: Show Diff of Waiting Question');
    await shows('modified', 'rejected');
    await side('modified').click();
    await workbench.runCommand('Hookline: Reject Diff');
    await chat.tool('write', 'blocked');
    await chat.idle();
    await isClosed();
    assert.equal(text(), 'other notes of mine\nand more\n');
  });

  it('does not write a text that a hook blocks', async () => {
    await chat.ask('write notes.txt: good');
    await openDiff();
    await shows('modified', 'good');
    await typeAtEnd(' forbidden');
    await shows('modified', 'good forbidden');
    await title('Approve Diff').click();
    const card = await chat.tool('write', 'blocked', 2);
    await card.getByText('This word is forbidden.').first().waitFor();
    await chat.idle();
    assert.equal(text(), 'other notes of mine\nand more\n');
    assert.equal(seen().at(-1), '"good forbidden"');
  });

  it('stays unanswered when its tab is closed, and closes when the card is answered', async () => {
    await chat.ask('write new.txt: first text');
    await openCard(chat).waitFor();
    await workbench.runCommand('Hookline: Show Diff of Waiting Question');
    await tab('new.txt').waitFor();
    await shows('modified', 'first text');
    await workbench.runCommand('View: Close Editor');
    await isClosed('new.txt');
    assert.ok(await openCard(chat).isVisible());
    assert.ok(!existsSync(path('new.txt')));
    await workbench.runCommand('Hookline: Show Diff of Waiting Question');
    await tab('new.txt').waitFor();
    await answerOnCard(chat, 'Deny');
    await isClosed('new.txt');
    await chat.idle();
    assert.ok(!existsSync(path('new.txt')));
  });

  it('follows the disk, and writes over nothing that the user has not seen', async () => {
    await chat.ask('edit crlf.txt: replace two with three');
    await openCard(chat).waitFor();
    await workbench.runCommand('Hookline: Show Diff of Waiting Question');
    await shows('modified', 'three');
    await typeAtEnd('four');
    await shows('modified', 'four');
    writeFileSync(path('crlf.txt'), 'zero\r\none\r\ntwo\r\n');
    await shows('original', 'zero');
    await title('Approve Diff').click();
    await waitFor(
      async () =>
        (await workbench.notifications()).some(line => line.includes('crlf.txt was changed')) ? true : undefined,
      { what: 'a warning' },
    );
    assert.equal(text('crlf.txt'), 'zero\r\none\r\ntwo\r\n');
    assert.ok(await openCard(chat).isVisible());
    await title('Approve Diff').click();
    await chat.tool('edit', 'done');
    await chat.idle();
    // The user saw that the new line is not in their text.
    assert.equal(text('crlf.txt'), 'one\r\nthree\r\nfour');
  });

  it('opens by itself if the setting says so, without taking the focus', async () => {
    const file = join(workbench.place.serverDataDir, 'data', 'User', 'settings.json');
    const settings = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ ...settings, 'hookline.approvals.openDiff': true }));
    chat = await useTheme(workbench, 'Light Modern');
    await widen(workbench, 560);
    await chat.ask('write notes.txt: by itself');
    await tab().waitFor();
    await shows('modified', 'by itself');
    assert.equal(await workbench.page.locator('.monaco-diff-editor.focused, .monaco-diff-editor .focused').count(), 0);
    await workbench.screenshot('write-diff-560-light');
    await answerOnCard(chat, 'Allow once');
    await isClosed();
    await chat.idle();
    assert.equal(text(), 'by itself');
  });
});
