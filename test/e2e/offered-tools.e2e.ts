import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Locator } from 'playwright-core';
import { packVsix } from '../../scripts/support/vsix.ts';
import { readProcessRow } from '../../src/base/ending/process-table';
import { readEndpoint } from '../../src/guard/protocol/endpoint';
import { guardPlace } from '../../src/guard/protocol/place';
import { stateFolder } from '../../src/startup/own-folders';
import { processesWith } from '../agent/tools/fixture';
import { answerQuestion, openQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** A tool and its gate; both note what they see. */
const HOOK = `
import { appendFileSync } from 'node:fs';
const note = (ctx, line) => appendFileSync(ctx.cwd + '/seen.txt', line + '\\n');
export default function (pi) {
  pi.registerTool({
    name: 'deploy', label: 'Deploy', description: 'Puts a version online.',
    parameters: { type: 'object', properties: { version: { type: 'string' } }, required: ['version'] },
    async execute(id, { version }, signal, onUpdate, ctx) {
      note(ctx, 'deploys ' + version);
      return { content: [{ type: 'text', text: 'deployed ' + version }], details: {} };
    },
  });
  pi.on('tool_call', async (event, ctx) => {
    note(ctx, event.toolName + ' ' + event.input.version);
    if (event.input.version === '13') return { block: true, reason: 'Not on a Friday.' };
    if (!event.input.version.startsWith('beta')) return;
    if (!(await ctx.ui.confirm('Deploy a beta?', 'It goes online.'))) return { block: true, reason: 'No betas today.' };
  });
}
`;

const SECOND_TOOL = `export default pi => pi.registerTool({
  name: 'undeploy', label: 'Undeploy', description: 'Takes it offline.', parameters: { type: 'object', properties: {} },
  async execute() { return { content: [], details: {} }; },
});
`;

/** What an extension got from a call of a tool. */
interface ToolAnswer {
  readonly text: string;
  readonly error?: string;
}

describe('tools of hooks, offered to the agent of VS Code', () => {
  let workbench: Workbench;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-offered-'));
    const vsix = join(folder, 'tool-caller.vsix');
    packVsix({ folder: resolve(import.meta.dirname, '..', 'fixtures', 'tool-caller'), vsix });
    workbench = await openWorkbench({
      ...{ workspace: 'none', name: 'shop-api', vsixes: [vsix], files: { '.pi/hooks/deploy.ts': HOOK } },
      // MCP servers belong to its AI features, which other tests switch off.
      settings: { 'chat.disableAIFeatures': false },
    });
  });
  after(async () => {
    const host = readEndpoint(place())?.pid;
    await workbench.close();
    if (host !== undefined) process.kill(host, 'SIGTERM'); // It outlives the window.
    await waitFor(() => (host === undefined || readProcessRow(host) === undefined ? true : undefined), {
      what: 'the end of the host',
    });
    rmSync(folder, { recursive: true, force: true });
  });

  const place = () => guardPlace(stateFolder({}, process.platform, workbench.place.home));
  const inHome = (name: string): unknown => {
    const file = join(workbench.place.home, name);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;
  };
  /** Our tools among those that VS Code has. */
  const tools = (): readonly string[] =>
    ((inHome('tools.json') ?? []) as string[]).filter(name => name.includes('hookline'));
  const toolsBecome = (...names: readonly string[]): Promise<true> =>
    waitFor(() => (tools().join() === names.join() ? true : undefined), { what: `the tools ${names.join(', ')}` });
  const seen = (): readonly string[] => {
    const file = join(workbench.workspace, 'seen.txt');
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  };
  const row = (label: string): Locator =>
    workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: label });
  /** Our server in the list; commands of ours have its name, too. */
  const server = (): Locator =>
    workbench.page.locator('.quick-input-list .monaco-list-row', {
      hasText: /Hookline\s*(?:Stopped|Starting|Running)/,
    });
  const listServers = async (): Promise<void> => {
    await workbench.runCommand('MCP: List Servers');
    await row('Add Server').waitFor();
  };
  /** Opens the list anew until our server is in it. */
  const untilListed = (): Promise<true> =>
    waitFor(
      async () => {
        await listServers();
        if ((await server().count()) > 0) return true;
        await workbench.quickInput.cancel();
        return undefined;
      },
      { what: 'our server in the list' },
    );
  /** Whether a process of our server runs; elsewhere than on Linux, nobody looks. */
  const serverRuns = async (isExpected: boolean): Promise<boolean> => {
    if (process.platform !== 'linux') return isExpected;
    const lines = await processesWith('mcp serve');
    return lines.some(line => line.includes(workbench.place.extensionsDir));
  };

  let calls = 0;
  /** Calls the tool as an agent of VS Code does; VS Code asks first, because the tool may change something. */
  const call = async (version: string): Promise<() => Promise<ToolAnswer>> => {
    const id = String((calls += 1));
    await workbench.runCommand('Tool Caller: Call');
    await workbench.quickInput.type(`${id} mcp_hookline_deploy ${JSON.stringify({ version })}`);
    await workbench.quickInput.accept();
    const dialog = workbench.page.locator('.monaco-dialog-box', { hasText: 'Run Deploy' });
    await dialog.getByRole('button', { name: 'Yes' }).click();
    return () => waitFor(() => inHome(`answer-${id}.json`) as ToolAnswer | undefined, { what: `answer ${id}` });
  };

  it('are listed with their server, which VS Code starts when the user wants it', async () => {
    await untilListed();
    assert.match(await server().innerText(), /Stopped/);
    assert.equal(await serverRuns(false), false);
    await server().click();
    await row('Start Server').click();
    await toolsBecome('mcp_hookline_deploy');
    await workbench.page.locator('.view-line', { hasText: /Discovered.1.tools/ }).waitFor();
    await listServers();
    assert.match(await server().innerText(), /Running/);
    await workbench.screenshot('offered-tools-1-servers');
    await workbench.quickInput.cancel();
  });

  it('are others when a hook is saved', async () => {
    const file = join(workbench.workspace, '.pi', 'hooks', 'second.ts');
    writeFileSync(file, SECOND_TOOL);
    await toolsBecome('mcp_hookline_deploy', 'mcp_hookline_undeploy');
    rmSync(file);
    await toolsBecome('mcp_hookline_deploy');
  });

  it('run when the gate lets the call pass', async () => {
    const answer = await call('12');
    assert.deepEqual(await answer(), { text: 'deployed 12' });
    assert.deepEqual(seen(), ['deploy 12', 'deploys 12']);
  });

  it('do not run when the gate blocks the call, and the agent gets the reason', async () => {
    const { text } = await (await call('13'))();
    assert.match(text, /Not on a Friday\./);
    assert.deepEqual(seen().slice(2), ['deploy 13']);
  });

  it('run when the user says yes in the window, which asks once and names who calls', async () => {
    const answer = await call('beta 1');
    await openQuestion(workbench);
    // This VS Code calls itself so.
    assert.match(await workbench.quickInput.title(), /^code-server asks in shop-api/);
    await workbench.screenshot('offered-tools-2-question');
    assert.deepEqual(seen().slice(3), ['deploy beta 1']);
    await workbench.quickInput.chooseByKeyboard('Yes');
    assert.deepEqual(await answer(), { text: 'deployed beta 1' });
    assert.deepEqual(seen().slice(3), ['deploy beta 1', 'deploys beta 1']);
  });

  it('do not run when the user says no', async () => {
    const answer = await call('beta 2');
    await answerQuestion(workbench, 'No');
    assert.match((await answer()).text, /No betas today\./);
    assert.deepEqual(seen().slice(5), ['deploy beta 2']);
  });

  /** Sets it in the Settings editor, and closes that. */
  const setOffered = async (isOn: boolean, picture?: string): Promise<void> => {
    const file = join(workbench.place.serverDataDir, 'data', 'User', 'settings.json');
    await workbench.runCommand('Preferences: Open Settings (UI)');
    await workbench.page.keyboard.type('@id:hookline.hooks.offerTools');
    const box = workbench.page
      .locator('.settings-editor .setting-item-bool', { hasText: 'Offer Tools' })
      .getByRole('checkbox');
    // The row is drawn anew while the search still runs, so that a click may be lost.
    await waitFor(
      async () => {
        if (/offerTools": false/.test(readFileSync(file, 'utf8')) !== isOn) return true;
        if ((await box.getAttribute('aria-checked')) !== String(isOn)) await box.click();
        return undefined;
      },
      { what: `the setting to be ${isOn}` },
    );
    if (picture !== undefined) await workbench.screenshot(picture);
    await workbench.page.keyboard.press('Escape');
    await workbench.page.locator('.settings-editor').waitFor({ state: 'detached' });
  };

  it('are gone with their server when the setting turns them off, and come back with it', async () => {
    assert.equal(await serverRuns(true), true);
    await setOffered(false, 'offered-tools-3-setting');
    await toolsBecome();
    await waitFor(async () => ((await serverRuns(false)) ? undefined : true), { what: 'the end of the server' });
    await listServers();
    await server().waitFor({ state: 'detached' });
    await workbench.screenshot('offered-tools-4-off');
    await workbench.quickInput.cancel();
    await setOffered(true);
    await untilListed();
  });
});
