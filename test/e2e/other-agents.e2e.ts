import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Frame, Locator } from 'playwright-core';
import { readProcessRow } from '../../src/base/ending/process-table';
import { HostConnection } from '../../src/guard/host/host-connection';
import { readEndpoint } from '../../src/guard/protocol/endpoint';
import { guardPlace } from '../../src/guard/protocol/place';
import { stateFolder } from '../../src/startup/own-folders';
import { widenSideBar } from './support/look';
import { answerQuestion, openQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** What a person had in Codex's configuration before. */
const OWN_HOOKS = '{\n    "description": "mine"\n}\n';

const gate = (reason: string): string => `export default pi => {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'bash') return;
    const answer = await ctx.ui.select('Remove it?', ['Yes', 'No']);
    if (answer !== 'Yes') return { block: true, reason: '${reason}' };
  });
};
`;

describe('other agents', () => {
  let workbench: Workbench;
  before(async () => {
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'shop-api',
      files: { 'build/out.txt': 'made', '.pi/hooks/gate.ts': gate('the user keeps build') },
    });
    for (const folder of ['.claude', '.codex']) mkdirSync(join(workbench.place.home, folder), { recursive: true });
    writeFileSync(codexHooks(), OWN_HOOKS);
  });
  after(async () => {
    const host = readEndpoint(place())?.pid;
    await workbench.close();
    // It outlives the window, and would take the files of the next test in this home folder for an agent's changes.
    if (host !== undefined) process.kill(host, 'SIGTERM');
    await waitFor(() => (host === undefined || readProcessRow(host) === undefined ? true : undefined), {
      what: 'the end of the host',
    });
  });

  const codexHooks = () => join(workbench.place.home, '.codex', 'hooks.json');
  const place = () => guardPlace(stateFolder({}, process.platform, workbench.place.home));
  const line = (label: string): Locator =>
    workbench.page.locator('.monaco-list-row[role="treeitem"]', { hasText: label }).first();
  const log = (): Promise<Frame> => workbench.frameWith('[data-hookline="log"][data-ready="true"]');

  /** Runs the client as Codex does; resolves with what it prints. */
  const runClient = async (event: string, members: object, cwd: string): Promise<string> => {
    const payload = {
      ...members,
      session_id: `session in ${cwd}`,
      turn_id: '1',
      cwd,
      hook_event_name: event,
      model: 'gpt',
      permission_mode: 'default',
      tool_name: 'Bash',
      transcript_path: null,
    };
    const env = { ...process.env, ...workbench.place.env };
    const running = promisify(execFile)('bash', [place().client, 'codex', event], { cwd, env });
    running.child.stdin?.end(JSON.stringify(payload));
    return (await running).stdout;
  };

  const call = (tool_use_id: string, command: string, cwd = workbench.workspace): Promise<string> =>
    runClient('PreToolUse', { tool_use_id, tool_input: { command } }, cwd);
  /** Reports the result of a call that ran. */
  const result = (tool_use_id: string, command: string, cwd = workbench.workspace): Promise<string> =>
    runClient('PostToolUse', { tool_use_id, tool_input: { command }, tool_response: 'out.txt' }, cwd);

  /** Why a call was denied. */
  const denial = async (answer: Promise<string>): Promise<string> => {
    const output = JSON.parse(await answer) as { hookSpecificOutput: Record<string, string> };
    assert.equal(output.hookSpecificOutput['permissionDecision'], 'deny');
    return output.hookSpecificOutput['permissionDecisionReason'] ?? '';
  };

  const questionFrom = (folder: string): Promise<true> =>
    waitFor(async () => ((await workbench.quickInput.title()).includes(`Codex asks in ${folder}`) ? true : undefined), {
      what: `the question from ${folder}`,
    });

  /** How many windows the host knows. */
  const windows = async (): Promise<number> => {
    const connection = await HostConnection.open(place(), { role: 'query', version: 'test', folders: [] });
    if (connection === undefined) return 0;
    try {
      return await new Promise(resolve => {
        connection.listen(
          message => {
            if (message.type === 'status') resolve(message.status.windows.length);
          },
          () => resolve(0),
        );
        connection.send({ type: 'status', id: '1' });
      });
    } finally {
      connection.dispose();
    }
  };

  it('are put under guard after the change was shown, and not before', async () => {
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
    await waitFor(
      async () => ((await workbench.quickInput.title()).includes('the tools of your hooks') ? true : undefined),
      { what: 'the question about the tools of hooks' },
    );
    await workbench.screenshot('other-agents-3-tools');
    await workbench.quickInput.accept();
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    await workbench.screenshot('other-agents-4-change');
    assert.equal(readFileSync(codexHooks(), 'utf8'), OWN_HOOKS, 'nothing is written before the yes');
    await dialog.getByRole('button', { name: 'Guard' }).click();
    await waitFor(() => (existsSync(place().guarded) ? true : undefined), { what: 'who is guarded' });
    assert.match(readFileSync(codexHooks(), 'utf8'), /client\.sh/);
  });

  it('are asked about in the window that has their folder open', async () => {
    await waitFor(async () => ((await windows()) === 1 ? true : undefined), { what: 'the window at the host' });
    const answer = call('call-1', 'rm -rf build');
    await questionFrom('shop-api');
    await workbench.screenshot('other-agents-5-question');
    await answerQuestion(workbench, 'No');
    assert.match(await denial(answer), /the user keeps build/);

    const allowed = call('call-2', 'ls build');
    await answerQuestion(workbench, 'Yes');
    assert.equal(await allowed, '', 'a call that passes gets no decision');
    // Until then, a change of a hook would count as the agent's.
    assert.equal(await result('call-2', 'ls build'), '');
  });

  it('have rows that say how they are guarded', async () => {
    await waitFor(async () => (/1 of 2 blocked/.test(await line('Codex').innerText()) ? true : undefined), {
      what: 'the counts',
    });
    assert.match((await line('Codex').getAttribute('aria-label')) ?? '', /Codex, guarded/);
    await line('Codex').click();
    await line('last passed: bash ls build').waitFor();
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

  it('have calls in the hook log that open with the answer and become tests that run', async () => {
    const frame = await log();
    await frame.locator('.log-row[data-outcome="blocked"]:not(.group)').first().click();
    const details = frame.getByLabel('Dispatch');
    await details.getByRole('button', { name: 'Make Test…' }).waitFor();
    assert.match(await details.locator('.log-verdict').innerText(), /the user keeps build/);
    assert.match(await details.locator('.log-asked').innerText(), /Remove it\?\s+No/);
    await workbench.screenshot('other-agents-10-log-details');
    await details.getByRole('button', { name: 'Make Test…' }).click();
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.accept();
    const file = join(workbench.workspace, '.pi', 'hooks-test', 'gate-tool_call-bash-blocked.test.mjs');
    await waitFor(() => (existsSync(file) ? true : undefined), { what: 'the test' });
    const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
    const run = spawnSync(process.execPath, [mocha, '--no-config', file], {
      ...{ cwd: workbench.workspace, encoding: 'utf8' as const },
      env: { ...process.env, ...workbench.place.env },
    });
    assert.match(run.stdout, /1 passing/, run.stdout + run.stderr);
  });

  it('are checked by a changed hook from their next call on', async () => {
    writeFileSync(join(workbench.workspace, '.pi', 'hooks', 'gate.ts'), gate('the new gate'));
    await waitFor(
      async () => {
        const answer = call(`call-${Date.now()}`, 'rm -rf build');
        await answerQuestion(workbench, 'No');
        return /the new gate/.test(await denial(answer)) || undefined;
      },
      { what: 'the changed hook' },
    );
  });

  it('are asked about by keyboard and by a notification when no window has their folder open', async () => {
    const other = join(workbench.workspace, '..', 'shop-web');
    mkdirSync(join(other, '.pi', 'hooks'), { recursive: true });
    writeFileSync(join(other, '.pi', 'hooks', 'gate.ts'), gate('the gate of shop-web'));
    const agentDir = join(workbench.place.home, '.pi', 'agent');
    mkdirSync(agentDir, { recursive: true });
    writeFileSync(join(agentDir, 'trust.json'), JSON.stringify({ [other]: true }));

    const first = call('other-1', 'rm -rf build', other);
    const notification = workbench.page.locator('.notification-toast', { hasText: 'Codex asks in shop-web' }).first();
    await notification.waitFor();
    await workbench.screenshot('other-agents-11-elsewhere');
    assert.equal(await workbench.quickInput.isOpen(), false, 'it does not come up by itself');
    await openQuestion(workbench);
    await questionFrom('shop-web');
    await workbench.screenshot('other-agents-12-elsewhere-question');
    await workbench.quickInput.chooseByKeyboard('No');
    assert.match(await denial(first), /the gate of shop-web/);
    await notification.waitFor({ state: 'detached' });

    const second = call('other-2', 'ls build', other);
    await notification.getByRole('link', { name: 'Answer' }).click();
    await workbench.quickInput.chooseByKeyboard('Yes');
    assert.equal(await second, '');
    await notification.waitFor({ state: 'detached' });
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
    await line('off by config.toml, line 4').waitFor();
    await waitFor(async () => (/switched off/.test(await line('Codex').innerText()) ? true : undefined), {
      what: 'the row of an agent whose gate is off',
    });
    await workbench.screenshot('other-agents-9-problem');
    writeFileSync(file, 'model = "gpt"\n');
    await problem.waitFor({ state: 'detached' });
  });

  it('are taken out by keyboard, which leaves their configuration as it was', async () => {
    await workbench.runCommand('Hookline Hooks: Focus on Hooks View');
    await line('Codex').click();
    await workbench.page.keyboard.press('Shift+F10');
    const menu = workbench.page.locator('.monaco-menu');
    await menu.getByRole('menuitem', { name: 'Stop Guarding Other Agents…' }).waitFor();
    await workbench.screenshot('other-agents-13-menu');
    await workbench.page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    await workbench.runCommand('Hookline: Stop Guarding Other Agents…');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.page.keyboard.press('Enter');
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    await workbench.screenshot('other-agents-14-stop');
    assert.match(readFileSync(codexHooks(), 'utf8'), /client\.sh/, 'nothing is written before the yes');
    await workbench.page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await waitFor(() => (readFileSync(codexHooks(), 'utf8') === OWN_HOOKS ? true : undefined), {
      what: 'the configuration as it was',
    });
    await waitFor(async () => (/not guarded/.test(await line('Codex').innerText()) ? true : undefined), {
      what: 'the row of an agent that nobody guards',
    });
    await workbench.screenshot('other-agents-15-stopped');
  });
});
