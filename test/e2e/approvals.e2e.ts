import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../scripts/support/paths.ts';
import { Chat } from './support/chat';
import { useTheme, widen } from './support/look';
import { answerOnCard, answerQuestion, openCard, openQuestion, openWaysToAllow } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** As a person meets it who has set nothing. */
const SETTINGS = { 'hookline.approvals.defaultMode': 'ask', 'workbench.colorTheme': 'Light Modern' };

describe('the built-in gate', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'approvals ü',
      settings: SETTINGS,
      files: { 'build/out.txt': 'made', 'notes.txt': 'notes\n' },
    });
    chat = await Chat.open(workbench);
  });

  after(() => workbench.close());

  const inMode = (wanted: string): Promise<true> =>
    waitFor(async () => ((await chat.approvalMode()) === wanted ? true : undefined), { what: `mode ${wanted}` });

  it('shows the command once on its card, and has the further ways to allow in a menu', async () => {
    await widen(workbench, 292);
    const command = 'mkdir -p made && rm -rf made';
    await chat.ask(`run \`${command}\``);
    const card = openCard(chat);
    await card.locator('.gate-code', { hasText: command }).waitFor();
    const shown = await chat.frame.locator('[data-kind="tool"], [data-kind="gate"]').allInnerTexts();
    assert.equal(shown.join('\n').split(command).length, 2);
    await openWaysToAllow(chat);
    await chat.frame.getByRole('menuitem', { name: 'Allow always here…' }).waitFor();
    await workbench.screenshot('approvals-ways-292-light');
    await workbench.page.keyboard.press('Escape');
    await chat.frame.getByRole('menu').waitFor({ state: 'detached' });
    assert.ok(await card.isVisible(), 'the question waits');
    await openWaysToAllow(chat);
    await chat.frame.getByRole('menuitem', { name: 'Allow in this session: exactly this command' }).click();
    await chat.tool('bash', 'done');
    await chat.idle();
    await chat.ask(`run \`${command}\``);
    await chat.tool('bash', 'done', 1);
    await chat.idle();
    await chat.startAnew();
  });

  it('asks before a command where there is no hook; in the pick that the user opens, Enter denies', async () => {
    assert.equal(await chat.approvalMode(), 'ask');
    await chat.ask('run `rm -rf build`');
    await openCard(chat).waitFor();
    await widen(workbench, 292);
    await workbench.screenshot('approvals-card-292-light');
    await openQuestion(workbench);
    assert.match(await workbench.quickInput.title(), /Built-in gate asks about bash: rm -rf build/);
    assert.equal((await workbench.quickInput.activeItem())?.trim(), 'Deny');
    await workbench.screenshot('approvals-question-292-light');
    await workbench.quickInput.accept();
    const card = await chat.tool('bash', 'blocked');
    assert.match(await card.innerText(), /^Denied$/m);
    assert.doesNotMatch(await card.innerText(), /Blocked/);
    assert.ok(existsSync(join(workbench.workspace, 'build', 'out.txt')));
    await chat.idle();
  });

  it('shows a rule before it is kept, and goes by it', async () => {
    chat = await useTheme(workbench, 'Dark Modern');
    await widen(workbench, 560);
    await chat.ask('run `rm -rf build`');
    await answerQuestion(workbench, 'Allow always here…');
    await waitFor(
      async () => ((await workbench.quickInput.placeholder()).startsWith('Which rule') ? true : undefined),
      { what: 'the question about the rule' },
    );
    assert.equal((await workbench.quickInput.activeItem())?.trim(), 'Back');
    await workbench.screenshot('approvals-rule-560-dark');
    await workbench.quickInput.chooseByKeyboard('Allow always: exactly this command');
    await chat.tool('bash', 'done');
    await chat.idle();
    const rules = readFileSync(join(workbench.place.home, '.pi', 'agent', 'hookline-approvals.json'), 'utf8');
    assert.match(rules, /"command": "rm -rf build"/);
    await chat.ask('run `rm -rf build`');
    const card = await chat.tool('bash', 'done', 2);
    await chat.idle();
    await chat.openCard(card);
    await card.getByText('Allowed by your rule “bash: rm -rf build”.').waitFor();
    await workbench.screenshot('approvals-why-560-dark');
  });

  it('lists the rules, and removes one', async () => {
    await workbench.runCommand('Hookline: Manage Approval Rules…');
    await workbench.quickInput.opened({ withItems: true });
    const [reading, rule] = await workbench.quickInput.items();
    assert.match(reading ?? '', /Commands that only read…/);
    assert.match(rule ?? '', /bash: rm -rf build/);
    await workbench.screenshot('approvals-rules-dark');
    await workbench.page.locator('.quick-input-list .monaco-list-row').nth(1).hover();
    await workbench.page.locator('.quick-input-list [aria-label="Remove this rule"]').first().click();
    await waitFor(async () => ((await workbench.quickInput.items())[1]?.includes('No rules') ? true : undefined), {
      what: 'an empty list',
    });
    await workbench.page.locator('.quick-input-list .monaco-list-row').first().click();
    await waitFor(async () => ((await workbench.quickInput.items())[0]?.trim() === 'basename' ? true : undefined), {
      what: 'the commands that only read',
    });
    await workbench.screenshot('approvals-reading-dark');
    // The list of rules takes its place at once. To press Escape until none is open would close that, too.
    await workbench.pressUntil('Escape', async () => (await workbench.quickInput.title()) === 'Approval rules');
    await waitFor(async () => ((await workbench.quickInput.items())[1]?.includes('No rules') ? true : undefined), {
      what: 'the list of rules',
    });
    await workbench.quickInput.cancel();
  });

  it('shows what a write changes in a file that is there', async () => {
    await chat.ask('write notes.txt: other notes');
    await openQuestion(workbench);
    assert.equal(await workbench.quickInput.placeholder(), 'Write notes.txt? …');
    await workbench.page
      .locator('.quick-input-list .monaco-list-row', { hasText: 'Show the change in an editor' })
      .click();
    const lines = workbench.page.locator('.monaco-diff-editor .view-line');
    await lines.filter({ hasText: 'other notes' }).first().waitFor();
    // The pick does not cover the change. The question waits, on the card as well.
    await workbench.quickInput.closed();
    await workbench.screenshot('approvals-written-over-dark');
    assert.ok(await openCard(chat).getByRole('button', { name: 'Deny', exact: true }).isVisible());
    await answerOnCard(chat, 'Deny');
    await chat.tool('write', 'blocked');
    await chat.idle();
    assert.equal(readFileSync(join(workbench.workspace, 'notes.txt'), 'utf8'), 'notes\n');
  });

  it('shows what an edit changes, with the lines of the file', async () => {
    await chat.ask('edit notes.txt: replace note with word');
    const question = openCard(chat);
    await question.locator('.diff-removed', { hasText: 'notes' }).waitFor();
    await question.locator('.diff-added', { hasText: 'words' }).waitFor();
    assert.equal(await chat.frame.locator('[data-tool="edit"]').getByText('notes.txt').count(), 0);
    await workbench.screenshot('approvals-edit-dark');
    await question.getByRole('button', { name: 'Deny', exact: true }).click();
    await chat.tool('edit', 'blocked');
    await chat.idle();
    assert.equal(readFileSync(join(workbench.workspace, 'notes.txt'), 'utf8'), 'notes\n');
  });

  /** The message of a denial has no button that cancels the question. */
  const openPromptAgain = (): Promise<void> =>
    workbench.pressUntil('Control+Alt+a', async () => (await workbench.quickInput.title()).includes('asks'));

  /** Types into the input box of a question, opens another pick in its place, and returns to the question. */
  const leaveTyped = async (text: string): Promise<void> => {
    await workbench.quickInput.type(text);
    await workbench.openPalette();
    await openPromptAgain();
    await waitFor(async () => ((await workbench.quickInput.value()) === text ? true : undefined), {
      what: `an input box with "${text}"`,
    });
  };

  it('keeps the message of a denial when another pick takes its place', async () => {
    await chat.ask('write notes.txt: other notes');
    await answerQuestion(workbench, 'Deny with message…');
    await waitFor(async () => ((await workbench.quickInput.placeholder()).startsWith('Why not') ? true : undefined), {
      what: 'the input box for the message',
    });
    await leaveTyped('keep my notes');
    await workbench.quickInput.accept();
    const card = await chat.tool('write', 'blocked');
    await card.getByText('You said: keep my notes').waitFor();
    const told = await card.innerText();
    assert.match(told, /Denied/);
    assert.doesNotMatch(told, /Blocked|The user says/);
    assert.equal(told.split('keep my notes').length, 2, 'the message is there once');
    await widen(workbench, 292);
    await workbench.screenshot('denied-card-292');
    await chat.idle();
  });

  it('takes an answer that is typed out, and none that is only begun', async () => {
    await chat.ask('run `rm -rf build`');
    await openQuestion(workbench);
    for (const begun of ['all', 'allow onc']) {
      await workbench.quickInput.type(begun);
      await waitFor(async () => ((await workbench.quickInput.activeItem()) === undefined ? true : undefined), {
        what: `no active answer for "${begun}"`,
      });
      await workbench.page.keyboard.press('Enter');
    }
    assert.ok(await workbench.quickInput.isQuestion('expected'));
    await workbench.quickInput.type('allow once');
    await waitFor(
      async () => ((await workbench.quickInput.activeItem())?.includes('Allow once') === true ? true : undefined),
      { what: 'the typed answer as the active one' },
    );
    await workbench.quickInput.accept();
    await chat.tool('bash', 'done', 3);
    await chat.idle();
  });

  it('changes the mode by key, and in the composer; Auto says that no hook looked', async () => {
    await chat.composer.click();
    await workbench.pressUntil('Control+Alt+g', async () => (await chat.approvalMode()) === 'auto');
    await widen(workbench, 300);
    await workbench.screenshot('approvals-mode-300-dark');
    await chat.ask('run `echo fine`');
    const card = await chat.tool('bash', 'done', 4);
    await chat.idle();
    await chat.openCard(card);
    await card.getByText('Auto mode: no hook checked this call.').waitFor();
    await chat.chooseMode('Plan');
    await inMode('plan');
    await workbench.reload();
    chat = await Chat.attach(workbench);
    await inMode('plan');
    chat = await useTheme(workbench, 'Light Modern');
    await widen(workbench, 560);
    await workbench.screenshot('approvals-plan-560-light');
  });

  it('ends plan mode by a plan that is approved', async () => {
    await chat.ask('write planned.txt: hello');
    await openQuestion(workbench);
    assert.match(await workbench.quickInput.title(), /asks about present_plan: 1\. write `planned\.txt/);
    assert.equal(await workbench.quickInput.placeholder(), 'Approve this plan?');
    assert.equal(await workbench.quickInput.activeItem(), undefined, 'Enter alone approves no plan');
    await workbench.screenshot('approvals-plan-question-light');
    await workbench.quickInput.chooseByKeyboard('Send it back…');
    await waitFor(
      async () => ((await workbench.quickInput.text()).includes('What should change?') ? true : undefined),
      {
        what: 'the question what should change',
      },
    );
    await leaveTyped('in two steps');
    // A blank text returns to the plan.
    await workbench.quickInput.type('');
    await workbench.quickInput.accept();
    await answerQuestion(workbench, 'Approve, and let only your hooks decide');
    await chat.tool('write', 'done');
    await chat.idle();
    await inMode('auto');
  });

  it('writes in the workspace and runs what only reads without a question in Edits', async () => {
    await chat.chooseMode('Edits');
    await inMode('edits');
    await widen(workbench, 292);
    await workbench.screenshot('approvals-edits-292-light');
    await chat.ask('write edited.txt: hello');
    await chat.tool('write', 'done', 2);
    await chat.idle();
    await chat.ask('run `cat edited.txt`');
    const card = await chat.tool('bash', 'done', 5);
    await chat.idle();
    await chat.openCard(card);
    await card.getByText('This command only reads, so you were not asked.').waitFor();
  });

  it('shows a waiting call in another window; when that window takes over, the question closes and nothing runs', async () => {
    await chat.startAnew();
    await chat.chooseMode('Ask');
    await inMode('ask');
    await chat.ask('run `touch ran-elsewhere`');
    await openCard(chat).waitFor();
    const second = await workbench.openWindow(workbench.workspace);
    try {
      const there = await Chat.open(second);
      const waiting = await there.tool('bash', 'elsewhere');
      await waiting.getByText('Waiting in another window').waitFor();
      await second.page.screenshot({ path: join(ARTIFACTS, 'approvals-elsewhere-light.png') });
      await there.frame.getByRole('button', { name: 'Take Over' }).last().click();
      await there.tool('bash', 'skipped');
      await workbench.page.bringToFront();
      await chat.says(/has taken over this session. What was running here was stopped/);
      await openCard(chat).waitFor({ state: 'detached' });
      await chat.tool('bash', 'stopped');
      await workbench.screenshot('approvals-taken-over-light');
      assert.equal(existsSync(join(workbench.workspace, 'ran-elsewhere')), false);
    } finally {
      await second.page.close();
    }
    await chat.startAnew();
    await chat.chooseMode('Auto');
    await inMode('auto');
    await chat.ask('run `echo fine`');
    await chat.tool('bash', 'done');
    await chat.idle();
  });

  it('stands in the Hooks view, and can be read', async () => {
    await workbench.runCommand('Hookline: Show Hooks…');
    await workbench.quickInput.opened({ withItems: true });
    assert.match((await workbench.quickInput.items()).join('\n'), /Built-in gate/);
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Built-in gate' }).first().click();
    await workbench.page.locator('.tab', { hasText: 'built-in-gate.ts' }).waitFor();
    await workbench.runCommand('Hookline Hooks: Focus on Hooks View');
    const row = (text: string | RegExp): Locator =>
      workbench.page.locator('.sidebar .pane-body .monaco-list-row', { hasText: text }).first();
    await row('Built-in gate').waitFor();
    await row(/tool_call bash.*only the built-in gate would see it now/).waitFor();
    await row('New Hook…').waitFor();
    await workbench.runCommand('Hookline: Show Hook Log');
    const log = await workbench.frameWith('[data-hookline="log"][data-ready="true"]');
    await log.locator('.log-row', { hasText: 'allowed: Auto mode: no hook checked this call.' }).first().waitFor();
    await workbench.screenshot('approvals-hooks-view-light');
  });
});
