import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { Chat } from './support/chat';
import { scriptedHome } from './support/scripted-home';
import { widen } from './support/look';
import { ScriptedLlm } from '../support/scripted-llm';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** Backtracks for longer than anybody waits while the file `slow` is there. */
const GATE = `import { existsSync } from 'node:fs';
export default pi => {
  pi.on('tool_call', (_event, ctx) => {
    if (existsSync(ctx.cwd + '/slow')) /^(a+)+$/.test('a'.repeat(60) + 'b');
    return { block: true, reason: 'guarded' };
  });
};
`;
const TOUCH = { toolCalls: [{ name: 'bash', arguments: { command: 'touch ran' } }] };

describe('a hook that froze the extension host', function () {
  this.timeout(180_000);
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    llm.otherwise(() => ({ text: 'Done.' }));
    const home = scriptedHome(llm);
    const settings = JSON.parse(home['.pi/agent/settings.json'] ?? '{}') as object;
    workbench = await openWorkbench({
      ownServer: true,
      homeFiles: { ...home, '.pi/agent/settings.json': JSON.stringify({ ...settings, hookLoopLimit: 2_000 }) },
      files: { '.pi/hooks/zz-freeze.ts': GATE, slow: '' },
    });
    chat = await Chat.open(workbench);
  });
  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  const notes = (): readonly string[] => {
    const folder = join(workbench.place.home, '.local', 'state', 'hookline', 'stopped-hooks');
    return existsSync(folder) ? readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8')) : [];
  };
  const ran = (): boolean => existsSync(join(workbench.workspace, 'ran'));
  const row = (): Locator =>
    workbench.page.locator('.monaco-list-row[role="treeitem"]', { hasText: 'zz-freeze.ts' }).first();
  /** The card of a call that the gate blocked, opened. */
  const blocked = async (prompt: string, index: number): Promise<Locator> => {
    llm.reply(TOUCH);
    await chat.ask(prompt);
    const card = await chat.tool('bash', 'blocked', index);
    await chat.idle();
    await chat.openCard(card);
    assert.equal(ran(), false);
    return card;
  };

  it('does not run after the host was killed, and what it gated stays blocked', async () => {
    llm.reply(TOUCH);
    await chat.ask('Touch it.');
    const note = await waitFor(() => notes().find(text => text.includes('"line":4')), { what: 'a note with the line' });
    const { process: host } = JSON.parse(note) as { readonly process: { readonly pid: number } };
    process.kill(host.pid, 'SIGKILL');
    await workbench.reload();
    chat = await Chat.open(workbench);
    await chat.says(/zz-freeze\.ts was stopped: it let nothing else run for \d+ s in tool_call/);
    const card = await blocked('Touch it again.', -1);
    await card
      .getByText(/zz-freeze\.ts checks tool calls, but does not run/)
      .first()
      .waitFor();
    await workbench.screenshot('stopped-hook-chat');
    await widen(workbench, 300);
    await workbench.screenshot('stopped-hook-chat-300');
  });

  it('says so in the Hooks view, and Run Again there runs it', async () => {
    await workbench.runCommand('Hookline Hooks: Focus on Hooks View');
    await row().getByText('stopped, and it guards tools').waitFor();
    await row().hover();
    await workbench.screenshot('stopped-hook-view');
    rmSync(join(workbench.workspace, 'slow'));
    await row()
      .getByRole('button', { name: /^Run Stopped Hook Again/ })
      .click();
    await row().getByText('stopped, and it guards tools').waitFor({ state: 'detached' });
    assert.deepEqual(notes(), []);
    chat = await Chat.open(workbench);
    const card = await blocked('Touch it once more.', -1);
    await card.getByText('guarded').first().waitFor();
  });
});
