import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { Chat } from './support/chat';
import { openQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** Waits in the background until the test lets it go on. */
const WAITS = 'until [ -e go.txt ]; do sleep 0.2; done; echo went on';

describe('several conversations in the panel', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({ name: 'several', files: { 'build-x/out.txt': 'made' } });
    chat = await Chat.open(workbench);
  });

  after(() => workbench.close());

  const tabs = (): Locator => chat.frame.getByRole('tab');
  const tab = (index: number, state: string): Promise<void> =>
    chat.frame.locator(`.tab-list > :nth-child(${index + 1})[data-state="${state}"]`).waitFor();
  const shown = async (): Promise<string> =>
    chat.frame.locator('[role="tab"][aria-selected="true"]').getAttribute('data-conversation').then(String);
  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);
  const draft = (text: string): Promise<unknown> =>
    waitFor(async () => ((await chat.composer.inputValue()) === text ? true : undefined), {
      what: `"${text}" in the composer`,
    });
  const editing = (): Locator => chat.frame.locator('[data-hookline="editing"]');

  it('opens a new session beside one that is at work, which goes on and is seen to', async () => {
    await chat.ask(`run \`${WAITS}\``);
    await chat.tool('bash', 'running');
    assert.equal(await tabs().count(), 0, 'one conversation needs no tabs');
    await workbench.runCommand('Hookline: New Session');
    await tab(0, 'running');
    await tab(1, 'idle');
    assert.equal(await chat.frame.locator('[data-kind="tool"]').count(), 0, 'the new one is empty');
    await workbench.screenshot('conversations-1-beside');
  });

  it('asks for a conversation behind the shown one, by name, and lets both go on', async () => {
    await chat.ask("run `rm -rf 'build-x'`");
    await openQuestion(workbench);
    assert.match(await workbench.quickInput.title(), /asks about bash.*\(in “run/);
    await tabs().nth(0).click();
    await tab(1, 'asking');
    await chat.frame.locator('[data-hookline="session-name"]', { hasText: 'until [' }).waitFor();
    await chat.tool('bash', 'running');
    await workbench.screenshot('conversations-2-asking-behind');
    await workbench.page.locator('.statusbar-item', { hasText: 'Waiting for your answer' }).click();
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.chooseByKeyboard('No');
    await tab(1, 'unread');
    await tab(0, 'running');
    assert.ok(existsSync(join(workbench.workspace, 'build-x/out.txt')));
    await workbench.screenshot('conversations-3-unread');
    const bar = (await workbench.statusBar()).join('\n');
    assert.match(bar, /Demo/);
  });

  it('goes from one to the other by keyboard; what was not seen is read then, and each keeps its draft', async () => {
    // Not by a click: the hover of the status bar lies over it.
    await chat.composer.focus();
    await chat.composer.fill('a thought for the first');
    const first = await shown();
    await press('Alt+PageDown');
    await waitFor(async () => ((await shown()) === first ? undefined : true), { what: 'the second' });
    await tab(1, 'idle');
    await draft('');
    await chat.tool('bash', 'blocked');
    await chat.composer.fill('another for the second');
    await tabs().nth(1).focus();
    await press('ArrowLeft');
    await draft('a thought for the first');
    await press('ArrowRight');
    await draft('another for the second');
    await workbench.screenshot('conversations-4-drafts');
  });

  it('lists them with their states to switch to', async () => {
    await workbench.runCommand('Hookline: Switch Conversation…');
    await workbench.quickInput.opened({ withItems: true });
    const items = (await workbench.quickInput.items()).join('\n');
    assert.match(items, /running/);
    assert.match(items, /shown/);
    await workbench.screenshot('conversations-5-switch');
    await workbench.quickInput.cancel();
  });

  it('ends the first while the second is shown, and marks it', async () => {
    writeFileSync(join(workbench.workspace, 'go.txt'), '');
    await tab(0, 'unread');
    await tabs().nth(0).click();
    await chat.tool('bash', 'done');
    await chat.idle();
    await tab(0, 'idle');
  });

  it('brings all of it back after the window was reloaded: sessions, what is shown, drafts', async () => {
    await tabs().nth(1).click();
    await draft('another for the second');
    await workbench.reload();
    chat = await Chat.open(workbench);
    await tabs().nth(1).waitFor();
    assert.equal(await tabs().count(), 2);
    await draft('another for the second');
    await chat.tool('bash', 'blocked');
    await workbench.screenshot('conversations-6-reloaded');
    assert.equal(await tabs().nth(1).getAttribute('aria-selected'), 'true');
    await tabs().nth(0).click();
    await draft('a thought for the first');
    await chat.tool('bash', 'done');
  });

  it('opens a sent message for editing by keyboard, lets it be, and sends it anew as a branch', async () => {
    await chat.composer.click();
    await press('F2');
    await editing().waitFor();
    await draft(`run \`${WAITS}\``);
    await workbench.screenshot('conversations-7-editing');
    await press('Escape');
    await editing().waitFor({ state: 'detached' });
    await draft('a thought for the first');
    await press('F2');
    await editing().waitFor();
    await chat.composer.fill('run `echo in other words`');
    await press('Enter');
    await chat.says('in other words');
    await chat.tool('bash', 'done');
    await chat.idle();
    assert.doesNotMatch(await chat.text(), /went on/, 'what followed the old words is on another branch');
    await draft('a thought for the first');
    await workbench.screenshot('conversations-8-resent');
  });

  it('opens the same by the button on the card', async () => {
    const card = chat.frame.locator('[data-kind="user"]').first();
    await card.hover();
    await card.getByRole('button', { name: 'Edit and Send Again (F2)' }).click();
    await editing().waitFor();
    await draft('run `echo in other words`');
    await workbench.screenshot('conversations-9-edit-button');
    await editing().getByRole('button').click();
    await draft('a thought for the first');
  });

  it('lists three in a menu that begins at the shown one, at 292 px', async () => {
    const first = await shown();
    await workbench.screenshot('conversations-two-tabs-292');
    await chat.frame.locator('[data-hookline="new-conversation"]').press('Enter');
    await chat.isNew();
    await chat.frame.locator('[data-hookline="all-conversations"]').press('Enter');
    const listed = chat.frame.getByRole('menuitemradio');
    assert.equal(await listed.count(), 3);
    assert.equal(await listed.nth(2).and(chat.frame.locator(':focus')).count(), 1);
    await workbench.screenshot('conversations-list-292');
    await press('Home');
    await press('Enter');
    await waitFor(async () => ((await shown()) === first ? true : undefined), { what: 'the first' });
    await tabs().nth(2).press('Delete');
    await tabs().nth(2).waitFor({ state: 'detached' });
  });

  it('keeps draft and place when the view moves to the panel', async () => {
    for (let index = 0; index < 6; index++) {
      await chat.ask('ls');
      await chat.idle();
    }
    await chat.composer.fill('moved with me');
    const log = chat.frame.getByRole('log');
    await log.hover();
    await workbench.page.mouse.wheel(0, -250);
    await chat.frame.locator('[data-hookline="jump"]').waitFor();
    await workbench.page.waitForTimeout(800);
    const top = await firstVisible();
    await chat.composer.click();
    await workbench.runCommand('View: Move View');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.chooseByKeyboard('Chat');
    await workbench.page.getByText('New Panel Entry').waitFor();
    await workbench.quickInput.type('New Panel Entry');
    await workbench.quickInput.accept();
    await workbench.page.locator('.part.panel iframe, .part.panel .composite').first().waitFor();
    chat = await Chat.attach(workbench);
    await draft('moved with me');
    await waitFor(async () => (Math.abs((await firstVisible()) - top) <= 1 ? true : undefined), { what: 'the place' });
    await workbench.screenshot('conversations-10-panel');
  });

  /** Index of the first item whose lower edge is in view. */
  function firstVisible(): Promise<number> {
    return chat.frame.evaluate<number>(`(() => {
      const top = document.querySelector('[role="log"]').getBoundingClientRect().top;
      const items = [...document.querySelectorAll('[data-item-id]')];
      return items.findIndex(item => item.getBoundingClientRect().bottom > top + 2);
    })()`);
  }
});
