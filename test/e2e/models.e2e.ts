import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedLlm } from '../support/scripted-llm';
import { packTestModels } from '../support/test-models';
import { Chat } from './support/chat';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** A hook that brings a provider with a login, as one of a company would. */
const acme = (url: string): string => `export default function (pi) {
  pi.registerProvider('acme', {
    baseUrl: '${url}', api: 'openai-completions', models: [{ id: 'one', name: 'Acme One' }],
    oauth: {
      name: 'Acme Account',
      async login(callbacks) {
        callbacks.onAuth({ url: '${url}/agree', instructions: 'Enter code: ABCD-1234' });
        const code = await callbacks.onPrompt({ message: 'Paste the code that the page shows', placeholder: 'code' });
        return { access: 'token-' + code, refresh: 'refresh', expires: Date.now() + 3600_000 };
      },
      async refreshToken(tokens) { return tokens; },
      getApiKey(tokens) { return tokens.access; },
    },
  });
}\n`;

const late = `export default function (pi) {
  pi.registerProvider('late', { baseUrl: 'http://127.0.0.1:9', apiKey: 'x', api: 'openai-completions', models: [{ id: 'l', name: 'Latecomer' }] });
}\n`;

describe('models, tools and logins in VS Code', () => {
  let workbench: Workbench;
  let chat: Chat;
  let llm: ScriptedLlm;
  let dir: string;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-vsix-'));
    llm = await ScriptedLlm.start();
    const { baseUrl } = llm.model('openai-completions');
    workbench = await openWorkbench({
      vsixes: [packTestModels(dir)],
      files: { '.pi/hooks/acme.ts': acme(baseUrl) },
    });
    chat = await Chat.open(workbench);
  });

  after(async () => {
    await workbench.close();
    await llm.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const pickModel = async (name: string): Promise<void> => {
    await workbench.runCommand('Hookline: Choose Model…');
    await workbench.quickInput.type(name);
    // What Enter would take: the list is filtered some time after the typing.
    await waitFor(async () => ((await workbench.quickInput.activeItem())?.includes(name) === true ? true : undefined), {
      what: `${name} as the active item of the list of models`,
    });
  };

  it('lists what can be used now, and the rest behind one row', async () => {
    await workbench.runCommand('Hookline: Choose Model…');
    await workbench.quickInput.opened({ withItems: true });
    const usable = await workbench.quickInput.items();
    assert.ok(usable.length < 12, `${usable.length} rows`);
    assert.match(usable.at(-1) ?? '', /Show \d{3,} models that need a key or a login…/);
    await workbench.screenshot('models-0-usable');
    const isOnRest = async (): Promise<boolean> =>
      (await workbench.quickInput.activeItem())?.includes('that need a key') === true;
    await workbench.pressUntil('ArrowUp', isOnRest);
    await workbench.page.keyboard.press('Enter'); // The list stays open.
    await waitFor(
      async () => ((await workbench.quickInput.text()).includes('anthropic: no key yet') ? true : undefined),
      {
        what: 'models without a key',
      },
    );
    await workbench.quickInput.cancel();
  });

  it('finds models without a key for a typed text, before the row for one that is not listed', async () => {
    await workbench.runCommand('Hookline: Choose Model…');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.type('anthropic/claude-opus');
    const isAt = async (what: string): Promise<boolean> =>
      (await workbench.quickInput.activeItem())?.includes(what) === true;
    await waitFor(async () => ((await isAt('anthropic/claude-opus')) ? true : undefined), {
      what: 'a model without a key, as what Enter takes',
    });
    await workbench.screenshot('models-0-typed');
    // The arrow goes from the first row to the last.
    await workbench.page.keyboard.press('ArrowUp');
    await waitFor(async () => ((await isAt('Use claude-opus of anthropic, which is not listed')) ? true : undefined), {
      what: 'the row for a model that is not listed, as the last',
    });
    await workbench.quickInput.cancel();
  });

  it('lists models of VS Code and of hooks, also those that come while the list is open', async () => {
    await workbench.runCommand('Test Models: Offer');
    await pickModel('Test Parrot');
    assert.match(await workbench.quickInput.text(), /vscode-lm\/test-vendor\/parrot/);
    await workbench.screenshot('models-1-picker');
    assert.doesNotMatch(await workbench.quickInput.text(), /demo\/offline/);
    await workbench.quickInput.type('demo');
    await waitFor(async () => ((await workbench.quickInput.text()).includes('demo/offline') ? true : undefined), {
      what: 'the demo, which is named',
    });
    await workbench.quickInput.type('Latecomer');
    writeFileSync(join(workbench.workspace, '.pi', 'hooks', 'late.ts'), late);
    await waitFor(
      async () => ((await workbench.quickInput.activeItem())?.includes('late/l') === true ? true : undefined),
      {
        what: 'the model of a hook that was saved just now, as what Enter takes',
      },
    );
    await workbench.screenshot('models-2-live');
    await workbench.quickInput.cancel();
  });

  it('talks to a model of VS Code without a key, with a tool, and marks its numbers as estimates', async () => {
    await pickModel('Test Parrot');
    await workbench.quickInput.accept();
    await chat.frame.getByRole('button', { name: 'Choose model: Test Parrot' }).waitFor();
    await chat.ask('tool ls {"path":"."}');
    await chat.tool('ls', 'done');
    await chat.idle();
    await chat.says(/The tool said: /);
    const meter = chat.frame.locator('[data-hookline="usage"]');
    assert.match((await meter.getAttribute('aria-label')) ?? '', /~\d+ %, ~[\d.]+k?\/64k tokens/);
    await meter.click();
    const panel = chat.frame.getByRole('dialog', { name: 'Context and cost' });
    assert.match(await panel.innerText(), /Context: ~.*Input.*~.*Output.*~.*Total.*estimate/s);
    await workbench.screenshot('models-3-usage');
    await workbench.page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
  });

  it('offers a tool of VS Code when it is selected, and not before', async () => {
    await chat.ask('tool test_weather {"city":"Ulm"}');
    await chat.idle();
    await chat.says(/Tool test_weather not found/);
    await workbench.runCommand('Hookline: Select Tools…');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.type('test_weather');
    const row = workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'test_weather' });
    await row.first().waitFor();
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Space');
    await workbench.quickInput.type('');
    await workbench.screenshot('models-4-select-tools');
    await workbench.quickInput.accept();
    await workbench.quickInput.closed();
    await chat.ask('tool test_weather {"city":"Ulm"}');
    await chat.tool('test_weather', 'done');
    await chat.idle();
    await chat.says(/Rain in Ulm/);
    await workbench.screenshot('models-5-editor-tool');
  });

  it('lets another extension read hooks and conversations, and gives it nothing else', async () => {
    const file = join(workbench.workspace, 'seen-by-an-extension.json');
    await workbench.runCommand('Test Models: Read Hookline');
    const seen = await waitFor(() => readSeen(file), { what: 'what the extension saw' });
    assert.deepEqual(seen.members, ['conversations', 'hooks', 'onDidChange', 'version']);
    assert.equal(seen.frozen, true);
    const gate = seen.hooks.find(({ path }) => path.endsWith('permission-gate.ts'));
    assert.deepEqual([gate?.state, gate?.events], ['live', ['tool_call']]);
    assert.deepEqual(
      seen.conversations.map(({ shown }) => shown),
      [true],
    );
  });

  it('says that a model is gone and keeps the text', async () => {
    await workbench.runCommand('Test Models: Withdraw');
    await workbench.runCommand('Hookline: Choose Model…');
    await workbench.quickInput.opened({ withItems: true });
    // VS Code tells it some time after the command has run.
    await waitFor(async () => ((await workbench.quickInput.text()).includes('Test Parrot') ? undefined : true), {
      what: 'the list of models without it',
    });
    await workbench.quickInput.cancel();
    await chat.ask('are you there?');
    await chat.says(/Test Parrot .*is not offered any more/);
    assert.match(await chat.composer.inputValue(), /are you there\?/);
    await workbench.screenshot('models-6-gone');
  });

  it('logs in through the browser and an input box, uses the token, and logs out', async () => {
    await workbench.runCommand('Hookline: Log In…');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.type('Acme');
    const [page] = await Promise.all([workbench.page.context().waitForEvent('page'), workbench.quickInput.accept()]);
    assert.match(page.url(), /\/v1\/agree$/);
    await page.close();
    await waitFor(async () => ((await workbench.quickInput.text()).includes('Paste the code') ? true : undefined), {
      what: 'the input box of the login',
    });
    await workbench.screenshot('models-7-login');
    const toast = workbench.page.locator('.notification-toast', { hasText: 'Enter code: ABCD-1234' });
    const [again] = await Promise.all([
      workbench.page.context().waitForEvent('page'),
      toast.getByText('Open Browser Again').click(),
    ]);
    assert.equal(again.url(), page.url());
    await again.close();
    await workbench.quickInput.type('4711');
    await workbench.quickInput.accept();
    await waitFor(
      async () =>
        (await workbench.notifications()).some(text => text.includes('You are logged in')) ? true : undefined,
      { what: 'the news of the login' },
    );
    await toast.waitFor({ state: 'detached' });
    const file = join(workbench.place.home, '.pi', 'agent', 'auth.json');
    assert.match(readFileSync(file, 'utf8'), /token-4711/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    await pickModel('Acme One');
    await workbench.quickInput.accept();
    await chat.frame.getByRole('button', { name: 'Choose model: Acme One' }).waitFor();
    llm.reply({ text: 'Welcome, token.' });
    await chat.composer.fill('');
    await chat.ask('hello');
    await chat.says(/Welcome, token\./);
    assert.equal(llm.requests.at(-1)?.headers['authorization'], 'Bearer token-4711');
    await pickModel('Ask acme which models');
    await workbench.page.keyboard.press('Enter'); // The list stays open.
    const isTold = async (what: string): Promise<true | undefined> =>
      (await workbench.notifications()).some(text => text.includes(what)) ? true : undefined;
    await waitFor(() => isTold('Provider "acme" did not list its models at'), { what: 'why there is no list' });
    await workbench.quickInput.type('acme/one-of-tomorrow');
    await waitFor(
      async () => ((await workbench.quickInput.text()).includes('which is not listed') ? true : undefined),
      {
        what: 'the id that no list has',
      },
    );
    await workbench.quickInput.accept();
    await chat.frame.getByRole('button', { name: 'Choose model: one-of-tomorrow' }).waitFor();
    await waitFor(() => isTold('does not list a model "one-of-tomorrow"'), { what: 'a warning about the id' });
    llm.reply({ text: 'From tomorrow.' });
    await chat.ask('hello');
    await chat.says(/From tomorrow\./);
    assert.equal(llm.requests.at(-1)?.body['model'], 'one-of-tomorrow');
    await workbench.runCommand('Hookline: Log Out…');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.accept();
    await waitFor(() => (readFileSync(file, 'utf8').includes('token-4711') ? undefined : true), {
      what: 'the tokens to be gone',
    });
  });
});

interface Seen {
  readonly members: readonly string[];
  readonly frozen: boolean;
  readonly hooks: readonly { readonly path: string; readonly state: string; readonly events: readonly string[] }[];
  readonly conversations: readonly { readonly shown: boolean }[];
}

/** What the fixture's extension wrote, once it has. */
function readSeen(file: string): Seen | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Seen) : undefined;
}
