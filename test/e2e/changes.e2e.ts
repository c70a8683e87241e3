import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { Chat } from './support/chat';
import { assertAccessible, useTheme, widen } from './support/look';
import { answerQuestion, openCard } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const CHANGER = `export default pi => {
  pi.on('tool_call', e => {
    if (e.toolName === 'bash' && e.input.command.includes('shout')) e.input.command = e.input.command.replace('shout', 'whisper');
  });
};
`;

const LIST = `export const list = [\n  "first",\n${'  "between",\n'.repeat(12)}  "last",\n];\n`;

describe('changed files', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({
      files: {
        'src/greet.ts': 'export const greeting = "hello";\nexport const name = "world";\n',
        'notes.md': '# Notes\n',
        'notes.txt': 'one\n',
        'gone.txt': 'gone\n',
        'src/old-name.md': '# A name\n',
        'src/list.ts': LIST,
        '.pi/hooks/zz-changer.ts': CHANGER,
      },
    });
    const git = (...args: string[]): void => {
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: workbench.workspace,
        stdio: 'ignore',
      });
    };
    git('init');
    git('add', '-A');
    git('commit', '-m', 'first');
    chat = await Chat.open(workbench);
  });
  after(() => workbench.close());

  describe('the files the agent touched', () => {
    const text = (name: string): string => readFileSync(join(workbench.workspace, name), 'utf8');
    const list = (): Locator => chat.frame.locator('[data-hookline="changes"]');
    const row = (name: string): Locator => chat.frame.locator('.changes-list li', { hasText: name });
    const is = (name: string, wanted: string): Promise<true> =>
      waitFor(() => Promise.resolve(text(name) === wanted ? true : undefined), { what: `${name} to say ${wanted}` });

    it('are listed with their difference, commands included', async () => {
      await chat.ask('edit src/greet.ts: replace "hello" with "good day"');
      await chat.tool('edit', 'done');
      await chat.idle();
      await chat.ask("run `printf 'by a command\\n' > made.txt; echo more >> notes.md`");
      await chat.tool('bash', 'done');
      await chat.idle();
      await list().filter({ hasText: '3 files changed' }).waitFor();
      await list().focus();
      await workbench.page.keyboard.press('Enter');
      await row('src/greet.ts').getByRole('button', { name: 'Show the changes of src/greet.ts' }).focus();
      await workbench.page.keyboard.press('Enter');
      await row('src/greet.ts').locator('.diff-added', { hasText: 'good day' }).waitFor();
      await workbench.page.keyboard.press('ArrowUp');
      assert.match((await chat.frame.locator(':focus').getAttribute('aria-label')) ?? '', /Show the changes of/);
      await workbench.screenshot('changes-list');
    });

    it('open in VS Code’s own diff editor against the text before', async () => {
      await row('notes.md')
        .getByRole('button', { name: /notes\.md, changed: open the diff/ })
        .click();
      const editor = workbench.page.locator('.monaco-diff-editor');
      await editor.waitFor();
      await editor.locator('.editor.modified .view-line', { hasText: 'more' }).first().waitFor();
      await workbench.screenshot('changes-diff-editor');
    });

    it('come from the palette as well, and one goes back by its button', async () => {
      await workbench.runCommand('Hookline: Show Changed Files…');
      assert.match((await workbench.quickInput.items()).join('\n'), /src\/greet\.ts/);
      await workbench.screenshot('changes-pick');
      await workbench.page.keyboard.press('Escape');
      await row('made.txt').getByRole('button', { name: 'Revert made.txt' }).click();
      await waitFor(() => Promise.resolve(existsSync(join(workbench.workspace, 'made.txt')) ? undefined : true), {
        what: 'made.txt to be gone',
      });
      await row('made.txt').and(chat.frame.locator('[data-change="back"]')).waitFor();
      await chat.says(/Reverted made\.txt/);
      await chat.frame.getByRole('button', { name: /Undo revert of made\.txt/ }).click();
      await waitFor(() => Promise.resolve(existsSync(join(workbench.workspace, 'made.txt')) ? true : undefined), {
        what: 'made.txt to be back',
      });
    });

    it('survive a reload and go back to before a message, by keyboard', async () => {
      await workbench.reload();
      chat = await Chat.open(workbench);
      await list().filter({ hasText: '3 files changed' }).waitFor();
      await workbench.runCommand('Hookline: Revert Files to Before Message…');
      await workbench.quickInput.opened({ withItems: true });
      await workbench.screenshot('changes-turns');
      await workbench.page.keyboard.press('ArrowDown');
      await workbench.quickInput.accept();
      const dialog = workbench.page.locator('.monaco-dialog-box');
      await dialog.waitFor();
      assert.match(await dialog.innerText(), /Revert 3 files to their state before this message/);
      await workbench.screenshot('changes-confirm');
      await dialog.getByRole('button', { name: 'Revert' }).press('Enter');
      await is('src/greet.ts', 'export const greeting = "hello";\nexport const name = "world";\n');
      await is('notes.md', '# Notes\n');
      assert.equal(existsSync(join(workbench.workspace, 'made.txt')), false);
      const status = execFileSync('git', ['--no-optional-locks', 'status', '--porcelain'], {
        cwd: workbench.workspace,
      });
      assert.doesNotMatch(status.toString(), /greet|notes|made/);
      await workbench.screenshot('changes-reverted');
    });

    it('show on the card what a hook changed, before and after', async () => {
      await chat.ask('run `echo shout`');
      await chat.idle(); // The card of the turn before stands there, too.
      const card = await chat.tool('bash', 'done');
      await chat.openCard(card);
      await card.locator('.verdict-change .diff-removed', { hasText: 'shout' }).waitFor();
      await card.locator('.verdict-change .diff-added', { hasText: 'whisper' }).waitFor();
      await workbench.screenshot('why-chain');
      await card.getByRole('button', { name: 'Arguments' }).press('Enter');
      await card.getByText('Original arguments from the model').waitFor();
      await workbench.screenshot('why-arguments');
      await card.getByRole('button', { name: /zz-changer\.ts:2 \(open/ }).press('Enter');
      await workbench.page.locator('.tab.active', { hasText: 'zz-changer.ts' }).waitFor();
      // The editor gets the focus after its tab, and a menu of the chat closes then.
      await workbench.page.locator('.part.editor .monaco-editor.focused').waitFor();
    });

    it('can be asked for once more by the person', async () => {
      const card = await chat.tool('bash', 'done');
      await chat.act(card, 'Run Again');
      await chat.frame
        .locator('[data-tool="bash"]', { hasText: 'run by you' })
        .and(chat.frame.locator('[data-state="done"]'))
        .waitFor();
      await chat.idle();
      await workbench.screenshot('run-again');
    });

    it('are left alone after a denial with a message, written by keyboard with the pick gone', async () => {
      await chat.ask('run `rm -rf src`');
      await workbench.quickInput.opened({ withItems: true });
      await openCard(chat).getByRole('button', { name: 'Deny with message…' }).press('Enter');
      await workbench.page.keyboard.type('Keep src, remove build instead');
      await workbench.screenshot('deny-with-message');
      await workbench.page.keyboard.press('Enter');
      await workbench.quickInput.closed();
      const card = await chat.tool('bash', 'blocked');
      assert.match(await card.innerText(), /Keep src, remove build instead/);
      await chat.idle();
      assert.ok(existsSync(join(workbench.workspace, 'src/greet.ts')));
      await workbench.screenshot('denied');
    });

    it('wait for a decision where it is seen although the panel is hidden, and take it by keyboard', async () => {
      await chat.ask('run `rm -rf src`');
      await workbench.quickInput.opened({ withItems: true });
      await workbench.runCommand('View: Toggle Secondary Side Bar Visibility');
      await waitFor(
        async () =>
          (await workbench.notifications()).join(' ').includes('is waiting for your decision') ? true : undefined,
        { what: 'the notification' },
      );
      assert.match((await workbench.statusBar()).join(' '), /Waiting for your answer/);
      await workbench.screenshot('gate-hidden-panel');
      await answerQuestion(workbench, 'Deny with message…');
      await waitFor(async () => ((await workbench.quickInput.placeholder()).startsWith('Why not') ? true : undefined), {
        what: 'the box for the message',
      });
      await workbench.quickInput.type('Not even from elsewhere');
      await workbench.screenshot('deny-in-pick');
      await workbench.quickInput.accept();
      await waitFor(
        async () =>
          (await workbench.notifications()).join(' ').includes('is waiting for your decision') ? undefined : true,
        { what: 'the notification to go with the question' },
      );
      chat = await Chat.open(workbench);
      assert.match(await (await chat.tool('bash', 'blocked')).innerText(), /Not even from elsewhere/);
      await chat.idle();
      assert.ok(existsSync(join(workbench.workspace, 'src/greet.ts')));
    });

    it('get code of an answer as a diff that is accepted or rejected', async () => {
      await chat.ask("run `sed 's/hello/good day/' src/greet.ts`");
      await chat.tool('bash', 'done');
      await chat.idle();
      await workbench.runCommand('View: Close All Editors');
      await chat.frame.getByRole('button', { name: 'Apply to File…' }).last().press('Enter');
      await workbench.quickInput.type('src/greet.ts');
      await workbench.quickInput.accept();
      await workbench.page
        .locator('.monaco-diff-editor .editor.modified .view-line', { hasText: 'good day' })
        .first()
        .waitFor();
      await workbench.screenshot('apply-diff');
      await workbench.runCommand('Hookline: Approve Diff');
      await is('src/greet.ts', 'export const greeting = "good day";\nexport const name = "world";\n');
    });
  });

  describe('review of everything', () => {
    before(async () => {
      await chat.startAnew();
      await workbench.runCommand('View: Close All Editors');
      await workbench.runCommand('Notifications: Clear All Notifications');
    });

    const text = (name: string): string => readFileSync(join(workbench.workspace, name), 'utf8');
    const row = (name: string): Locator => chat.frame.locator(`.changes-list li[data-path$="/${name}"]`);
    const list = (): Locator => chat.frame.locator('[data-hookline="changes"]');
    const act = (name: string): Promise<void> => chat.frame.getByRole('button', { name, exact: true }).press('Enter');
    const review = (): Locator => workbench.page.locator('.multiDiffEntry');
    const reviewed = (count: number): Promise<true> =>
      waitFor(async () => ((await review().count()) === count ? true : undefined), {
        what: `${count} files to review`,
      });

    it('opens all changed files in VS Code’s own editor of several diffs, by keyboard', async () => {
      await chat.ask('edit src/list.ts: replace "first" with "FIRST"');
      await chat.tool('edit', 'done');
      await chat.idle();
      await chat.ask('edit src/list.ts: replace "last" with "LAST"');
      await chat.tool('edit', 'done', 1);
      await chat.idle();
      await chat.ask("run `mv src/old-name.md src/new-name.md; rm gone.txt; printf 'a\\0b' > made.bin`");
      await chat.tool('bash', 'done');
      await chat.idle();
      chat = await useTheme(workbench, 'Light Modern');
      await widen(workbench, 292);
      await list().filter({ hasText: '5 files changed' }).waitFor();
      await list().press('Enter');
      await act('Review All Changes');
      await reviewed(4);
      await workbench.screenshot('review-all-292');
      await assertAccessible(chat);
    });

    it('reverts a hunk by VS Code’s own arrow, while the file is saved with its diff open', async () => {
      await workbench.runCommand('View: Keep Editor');
      await row('list.ts').locator('.changes-name').press('Enter');
      const editor = workbench.page.locator('.monaco-diff-editor:visible');
      await editor.locator('.modified .view-line', { hasText: 'LAST' }).first().waitFor();
      await editor.locator('[aria-label^="Revert"], .arrow-revert-change').first().click();
      assert.equal(text('src/list.ts').includes('"FIRST"'), true, 'it is not saved yet');
      await workbench.runCommand('File: Save');
      const wanted = LIST.replace('last', 'LAST');
      await waitFor(() => Promise.resolve(text('src/list.ts') === wanted || undefined), {
        what: 'the hunk to be gone',
      });
      await row('list.ts')
        .locator('.changes-row > .counts')
        .filter({ hasText: /^\s*\+1\s*−1\s*$/ })
        .waitFor({ state: 'attached' });
      await workbench.screenshot('review-arrow');
    });

    it('keeps the file of an approved diff, with what is not saved yet, in list and cards', async () => {
      // Not a removed line, which VS Code draws among the others.
      const lines = workbench.page.locator('.monaco-diff-editor:visible .modified .view-lines:not(.line-delete) > *');
      await lines.filter({ hasText: 'LAST' }).click();
      await workbench.page.keyboard.press('Control+Home');
      await workbench.page.keyboard.type('// mine');
      await workbench.page.keyboard.press('Enter');
      await workbench.runCommand('Hookline: Approve Diff');
      await row('list.ts').locator('.changes-kept').waitFor();
      await waitFor(() => Promise.resolve(text('src/list.ts').startsWith('// mine\n') || undefined), {
        what: 'the save',
      });
      await list().filter({ hasText: '4 of 5 files to review' }).waitFor();
      for (const index of [0, 1]) await (await chat.tool('edit', 'done', index)).getByText('kept').waitFor();
      assert.equal(await (await chat.tool('bash', 'done')).getByText('kept').count(), 0);
      // The review behind the closed diff still has the earlier texts.
      await review().filter({ hasText: 'gone.txt' }).locator('.view-line', { hasText: 'gone' }).first().waitFor();
      await workbench.screenshot('review-kept-292');
    });

    it('shows no longer what is kept, until the agent changes it again, after a reload too', async () => {
      await act('Keep made.bin');
      await row('made.bin').locator('.changes-kept').waitFor();
      await workbench.runCommand('Hookline: Show Changed Files…');
      const offered = await workbench.quickInput.items();
      assert.match(offered.find(item => item.includes('made.bin')) ?? '', /created, kept/);
      assert.doesNotMatch(offered.find(item => item.includes('gone.txt')) ?? 'kept', /kept/);
      await workbench.screenshot('changes-pick-kept');
      await workbench.page.keyboard.press('Escape');
      await workbench.runCommand('View: Close All Editors');
      await workbench.reload();
      chat = await Chat.open(workbench);
      await list().filter({ hasText: '3 of 5 files to review' }).waitFor();
      await workbench.runCommand('Hookline: Review All Changes');
      await reviewed(2);
      await chat.ask('edit src/list.ts: replace "mine" with "ours"');
      await chat.tool('edit', 'done', 2);
      await chat.idle();
      await list().filter({ hasText: '4 of 5 files to review' }).waitFor();
      await list().press('Enter');
      await act('Keep All');
      await list().filter({ hasText: 'All changes are kept' }).waitFor();
      await act('Revert gone.txt');
      await waitFor(() => Promise.resolve(existsSync(join(workbench.workspace, 'gone.txt')) || undefined), {
        what: 'gone.txt to be back',
      });
      await row('gone.txt').and(chat.frame.locator('[data-change="back"]')).waitFor();
      chat = await useTheme(workbench, 'Dark High Contrast');
      await widen(workbench, 560);
      await row('list.ts').getByRole('button', { name: 'Show the changes of src/list.ts' }).press('Enter');
      await row('list.ts').locator('.diff-added', { hasText: 'ours' }).waitFor();
      await workbench.screenshot('changes-560-hc-dark');
      await assertAccessible(chat);
    });
  });

  describe('versions of a message in VS Code', () => {
    before(() => chat.startAnew());

    const notes = (): string => readFileSync(join(workbench.workspace, 'notes.txt'), 'utf8');
    it('come with an edit that restores files, by keyboard at 300 px', async () => {
      await chat.ask('edit notes.txt: replace "one" with "two"');
      await chat.tool('edit', 'done');
      await chat.idle();
      assert.equal(notes(), 'two\n');
      chat = await useTheme(workbench, 'Light High Contrast');
      await widen(workbench, 300);
      await chat.composer.press('F2');
      const wish = chat.frame.getByRole('checkbox', { name: 'Restore 1 file too' });
      await wish.press('Space');
      await workbench.screenshot('versions-restore-300-hc-light');
      await assertAccessible(chat);
      await chat.composer.fill('edit notes.txt: replace "one" with "three"');
      await chat.composer.press('Enter');
      await waitFor(() => Promise.resolve(notes() === 'three\n' ? true : undefined), { what: 'the other edit' });
      await chat.idle();
    });

    it('lead to what became of each', async () => {
      const version = (text: string): Promise<void> =>
        chat.frame.locator('.versions', { hasText: text }).first().waitFor();
      await version('2/2');
      await chat.frame.getByRole('button', { name: 'Previous version' }).press('Enter');
      await version('1/2');
      await chat.says('replace "one" with "two"');
      chat = await useTheme(workbench, 'Dark Modern');
      await widen(workbench, 560);
      await workbench.screenshot('versions-560-dark');
      await assertAccessible(chat);
      await chat.frame.getByRole('button', { name: 'Next version' }).press('Enter');
      await chat.says('replace "one" with "three"');
    });
  });
});
