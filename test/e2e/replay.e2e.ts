import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { Chat } from './support/chat';
import { answerQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const GUARD = `export default pi => {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'bash') return;
    const answer = await ctx.ui.select('Run it?', ['Yes', 'No']);
    if (answer !== 'Yes') return { block: true, reason: 'The person said no' };
  });
};
`;

describe('a run of the past', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({ files: { 'a.txt': '1', '.pi/hooks/zz-guard.ts': GUARD } });
    chat = await Chat.open(workbench);
    await chat.ask('run `echo one`');
    await answerQuestion(workbench, 'No');
    await chat.tool('bash', 'blocked');
    await chat.idle();
  });
  after(() => workbench.close());

  const guard = (): string => join(workbench.workspace, '.pi', 'hooks', 'zz-guard.ts');
  const replay = (): Promise<Frame> => workbench.frameWith('[data-hookline="replay"][data-ready="true"]');

  it('is repeated with the answers of then, and nothing has changed', async () => {
    await workbench.runCommand('Hookline: Replay Hooks…');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.accept();
    const frame = await replay();
    await frame.getByText('No verdict changed.').waitFor();
    await frame.getByRole('button', { name: /as recorded/ }).click();
    await frame.locator('.replay-row', { hasText: 'echo one' }).first().waitFor();
    await workbench.screenshot('replay-same');
    await frame.getByRole('button', { name: /as recorded/ }).click();
  });

  it('shows what is decided otherwise after the hook was changed, and leads to the handler', async () => {
    await waitFor(async () => (await laterThanTools()) || undefined, { what: 'the second after the tool' });
    writeFileSync(guard(), GUARD.replace(`!== 'Yes'`, `=== 'Never'`));
    const frame = await replay();
    await waitFor(
      async () => {
        const again = frame.getByRole('button', { name: 'Replay Again' });
        if (await again.isEnabled()) await again.click();
        const row = frame.locator('.replay-row[data-status="changed"]');
        return (await row.count()) === 1 ? true : undefined;
      },
      { what: 'one changed verdict' },
    );
    const row = frame.locator('.replay-row[data-status="changed"]');
    assert.match(
      await row.innerText(),
      /changed\s+tool_call bash\s+echo one\s+blocked: The person said no\s+→\s+no decision/,
    );
    await row.locator('.diff-removed', { hasText: 'The person said no' }).first().waitFor();
    await workbench.screenshot('replay-changed');
    await row.getByRole('button', { name: 'zz-guard.ts:2' }).click();
    await workbench.page.locator('.tab.active', { hasText: 'zz-guard.ts' }).waitFor();
    writeFileSync(guard(), GUARD);
  });

  it('says in a sentence what a hook fails with now and where, with the stack folded', async () => {
    writeFileSync(guard(), GUARD.replace(`return;`, `return;\n    throw new Error('No rules found');`));
    const frame = await replay();
    const thrown = frame.locator('.replay-thrown');
    await waitFor(
      async () => {
        const again = frame.getByRole('button', { name: 'Replay Again' });
        if (await again.isEnabled()) await again.click();
        return (await thrown.count()) === 1 ? true : undefined;
      },
      { what: 'the error' },
    );
    assert.equal(await thrown.innerText(), 'It fails at zz-guard.ts:4: No rules found');
    const stack = frame.locator('.replay-more pre');
    assert.equal(await stack.isVisible(), false);
    assert.equal(await frame.locator('.diff-added').count(), 0);
    await workbench.screenshot('replay-thrown');
    await frame.locator('.replay-more summary').click();
    assert.match(await stack.innerText(), /No rules found\n\s+at .*zz-guard\.ts:4/);
    await thrown.getByRole('button', { name: 'zz-guard.ts:4' }).click();
    await workbench.page.locator('.tab.active', { hasText: 'zz-guard.ts' }).waitFor();
    writeFileSync(guard(), GUARD);
  });

  it('becomes a test from the details of the log', async () => {
    await workbench.runCommand('Hookline: Show Hook Log');
    const frame = await workbench.frameWith('[data-hookline="log"][data-ready="true"]');
    await frame.getByLabel('Hook', { exact: true }).selectOption({ label: 'zz-guard.ts' });
    await frame.locator('.log-row[data-outcome="blocked"]:not(.group)').first().click();
    await frame.getByRole('button', { name: 'Make Test…' }).waitFor();
    assert.match(await frame.locator('.log-asked').innerText(), /Run it\?\s+No/);
    await workbench.screenshot('log-make-test');
    await frame.getByRole('button', { name: 'Make Test…' }).click();
    await workbench.quickInput.opened({ withItems: true });
    await workbench.screenshot('make-test-place');
    await workbench.quickInput.accept();
    const folder = join(workbench.workspace, '.pi', 'hooks-test');
    const file = join(folder, 'zz-guard-tool_call-bash-blocked.test.mjs');
    await waitFor(() => Promise.resolve(existsSync(file) || undefined), { what: 'the test' });
    assert.deepEqual(readdirSync(folder).sort(), ['hookline-testing.mjs', 'zz-guard-tool_call-bash-blocked.test.mjs']);
    await workbench.page.locator('.tab.active', { hasText: '.test.mjs' }).waitFor();
    await workbench.screenshot('make-test-written');
    const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [mocha, '--no-config', file], {
      cwd: workbench.workspace,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
  });

  it('does not go on with a hook that the agent changed, before a person has seen and approved it', async () => {
    await workbench.runCommand('View: Close All Editors');
    await change('s/said/says/');
    const row = hookRow();
    await chat.frame.locator('[data-hookline="hooks"]', { hasText: /[1-9] hooks?, 1 waiting for approval/ }).waitFor();
    await row.hover();
    await workbench.screenshot('hook-waiting');
    await row.getByRole('button', { name: `Show Hook Change…` }).click();
    await workbench.page.locator('.tab.active', { hasText: 'running ↔ waiting for approval' }).waitFor();
    await workbench.page.locator('.monaco-diff-editor .line-insert').first().waitFor();
    await workbench.screenshot('hook-change');
    await row.hover();
    await row.getByRole('button', { name: `Approve Hook Change…` }).click();
    await untilLive();
    await workbench.page.locator('.tab.active', { hasText: /^zz-guard\.ts/ }).waitFor();
    await workbench.page.locator('.tab', { hasText: 'waiting for approval' }).waitFor({ state: 'detached' });
    await workbench.screenshot('hook-change-approved');
  });

  it('goes on with the gate as it was approved after a reload of the window, until its change is rejected', async () => {
    const approved = readFileSync(guard(), 'utf8');
    await change('s/says/shouts/');
    await workbench.reload();
    chat = await Chat.attach(workbench);
    await workbench.runCommand('Hookline Hooks: Focus on Hooks View');
    await untilWaiting();
    await chat.frame.getByText('A tool changed the hook zz-guard.ts.').waitFor();
    await workbench.screenshot('hook-waiting-reloaded');
    await chat.ask('run `touch ran`');
    await answerQuestion(workbench, 'No');
    const card = await chat.tool('bash', 'blocked');
    await chat.idle();
    assert.match(await card.innerText(), /The person says no/);
    assert.equal(existsSync(join(workbench.workspace, 'ran')), false);
    await hookRow().hover();
    await hookRow().getByRole('button', { name: `Reject Hook Change…` }).click();
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    await workbench.screenshot('hook-reject');
    await dialog.getByRole('button', { name: 'Reject' }).press('Enter');
    await untilLive();
    assert.equal(readFileSync(guard(), 'utf8'), approved);
    await chat.frame.getByText('A tool changed the hook zz-guard.ts.').waitFor({ state: 'detached' });
    await workbench.screenshot('hook-rejected');
  });

  const hookRow = (): Locator =>
    workbench.page.locator('.monaco-list-row[role="treeitem"]', { hasText: 'zz-guard.ts' }).first();
  const untilWaiting = (): Promise<unknown> =>
    waitFor(async () => /waiting for approval/.test(await hookRow().innerText()) || undefined, { what: 'it waits' });
  const untilLive = (): Promise<unknown> =>
    waitFor(async () => !/waiting for approval/.test(await hookRow().innerText()) || undefined, { what: 'it is live' });
  /** The agent changes the hook, which the person lets it do. */
  const change = async (edit: string): Promise<void> => {
    await chat.ask(`run \`sed -i ${edit} .pi/hooks/zz-guard.ts\``);
    await answerQuestion(workbench, 'Yes');
    await chat.idle();
    await workbench.runCommand('Hookline Hooks: Focus on Hooks View');
    await untilWaiting();
  };

  let asked = 0;
  /** Changes on disk count as the agent's while its tools run and shortly after. */
  async function laterThanTools(): Promise<boolean> {
    await new Promise(resolve => setTimeout(resolve, 100));
    asked += 1;
    return asked > 20;
  }
});
