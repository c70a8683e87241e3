import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { adapterText } from '../../src/hook-load/shell/adapter-file';
import { Chat } from './support/chat';
import { answerOnCard, answerQuestion, openCard } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const SHELL_HOOK = { type: 'command', command: 'touch it-ran; exit 2' };
const MINE = `export default pi =>
  pi.registerCommand('mine', { description: 'From my home', handler: async (args, ctx) => ctx.ui.notify('my own', 'info') });
`;

describe('a folder in Restricted Mode', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    const sources = [{ specifier: '../../.claude/settings.json', name: '.claude/settings.json' }];
    workbench = await openWorkbench({
      trust: false,
      settings: { 'hookline.approvals.defaultMode': 'auto' },
      homeFiles: { '.pi/agent/hooks/mine.ts': MINE },
      files: {
        'doomed/a.txt': '1',
        '.claude/settings.json': JSON.stringify({ hooks: { PreToolUse: [{ hooks: [SHELL_HOOK] }] } }),
        '.pi/hooks/shell-hooks.ts': adapterText({ onFailure: 'block', sources }),
      },
    });
    chat = await Chat.open(workbench);
  });
  after(() => workbench.close());

  it('has only the commands of the person’s own hooks in the Command Palette', async () => {
    await waitFor(async () => (await workbench.offersCommand('Hookline: /mine — From my home')) || undefined, {
      what: 'the command of the hook in the home folder',
    });
    assert.equal(await workbench.offersCommand('Hookline: /stats — Show session statistics'), false);
  });

  it('asks about rm with no gate at work, says which are held back, and its mode cannot be changed', async () => {
    const mode = chat.frame.locator('[data-hookline="approval-mode"]');
    await mode.waitFor();
    assert.deepEqual([await chat.approvalMode(), await mode.getAttribute('aria-disabled')], ['ask', 'true']);
    await mode.press('Enter');
    assert.equal(await chat.frame.getByRole('menu').count(), 0, 'the menu stays closed');
    await chat.ask('run `rm -rf doomed`');
    await openCard(chat)
      .getByText(/held back.*permission-gate\.ts/s)
      .waitFor();
    await workbench.screenshot('approvals-restricted');
    await answerOnCard(chat, 'Deny');
    await chat.tool('bash', 'blocked');
    assert.ok(existsSync(join(workbench.workspace, 'doomed', 'a.txt')));
    await chat.idle();
  });

  it('neither runs nor imports shell hooks', async () => {
    await workbench.runCommand('Hookline: Import Shell Hooks…');
    await workbench.page.locator('.notification-toast', { hasText: 'not trusted' }).waitFor();
    await workbench.screenshot('shell-hooks-5-restricted');
    await chat.ask('list the files');
    await chat.tool('ls', 'done');
    await chat.idle();
    assert.equal(existsSync(join(workbench.workspace, 'it-ran')), false);
  });
});

describe('a folder that is trusted later', () => {
  it('Restricted Mode: the folder’s hooks are held back and named; granting trust loads them', async () => {
    const workbench = await openWorkbench({ trust: false });
    try {
      const chat = await Chat.open(workbench);
      await chat.says(/Restricted Mode.*permission-gate\.ts/);
      await workbench.screenshot('09-restricted');
      await chat.frame.getByRole('button', { name: 'Trust This Folder' }).click();
      await workbench.page
        .locator('.workspace-trust-editor')
        .getByRole('button', { name: 'Trust', exact: true })
        .click();
      await chat.frame.locator('[data-hookline="hooks"]', { hasText: /^\s*4 hooks\s*$/ }).waitFor();
      await workbench.runCommand('View: Close All Editors'); // the trust editor covers the chat
      await chat.ask('run `sudo true`');
      await answerQuestion(workbench, 'No');
      await chat.tool('bash', 'blocked');
    } finally {
      await workbench.close();
    }
  });
});
