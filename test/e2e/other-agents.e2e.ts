import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Frame, Locator } from 'playwright-core';
import { guardPlace } from '../../src/guard/protocol/place';
import { stateFolder } from '../../src/startup/own-folders';
import { widenSideBar } from './support/look';
import { answerQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const GATE = `export default pi => {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'bash') return;
    const answer = await ctx.ui.select('Remove it?', ['Yes', 'No']);
    if (answer !== 'Yes') return { block: true, reason: 'the user keeps build' };
  });
};
`;

describe('other agents', () => {
  let workbench: Workbench;
  before(async () => {
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'shop-api',
      files: { 'build/out.txt': 'made', '.pi/hooks/gate.ts': GATE },
    });
    for (const folder of ['.claude', '.codex']) mkdirSync(join(workbench.place.home, folder), { recursive: true });
  });
  after(() => workbench.close());

  const place = () => guardPlace(stateFolder({}, process.platform, workbench.place.home));
  const line = (label: string): Locator =>
    workbench.page.locator('.monaco-list-row[role="treeitem"]', { hasText: label }).first();
  const log = (): Promise<Frame> => workbench.frameWith('[data-hookline="log"][data-ready="true"]');

  /** Runs the client as Codex does before a call; resolves with what it prints. */
  const call = async (toolUseId: string, command: string): Promise<string> => {
    const payload = {
      session_id: 'session-1',
      turn_id: '1',
      cwd: workbench.workspace,
      hook_event_name: 'PreToolUse',
      model: 'gpt',
      permission_mode: 'default',
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: toolUseId,
      transcript_path: null,
    };
    const env = { ...process.env, ...workbench.place.env };
    const running = promisify(execFile)('bash', [place().client, 'codex', 'PreToolUse'], {
      cwd: workbench.workspace,
      env,
    });
    running.child.stdin?.end(JSON.stringify(payload));
    return (await running).stdout;
  };

  it('are put under guard after the change was shown, and not before', async () => {
    const file = join(workbench.place.home, '.codex', 'hooks.json');
    await workbench.runCommand('Hookline Hooks: Focus on Hooks View');
    await line('Other agents').waitFor();
    await line('Claude Code').waitFor();
    await workbench.screenshot('other-agents-1-none');
    await workbench.runCommand('Hookline: Guard Other Agents…');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.screenshot('other-agents-2-pick');
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Codex' }).click();
    await waitFor(async () => ((await workbench.quickInput.title()).includes('built-in gate') ? true : undefined), {
      what: 'the question about the built-in gate',
    });
    await workbench.screenshot('other-agents-3-gate');
    await workbench.quickInput.accept();
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    await workbench.screenshot('other-agents-4-change');
    assert.equal(existsSync(file), false, 'nothing is written before the yes');
    await dialog.getByRole('button', { name: 'Guard' }).click();
    await waitFor(() => (existsSync(place().guarded) ? true : undefined), { what: 'who is guarded' });
    assert.match(readFileSync(file, 'utf8'), /client\.sh/);
  });

  it('are asked about in the window that has their folder open', async () => {
    await waitFor(() => (existsSync(place().endpoint) ? true : undefined), { what: 'the host of the guard' });
    const answer = call('call-1', 'rm -rf build');
    await waitFor(
      async () => ((await workbench.quickInput.title()).includes('Codex asks in shop-api') ? true : undefined),
      {
        what: 'the question',
      },
    );
    await workbench.screenshot('other-agents-5-question');
    await answerQuestion(workbench, 'No');
    const output = JSON.parse(await answer) as { hookSpecificOutput: Record<string, string> };
    assert.equal(output.hookSpecificOutput['permissionDecision'], 'deny');
    assert.match(output.hookSpecificOutput['permissionDecisionReason'] ?? '', /the user keeps build/);

    const allowed = call('call-2', 'ls build');
    await answerQuestion(workbench, 'Yes');
    assert.equal(await allowed, '', 'a call that passes gets no decision');
  });

  it('have rows that say how they are guarded', async () => {
    await waitFor(async () => (/2 calls today, 1 blocked/.test(await line('Codex').innerText()) ? true : undefined), {
      what: 'the counts',
    });
    assert.match((await line('Codex').getAttribute('aria-label')) ?? '', /Codex, guarded/);
    await line('Codex').click();
    await line('last call').waitFor();
    await workbench.screenshot('other-agents-6-rows');
    await widenSideBar(workbench, 292);
    await workbench.screenshot('other-agents-7-rows-292');
  });

  it('are named in the hook log', async () => {
    await workbench.runCommand('Hookline: Show Hook Log');
    const frame = await log();
    await frame
      .getByRole('treeitem', { name: /Codex · bash rm -rf build.*the user keeps build/ })
      .first()
      .waitFor();
    await workbench.screenshot('other-agents-8-log');
  });

  it('have an error in Problems where a file switches their gate off, as long as it does', async () => {
    const file = join(workbench.workspace, '.codex', 'config.toml');
    mkdirSync(join(workbench.workspace, '.codex'));
    writeFileSync(file, 'model = "gpt"\n\n[features]\nhooks = false\n');
    await workbench.runCommand('Problems: Focus on Problems View');
    const problem = workbench.page.locator('.markers-panel .monaco-list-row', {
      hasText: 'switches off the hooks of Codex',
    });
    await problem.waitFor();
    assert.match(await problem.innerText(), /Hookline[^]*Ln 4/);
    await line('switched off by').waitFor();
    await workbench.screenshot('other-agents-9-problem');
    writeFileSync(file, 'model = "gpt"\n');
    await problem.waitFor({ state: 'detached' });
  });
});
