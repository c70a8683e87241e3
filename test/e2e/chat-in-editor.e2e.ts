import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { Chat } from './support/chat';
import { assertAccessible, useTheme, widen, widenSideBar } from './support/look';
import { openCard } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** Waits in the background until the test lets it go on. */
const WAITS = 'until [ -e go.txt ]; do sleep 0.2; done; echo went on';
const HOOK = `export default pi => {
  pi.registerCommand('mark', {
    description: 'Shows where it ran',
    handler: (args, ctx) => {
      ctx.ui.setWidget('mark', args === '' ? undefined : ['widget of ' + args]);
      ctx.ui.setTitle(args);
    },
  });
  pi.registerShortcut('ctrl+shift+y', { handler: (ctx) => ctx.ui.notify('shortcut: ' + ctx.sessionManager.getEntries().length) });
};
`;
const SETTINGS = { 'hookline.approvals.defaultMode': 'ask', 'workbench.colorTheme': 'Light Modern' };

describe('a conversation in an editor tab', () => {
  let workbench: Workbench;
  let sideBar: Chat;
  let tab: Chat;

  before(async () => {
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'in editor ü',
      settings: SETTINGS,
      files: { 'build/out.txt': 'made', 'notes.txt': 'notes\n', '.pi/hooks/mark.ts': HOOK },
    });
    sideBar = await Chat.open(workbench);
    await widen(workbench, 292);
  });

  after(() => workbench.close());

  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);
  const tabs = (): Locator => workbench.page.locator('.editor-group-container .tab');
  const tabTitled = (title: string | RegExp): Locator => tabs().filter({ hasText: title });
  const openInEditor = (): Promise<void> => workbench.runCommand('Hookline: Open Chat in Editor');
  const holds = (chat: Chat, text: string): Promise<unknown> =>
    waitFor(async () => ((await chat.composer.inputValue()) === text ? true : undefined), {
      what: `"${text}" in the composer`,
    });
  const hasFocus = (chat: Chat): Promise<unknown> =>
    waitFor(
      async () =>
        (await chat.frame.evaluate('document.activeElement?.tagName === "TEXTAREA" && document.hasFocus()')) === true
          ? true
          : undefined,
      { what: 'the keyboard in the composer' },
    );

  it('opens by command with the keyboard in its composer, and is the same conversation as in the side bar', async () => {
    await sideBar.ask('hello');
    await sideBar.idle();
    await openInEditor();
    tab = await Chat.inEditor(workbench);
    await hasFocus(tab);
    await tab.says('hello');
    await tabTitled('hello').waitFor();
    assert.equal(await tab.frame.getByRole('tab').count(), 0, 'a tab has no strip of conversations');
    await workbench.screenshot('chat-in-editor-beside-side-bar-292');
    await assertAccessible(tab);
  });

  it('opens no second tab for the same conversation', async () => {
    await openInEditor();
    await hasFocus(tab);
    assert.equal(await tabs().count(), 1);
  });

  it('has one draft with the side bar, which keeps its caret and is not scrolled with it', async () => {
    await press('End');
    await workbench.page.keyboard.type('write a test');
    await holds(sideBar, 'write a test');
    await sideBar.composer.focus();
    await press('Home');
    await workbench.page.keyboard.type('please ');
    await holds(tab, 'please write a test');
    await tab.composer.focus();
    await press('End');
    await workbench.page.keyboard.type('!');
    await holds(sideBar, 'please write a test!');
    const caret = await sideBar.composer.evaluate(
      area => (area as unknown as { selectionStart: number }).selectionStart,
    );
    assert.equal(caret, 'please '.length, 'the caret stays where it was');
    await workbench.screenshot('chat-in-editor-one-draft');
    // The button that had the focus there has nothing to do any more. It may not take the focus from the tab.
    await sideBar.frame.getByRole('button', { name: 'Send', exact: true }).focus();
    await tab.composer.focus();
    await press('Control+a');
    await press('Delete');
    await holds(sideBar, '');
    await workbench.page.keyboard.type('in the tab');
    await holds(sideBar, 'in the tab');
    await hasFocus(tab);
    await press('Control+a');
    await press('Delete');
    await holds(sideBar, '');
  });

  it('asks in the tab alone, takes one answer, and marks the title while it waits', async () => {
    await workbench.runCommand('Hookline: New Parallel Conversation');
    await sideBar.isNew();
    await tab.composer.focus();
    await tab.send('run `rm -rf build`');
    await openCard(tab).waitFor();
    await tabTitled(/^\? hello/).waitFor();
    assert.equal(await openCard(sideBar).count(), 0, 'the other conversation has no question');
    assert.equal((await workbench.notifications()).length, 0, 'its card can be seen, so nothing else asks');
    assert.equal(await workbench.quickInput.isOpen(), false);
    await workbench.screenshot('chat-in-editor-question');
    await openCard(tab).getByRole('button', { name: 'Deny', exact: true }).press('Enter');
    await tab.tool('bash', 'blocked');
    await tab.idle();
    await tabTitled(/^hello/).waitFor();
    assert.ok(existsSync(join(workbench.workspace, 'build', 'out.txt')));
    assert.equal(await sideBar.frame.locator('[data-item-id]').count(), 0);
  });

  it('asks on both pages of a conversation, and the first answer counts', async () => {
    await sideBar.frame.getByRole('tab').first().click();
    await sideBar.says('hello');
    await tab.send('run `rm -rf build`');
    await openCard(tab).waitFor();
    await openCard(sideBar).waitFor();
    await openCard(sideBar).getByRole('button', { name: 'Allow once', exact: true }).press('Enter');
    await tab.tool('bash', 'done', 1);
    await openCard(tab).waitFor({ state: 'detached' });
    await tab.idle();
    assert.ok(!existsSync(join(workbench.workspace, 'build', 'out.txt')));
    await sideBar.frame.getByRole('tab').nth(1).click();
    await sideBar.isNew();
  });

  it('has keys, commands, widgets and title of its own conversation', async () => {
    await tab.send('/mark the tab');
    await tab.component('above').getByText('widget of the tab').waitFor();
    await tabTitled('the tab').waitFor();
    assert.equal(await sideBar.component('above').count(), 0);
    await tab.composer.focus();
    await press('Control+Shift+y');
    await tab.says('shortcut: ');
    assert.doesNotMatch(await sideBar.text(), /shortcut/);
    await tab.composer.focus();
    await press('Control+f');
    await tab.frame.locator('[data-hookline="find"]').waitFor();
    assert.equal(await sideBar.frame.locator('[data-hookline="find"]').count(), 0);
    await press('Escape');
    await tab.composer.focus();
    await press('Control+ArrowUp');
    await waitFor(
      async () =>
        (await tab.frame.evaluate('document.activeElement?.dataset?.itemId ?? ""')) === '' ? undefined : true,
      {
        what: 'a message with the focus',
      },
    );
    await tab.send('/mark');
    await tabTitled('hello').waitFor();
  });

  it('opens a second conversation beside the first', async () => {
    await sideBar.send('the second one');
    await sideBar.idle();
    await openInEditor();
    const second = await Chat.inEditor(workbench, 1);
    await hasFocus(second);
    await second.says('the second one');
    tab = await Chat.inEditor(workbench, 0);
    await tab.says('hello');
    assert.equal(await workbench.page.locator('.editor-group-container').count(), 2);
    await workbench.screenshot('chat-in-editor-two');
  });

  it('goes on when its tab is closed, and is there again when it is opened', async () => {
    tab = await Chat.inEditor(workbench, 0);
    await tab.send(`run \`${WAITS}\``);
    await openCard(tab).getByRole('button', { name: 'Allow once', exact: true }).press('Enter');
    await tab.tool('bash', 'running');
    await tabTitled(/^↻ hello/).waitFor();
    await tab.composer.focus();
    await workbench.runCommand('View: Close Editor');
    await tabTitled('hello').waitFor({ state: 'detached' });
    await sideBar.frame.locator('[role="tab"][data-state="running"]').waitFor();
    writeFileSync(join(workbench.workspace, 'go.txt'), '');
    await sideBar.frame.locator('[role="tab"][data-state="unread"]').waitFor();
    await sideBar.frame.locator('[role="tab"][data-state="unread"]').click();
    await sideBar.tool('bash', 'done');
    await sideBar.composer.focus();
    await openInEditor();
    await tabTitled('hello').waitFor();
  });

  it('keeps its conversation and draft when it is moved to another group', async () => {
    const last = await Chat.inEditor(workbench, 1);
    await last.says('hello');
    await last.composer.fill('moved with me');
    await holds(sideBar, 'moved with me');
    await workbench.runCommand('View: Move Editor into Left Group');
    const moved = await Chat.inEditor(workbench, 0);
    await moved.says('hello');
    await holds(moved, 'moved with me');
    await workbench.runCommand('View: Move Editor into Right Group');
    await (await Chat.inEditor(workbench, 1)).says('hello');
  });

  it('comes back after the window was reloaded, with its draft', async () => {
    await waitFor(async () => ((await tabs().count()) === 2 ? true : undefined), { what: 'two tabs' });
    const last = await Chat.inEditor(workbench, 1);
    await last.says('hello');
    await last.composer.fill('typed before the reload');
    await holds(sideBar, 'typed before the reload');
    await workbench.reload();
    sideBar = await Chat.inSideBar(workbench);
    const restored = await Chat.inEditor(workbench, 1);
    await restored.says('hello');
    await holds(restored, 'typed before the reload');
    await tabTitled('the second one').waitFor();
    await tabTitled('hello').waitFor();
    await restored.composer.fill('');
    await restored.ask('after the reload');
    await restored.idle();
    await restored.says('after the reload');
    await workbench.screenshot('chat-in-editor-reloaded');
  });

  it('is opened from the menu of a conversation, and goes with the conversation that is closed', async () => {
    await workbench.runCommand('View: Close All Editors');
    const conversation = sideBar.frame.getByRole('tab', { name: 'the second one' });
    await conversation.click({ button: 'right' });
    const entry = workbench.page.getByRole('menuitem', { name: 'Open Chat in Editor' });
    await entry.waitFor();
    await workbench.screenshot('chat-in-editor-menu');
    // VS Code ignores a click that comes right after the one that opened the menu.
    await waitFor(
      async () => {
        if ((await tabs().count()) > 0) return true;
        await entry.click({ timeout: 1_000 }).catch(() => undefined);
        return undefined;
      },
      { what: 'the tab' },
    );
    const opened = await Chat.inEditor(workbench);
    await opened.says('the second one');
    await hasFocus(opened);
    await workbench.runCommand('Hookline: Close Conversation');
    await tabTitled('the second one').waitFor({ state: 'detached' });
    await conversation.waitFor({ state: 'detached' });
    await sideBar.says('hello');
  });

  it('fits 700 px, light and in high contrast', async () => {
    await workbench.runCommand('View: Close All Editors');
    await widen(workbench, 292);
    const editors = (await workbench.page.locator('.part.editor').boundingBox())?.width ?? 0;
    const explorer = (await workbench.page.locator('.part.sidebar').boundingBox())?.width ?? 0;
    await widenSideBar(workbench, explorer + editors - 700);
    for (const [theme, name] of [
      ['Light Modern', 'light'],
      ['Dark High Contrast', 'hc-dark'],
    ] as const) {
      await useTheme(workbench, theme);
      await openInEditor();
      tab = await Chat.inEditor(workbench);
      await assertAccessible(tab);
      await workbench.screenshot(`chat-in-editor-700-${name}`);
    }
  });
});

describe('a conversation in an editor tab, without a folder', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await openWorkbench({ folder: false });
  });

  after(() => workbench.close());

  it('opens, answers, and comes back after a reload', async () => {
    await workbench.runCommand('Hookline: Open Chat in Editor');
    const tab = await Chat.inEditor(workbench);
    await tab.ask('hello without a folder');
    await tab.idle();
    await tab.says('I am the demo model');
    await workbench.reload();
    const restored = await Chat.inEditor(workbench);
    await restored.says('hello without a folder');
    await workbench.screenshot('chat-in-editor-no-folder');
  });
});
