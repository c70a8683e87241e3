import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { isAlive } from '../../scripts/support/processes.ts';
import { LoginAuthority } from '../support/login-authority';
import { MCP_SERVER, scriptedHttp } from '../support/scripted-mcp';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { widenSideBar } from './support/look';
import { scriptedHome } from './support/scripted-home';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const GATE = `export default pi => pi.on('tool_call', event =>
  event.toolName === 'mcp__notes__delete_all' ? { block: true, reason: 'notes are kept' } : undefined);
`;

describe('MCP servers, seen', () => {
  let folder: string;
  let pidFile: string;
  let workbench: Workbench;
  let llm: ScriptedLlm;
  let authority: LoginAuthority;
  let far: { readonly url: string; readonly child: ChildProcess };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-mcp-'));
    pidFile = join(folder, 'pids');
    llm = await ScriptedLlm.start();
    authority = await LoginAuthority.open();
    far = await scriptedHttp({ tools: ['look_up'], token: 'secret', challenge: authority.challenge });
    authority.resource = far.url;
    workbench = await openWorkbench({
      // Its extension host is killed at the end.
      ownServer: true,
      workspace: 'none',
      homeFiles: scriptedHome(llm),
      files: { '.pi/hooks/keep-notes.ts': GATE },
    });
  });
  after(async () => {
    await workbench.close();
    await llm.stop();
    await authority.close();
    far.child.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const row = (label: string | RegExp, state: string | RegExp = ''): Locator =>
    workbench.page
      .locator('.sidebar .pane', { has: workbench.page.locator('.pane-header', { hasText: 'MCP Servers' }) })
      .locator('.monaco-list-row[role="treeitem"]', { hasText: label })
      .filter({ hasText: state })
      .first();
  const press = async (label: string, button: string): Promise<void> => {
    await row(label).hover();
    await row(label).getByRole('button', { name: button }).click();
  };
  const choose = async (command: string, ...labels: readonly string[]): Promise<void> => {
    await workbench.runCommand(command);
    for (const label of labels) {
      await workbench.quickInput.opened({ withItems: true });
      await workbench.quickInput.type(label);
      await waitFor(
        async () => ((await workbench.quickInput.activeItem())?.includes(label) === true ? true : undefined),
        {
          what: `${label} as the active item`,
        },
      );
      await workbench.quickInput.accept();
    }
  };
  const mcpFile = (): string => join(workbench.place.home, '.pi/agent/mcp.json');
  const entry = (name: string): Record<string, unknown> | undefined =>
    (JSON.parse(readFileSync(mcpFile(), 'utf8')) as { mcpServers: Record<string, Record<string, unknown>> }).mcpServers[
      name
    ];
  const pids = (): readonly number[] => readFileSync(pidFile, 'utf8').split(' ').map(Number);
  const alive = async (of: readonly number[]): Promise<readonly number[]> => {
    const states = await Promise.all(of.map(isAlive));
    return of.filter((_pid, index) => states[index] === true);
  };
  const ended = (gone: readonly number[]): Promise<true> =>
    waitFor(async () => ((await alive(gone)).length > 0 ? undefined : true), {
      what: `the end of ${gone.join(' and ')}`,
    });

  it('are added by a command line, and stand in the view with their tools', async () => {
    await workbench.runCommand('Hookline Hooks: Focus on MCP Servers View');
    await workbench.page.locator('.sidebar', { hasText: 'No MCP servers are configured.' }).waitFor();
    // Folded, so that there is room for the servers.
    await workbench.page.locator('.sidebar .pane-header', { hasText: /^Hooks/ }).click();
    const scenario = { tools: ['read_note', 'delete_all'], stderr: 'the notes are open\n', child: pidFile };
    await choose('Hookline: Add MCP Server…', 'Program');
    await workbench.quickInput.type(`TOPIC=notes "${process.execPath}" "${MCP_SERVER}" '${JSON.stringify(scenario)}'`);
    await workbench.screenshot('mcp-add');
    await workbench.quickInput.accept();
    await workbench.quickInput.chooseByKeyboard('For you');
    await workbench.quickInput.type('notes');
    await workbench.quickInput.accept();
    await row('notes', 'connected, 2 tools').waitFor();
    assert.deepEqual(entry('notes'), {
      command: process.execPath,
      args: [MCP_SERVER, JSON.stringify(scenario)],
      env: { TOPIC: 'notes' },
    });
    await row('notes').click();
    await row('read_note').waitFor();
    await row('delete_all').waitFor();
    await widenSideBar(workbench, 300);
    await workbench.screenshot('mcp-view-300');
  });

  it('show their log, and are restarted', async () => {
    await press('notes', 'Show MCP Server Log…');
    await workbench.page.locator('.panel .view-line', { hasText: 'the notes are open' }).waitFor();
    await workbench.screenshot('mcp-log');
    const before = pids();
    assert.deepEqual(await alive(before), before);
    await press('notes', 'Restart MCP Server…');
    await ended(before);
    const now = await waitFor(() => (pids().some(pid => before.includes(pid)) ? undefined : pids()), {
      what: 'the new processes',
    });
    await row('notes', 'connected, 2 tools').waitFor();
    assert.deepEqual(await alive(now), now);
  });

  it('are turned off with all they started, turned on again, and exposed otherwise', async () => {
    const before = pids();
    await choose('Hookline: Turn Off MCP Server…', 'notes');
    await row('notes', 'turned off').waitFor();
    await ended(before);
    assert.equal(entry('notes')?.['enabled'], false);
    await row('read_note').waitFor({ state: 'detached' });
    await workbench.screenshot('mcp-off');
    await choose('Hookline: Turn On MCP Server…', 'notes');
    await row('notes', /connected, 2 tools.*found by search/).waitFor();
    await choose('Hookline: Choose Exposure of MCP Server…', 'notes', 'direct');
    await row('notes', /connected, 2 tools.*direct/).waitFor();
    assert.equal(entry('notes')?.['exposure'], 'direct');
  });

  it('answer the agent, and a gate of the workspace blocks one of their tools', async () => {
    const chat = await Chat.open(workbench);
    llm.reply(
      { toolCalls: [{ name: 'mcp__notes__read_note', arguments: { id: 7 } }] },
      { toolCalls: [{ name: 'mcp__notes__delete_all', arguments: {} }] },
      { text: 'The notes are still there.' },
    );
    await chat.ask('tidy up my notes');
    await chat.tool('mcp__notes__read_note', 'done');
    const blocked = await chat.tool('mcp__notes__delete_all', 'blocked');
    await chat.says('The notes are still there.');
    await chat.idle();
    assert.match(await blocked.innerText(), /keep-notes\.ts/);
    const [declared, , told] = llm.requests.map(({ body }) => JSON.stringify(body));
    assert.match(declared ?? '', /"name":"mcp__notes__read_note"/);
    assert.match(told ?? '', /read_note \{\\"id\\":7\}.*notes are kept/);
    await workbench.screenshot('mcp-gate');
  });

  it('that want a login get it in the browser, and lose it', async () => {
    await choose('Hookline: Add MCP Server…', 'Address');
    await workbench.quickInput.type(far.url);
    await workbench.quickInput.accept();
    await workbench.quickInput.chooseByKeyboard('For you');
    await workbench.quickInput.type('far');
    await workbench.quickInput.accept();
    await workbench.runCommand('Hookline Hooks: Focus on MCP Servers View');
    await row('far', 'needs a login').waitFor();
    await workbench.screenshot('mcp-needs-login');
    const [page] = await Promise.all([
      workbench.page.context().waitForEvent('page'),
      press('far', 'Log In to MCP Server…'),
    ]);
    // The server of these tests leads addresses of this machine over a proxy of its own, which it does not run.
    await page.goto(page.url().replace(/^.*\/proxy\/(\d+)\//, 'http://127.0.0.1:$1/'));
    await page.getByText('You are logged in to the MCP server. You can close this page.').waitFor();
    await page.close();
    await row('far', 'connected, 1 tool').waitFor();
    await workbench.page
      .locator('.notification-toast', { hasText: 'You are logged in to the MCP server far' })
      .waitFor();
    await workbench.page
      .locator('.notification-toast', { hasText: 'Open Browser Again' })
      .waitFor({ state: 'detached' });
    await workbench.screenshot('mcp-logged-in');
    assert.equal(existsSync(join(workbench.place.home, '.pi/agent/mcp-auth.json')), false);
    await choose('Hookline: Log Out of MCP Server…', 'far');
    await row('far', 'needs a login').waitFor();
  });

  it('of a broken mcp.json are told with their line, and those before go on', async () => {
    const text = readFileSync(mcpFile(), 'utf8');
    writeFileSync(mcpFile(), text.replace('"far"', '"far" oops'));
    await row(/mcp\.json:\d+:\d+/).waitFor();
    await row('notes', 'connected, 2 tools').waitFor();
    await workbench.screenshot('mcp-broken');
    writeFileSync(mcpFile(), text);
    await row(/mcp\.json:\d+:\d+/).waitFor({ state: 'detached' });
  });
});

describe('an MCP server that VS Code has as well', () => {
  let workbench: Workbench;
  before(async () => {
    const program = (scenario: object): object => ({
      command: process.execPath,
      args: [MCP_SERVER, JSON.stringify(scenario)],
    });
    const notes = program({ name: 'Note Keeper', tools: ['read_note'] });
    const other = program({ name: 'Other', tools: ['look_up'] });
    workbench = await openWorkbench({
      workspace: 'none',
      homeFiles: { '.pi/agent/mcp.json': JSON.stringify({ mcpServers: { notes } }) },
      files: { '.vscode/mcp.json': JSON.stringify({ servers: { notes, other } }, null, 2) },
    });
  });
  after(() => workbench.close());

  it('is offered once, by Hookline, beside one that only VS Code has', async () => {
    await Chat.open(workbench);
    const { page, quickInput } = workbench;
    await workbench.openPalette();
    await quickInput.type('mcp.json');
    await quickInput.accept();
    for (const running of [1, 2]) {
      await page
        .locator('.codelens-decoration a', { hasText: /\bStart/ })
        .first()
        .click();
      const lenses = page.locator('.codelens-decoration a', { hasText: 'Restart' });
      await waitFor(async () => ((await lenses.count()) === running ? true : undefined), {
        what: `${running} servers of VS Code to run`,
      });
    }
    await workbench.runCommand('Hookline: Select Tools…');
    await quickInput.opened({ withItems: true });
    await quickInput.type('mcp_');
    const names = async (): Promise<readonly string[]> =>
      (await quickInput.items()).map(item => item.split('\n')[0] ?? '').sort();
    await waitFor(async () => ((await names()).includes('mcp_other_look_up') ? true : undefined), {
      what: 'the tool that only VS Code has',
    });
    assert.deepEqual(await names(), ['mcp__notes__read_note', 'mcp_other_look_up']);
    await workbench.screenshot('mcp-offered-once');
  });
});
