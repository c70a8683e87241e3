import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PhotonImage } from '@silvia-odwyer/photon-node';
import { describeImage } from '../../src/agent/images/describe-image';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { useTheme, widen } from './support/look';
import { scriptedHome } from './support/scripted-home';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const SETTINGS = `{
  "defaultThinkingLevel": "medium",
  "defaultModle": "a mistake",
  "retry": { "maxRetries": "three" }
}
`;
const MODELS = `{
  // A server of our own.
  "providers": {
    "ours": {
      "baseURL": "http://127.0.0.1:9", /* a mistake */
      "models": [{ "id": "one", }],
    },
  },
}
`;
/** Waits until the test says go. */
const waits = (name: string): string => `until [ -e go ]; do sleep 0.1; done; echo ${name} is done`;

describe('today’s pi in VS Code', () => {
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'today ü',
      homeFiles: scriptedHome(llm, ['text', 'image']),
      settings: { 'workbench.colorTheme': 'Dark Modern' },
      files: { '.pi/settings.json': SETTINGS, '.pi/agent/models.json': MODELS, 'notes.txt': 'notes\n' },
    });
    chat = await Chat.open(workbench);
  });

  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  /** Opens a file of the workspace by name, without the mouse. */
  const openFile = async (name: string, folder: string): Promise<void> => {
    await workbench.openPalette();
    await workbench.quickInput.type(`${folder}/${name}`);
    await waitFor(async () => ((await workbench.quickInput.items())[0]?.includes(name) ? true : undefined), {
      what: `${name} in the list of files`,
    });
    await workbench.quickInput.accept();
    await workbench.page.locator('.tab.active', { hasText: name }).waitFor();
  };
  const problems = async (): Promise<readonly string[]> => {
    await workbench.runCommand('Problems: Focus on Problems View');
    return workbench.page.locator('.markers-panel .monaco-list-row .marker-message').allInnerTexts();
  };
  const underlined = (kind: 'warning' | 'error'): Promise<number> =>
    workbench.page.locator(`.monaco-editor .squiggly-${kind}`).count();

  it('underlines what settings.json does not know, and values of the wrong kind', async () => {
    await openFile('settings.json', '.pi');
    await workbench.page.locator('.monaco-editor .squiggly-warning').nth(1).waitFor();
    await waitFor(
      async () => {
        const all = (await problems()).join('\n');
        return all.includes('defaultModle is not allowed') && all.includes('Incorrect type') ? true : undefined;
      },
      { what: 'both problems of settings.json' },
    );
    await workbench.screenshot('today-1-settings-underlined');
  });

  it('takes comments and last commas of models.json, and underlines a mistake in it', async () => {
    await openFile('models.json', '.pi/agent');
    await workbench.page.locator('.statusbar-item', { hasText: 'JSON with Comments' }).waitFor();
    await workbench.page.locator('.monaco-editor .squiggly-warning').first().waitFor();
    await waitFor(
      async () => ((await problems()).some(text => text.includes('baseURL is not allowed')) ? true : undefined),
      { what: 'the problem of models.json' },
    );
    assert.deepEqual([await underlined('warning'), await underlined('error')], [1, 0]);
    await workbench.screenshot('today-2-models-underlined');
    await workbench.runCommand('View: Close All Editors');
    await workbench.runCommand('View: Toggle Panel Visibility');
    chat = await Chat.open(workbench);
  });

  // Before any tool runs: for a second after a call, new hooks count as the agent's.
  it('tells that trust.json says no as soon as it does, and what is held back', async () => {
    const hook = join(workbench.workspace, '.pi', 'hooks', 'held.ts');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, 'export default pi => pi.on("turn_start", () => undefined);\n');
    await workbench.runCommand('Hookline: Reload Hooks');
    const file = join(workbench.place.home, '.pi', 'agent', 'trust.json');
    writeFileSync(file, JSON.stringify({ [realpathSync(workbench.workspace)]: false }));
    const notice = chat.frame.locator('[data-kind="notice"]', { hasText: 'trust.json in the agent folder marks' });
    await notice.waitFor();
    await waitFor(async () => (/Held back: .*held/.test(await notice.innerText()) ? true : undefined), {
      what: 'the hook that is held back',
    });
    await widen(workbench, 300);
    await workbench.screenshot('today-8-trust-300px');
    writeFileSync(file, '{}');
    await notice.waitFor({ state: 'detached' });
    rmSync(hook);
  });

  it('shows several running cards at once, and what became of each', async () => {
    const names = ['one', 'two', 'three'];
    const toolCalls = names.map(name => ({ name: 'bash', arguments: { command: waits(name) } }));
    llm.reply({ text: 'Three at once.', toolCalls }, { text: 'All three are done.' });
    await chat.ask('run them');
    const running = chat.frame.locator('[data-tool="bash"][data-state="running"]');
    await running.nth(2).waitFor();
    assert.equal(await running.count(), 3);
    await widen(workbench, 560);
    await workbench.screenshot('today-3-running-560px');
    await widen(workbench, 300);
    await workbench.screenshot('today-4-running-300px');
    chat = await useTheme(workbench, 'Light Modern');
    await chat.frame.locator('[data-tool="bash"][data-state="running"]').nth(2).waitFor();
    await workbench.screenshot('today-5-running-light-300px');
    writeFileSync(join(workbench.workspace, 'go'), '');
    await chat.says('All three are done.');
    await chat.idle();
    assert.equal(await chat.frame.locator('[data-tool="bash"][data-state="done"]').count(), 3);
    const sent = JSON.stringify(llm.requests.at(-1)?.body);
    for (const name of names) assert.ok(sent.includes(`${name} is done`), name);
    await widen(workbench, 560);
    await workbench.screenshot('today-6-ran-light-560px');
    chat = await useTheme(workbench, 'Dark Modern');
  });

  it('sends an image that is too big smaller, and says by how much', async () => {
    const pixels = new Uint8Array(3000 * 600 * 4).fill(200);
    const png = new PhotonImage(pixels, 3000, 600).get_bytes();
    writeFileSync(join(workbench.workspace, 'wide.png'), png);
    llm.reply({ toolCalls: [{ name: 'read', arguments: { path: 'wide.png' } }] }, { text: 'A grey picture.' });
    await chat.ask('look at it');
    await chat.says('A grey picture.');
    await chat.idle();
    const body = JSON.stringify(llm.requests.at(-1)?.body);
    assert.match(body, /original 3000x600, displayed at 2000x400/);
    const [, data = ''] = /"data":"([A-Za-z0-9+/=]{100,})"/.exec(body) ?? [];
    const { width, height } = describeImage(Buffer.from(data, 'base64')) ?? {};
    assert.deepEqual([width, height], [2000, 400]);
    await workbench.screenshot('today-7-image');
  });
});
