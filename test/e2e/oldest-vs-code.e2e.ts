import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HAS_OLDER_NODE } from '../../scripts/support/older-node.ts';
import { Chat } from './support/chat';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** The version that `engines` in package.json promises, which needs a Node of its time. */
(HAS_OLDER_NODE ? describe : describe.skip)('the oldest VS Code that Hookline installs in', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({ version: 'oldest', files: { 'build/out.txt': 'made' } });
  });
  after(() => workbench.close());

  it('is the one that the manifest names, and shows the chat in the secondary side bar', async () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { vscode: string } };
    await workbench.runCommand('Help: About');
    const [, minor] = await waitFor(
      async () => /\b(1\.\d+)\.\d+/.exec(await workbench.page.locator('.monaco-dialog-box').innerText()) ?? undefined,
      { what: 'the version in the dialog' },
    );
    assert.equal(engines.vscode, `^${minor}.0`);
    await workbench.page.keyboard.press('Escape');
    chat = await Chat.open(workbench);
    await workbench.page.locator('.auxiliarybar', { hasText: 'Hookline' }).waitFor();
  });

  it('asks by a hook before a dangerous command, and a No blocks it', async () => {
    await chat.ask('run `rm -rf build`');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.accept();
    const card = await chat.tool('bash', 'blocked');
    assert.match(await card.innerText(), /permission-gate/);
    await chat.idle();
    assert.ok(existsSync(join(workbench.workspace, 'build/out.txt')));
    await workbench.screenshot('oldest-vs-code');
  });

  it('loads a hook anew when it is saved, and lists it in the view', async () => {
    const hook = `export default pi => pi.on('tool_call', ({ toolName }) =>
      toolName === 'ls' ? { block: true, reason: 'no lists' } : undefined);`;
    writeFileSync(join(workbench.workspace, '.pi/hooks/no-lists.ts'), hook);
    await chat.frame.locator('[data-hookline="hooks"]', { hasText: '5 hooks' }).waitFor();
    await chat.ask('list');
    const card = await chat.tool('ls', 'blocked');
    assert.match(await card.innerText(), /no lists/);
    await workbench.runCommand('Hookline Hooks: Focus on Hooks View');
    await workbench.page.locator('.sidebar .monaco-list-row', { hasText: 'no-lists.ts' }).waitFor();
  });
});
