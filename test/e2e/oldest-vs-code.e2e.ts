import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HAS_OLDER_NODE } from '../../scripts/support/older-node.ts';
import { Chat } from './support/chat';
import { answerQuestion } from './support/questions';
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

  it('asks by a hook before a dangerous command: what is typed answers nothing, and a click on No blocks it', async () => {
    await chat.ask('run `rm -rf build`');
    await waitFor(async () => ((await workbench.quickInput.isQuestion('byItself')) ? true : undefined), {
      what: 'the question',
    });
    await workbench.page.keyboard.type('yes\n', { delay: 100 });
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Enter');
    assert.equal(await workbench.quickInput.value(), 'yes');
    assert.ok(await workbench.quickInput.isQuestion('byItself'));
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'No' }).first().click();
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

  it('takes the answer that arrow keys choose in a pick that the user opens', async () => {
    await chat.ask('run `rm -rf build`');
    await answerQuestion(workbench, 'Yes');
    await chat.tool('bash', 'done');
    await chat.idle();
    assert.equal(existsSync(join(workbench.workspace, 'build')), false);
  });
});
