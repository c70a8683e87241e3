import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeModelServer, ollama } from '../support/fake-model-server';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { useTheme, widen } from './support/look';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const KEY = 'sk-right-0123456789abcdef';
const PRICED = {
  ...{
    id: 'dear',
    name: 'Dear One',
    contextWindow: 200_000,
    maxTokens: 1000,
    reasoning: true,
    input: ['text', 'image'],
  },
  cost: { input: 3, output: 15, cacheRead: 0, cacheWrite: 0 },
};

describe('the list of models and servers of models in VS Code', function () {
  this.timeout(240_000);
  let llm: ScriptedLlm;
  let local: FakeModelServer;
  let locked: FakeModelServer;
  let page: FakeModelServer;
  let workbench: Workbench;
  let chat: Chat;
  let file: string;

  before(async () => {
    llm = await ScriptedLlm.start();
    local = await ollama('gemma3:4b', 'qwen3:8b');
    page = await FakeModelServer.start((_request, response) => void response.end('<!doctype html><title>Hi</title>'));
    locked = await FakeModelServer.start(({ headers, url }, response) => {
      response.statusCode = headers.authorization !== `Bearer ${KEY}` ? 401 : url === '/v1/models' ? 200 : 404;
      response.end('{"data":[{"id":"big","max_model_len":65536,"owned_by":"vllm"}]}');
    });
    const provider = { baseUrl: llm.model('anthropic-messages').baseUrl, apiKey: 'k', api: 'anthropic-messages' };
    const text = `{\n  // of mine\n  "providers": ${JSON.stringify({ priced: { ...provider, models: [PRICED] } })}\n}\n`;
    workbench = await openWorkbench({
      homeFiles: { '.pi/agent/models.json': text },
      settings: {
        'hookline.models.localServers': { ollama: local.port, lmstudio: page.port, llamacpp: page.port, vllm: 0 },
      },
    });
    file = join(workbench.place.home, '.pi', 'agent', 'models.json');
    chat = await Chat.open(workbench);
    await widen(workbench, 292);
  });
  after(async () => {
    await workbench.close();
    await Promise.all([llm.stop(), local.stop(), locked.stop(), page.stop()]);
  });

  const list = (): Promise<string> => workbench.quickInput.text();
  const shows = (what: RegExp): Promise<true> =>
    waitFor(async () => (what.test(await list()) ? true : undefined), { what: String(what) });
  const openList = async (): Promise<void> => {
    await workbench.runCommand('Hookline: Choose Model…');
    await workbench.quickInput.opened({ withItems: true });
  };
  const type = async (text: string): Promise<void> => {
    await workbench.quickInput.type(text);
  };

  it('says of each model what it costs, takes and can do, and from when the list is', async () => {
    assert.deepEqual(local.asked, [], 'nobody is asked before the list opens');
    await openList();
    await shows(/Dear One[\s\S]*\$3 in, \$15 out per million tokens · 200k context · thinking · images/);
    await shows(/priced: key known, models\.json of \w+ \d+, \d{4}/);
    await shows(/Choose a model \(list of /);
  });

  it('offers a server on this machine that no file names, and no other program', async () => {
    await shows(/Ollama on this machine, list of \d+:\d+/);
    await shows(/gemma3:4b[\s\S]*32\.8k context · thinking · images/);
    assert.doesNotMatch(await list(), /LM Studio|llama\.cpp/);
    assert.ok(page.asked.length > 0, 'the other program was asked');
    await workbench.screenshot('model-picker-dark');
  });

  it('has favorites on top, chosen with the keyboard, also after a reload', async () => {
    await type('qwen3');
    await waitFor(async () => ((await workbench.quickInput.activeItem())?.includes('qwen3:8b') ? true : undefined), {
      what: 'the model as the active row',
    });
    await workbench.page.keyboard.press('Shift+Tab');
    await workbench.page.keyboard.press('Enter');
    await type('');
    await shows(/Favorites/);
    const rows = await workbench.quickInput.items();
    assert.match(rows[0] ?? '', /qwen3:8b/);
    await workbench.quickInput.cancel();
    await workbench.reload();
    chat = await Chat.open(workbench);
    for (const [theme, name] of [
      ['Light Modern', 'light'],
      ['Dark High Contrast', 'hc-dark'],
    ] as const) {
      chat = await useTheme(workbench, theme);
      await openList();
      await shows(/Favorites/);
      assert.match((await workbench.quickInput.items())[0] ?? '', /qwen3:8b/);
      await workbench.screenshot(`model-picker-${name}`);
      await workbench.quickInput.cancel();
    }
  });

  it('uses such a model at once and after a reload, and says its name and address when it does not run', async () => {
    await openList();
    await shows(/gemma3:4b/);
    await type('gemma3');
    await waitFor(async () => ((await workbench.quickInput.activeItem())?.includes('gemma3:4b') ? true : undefined), {
      what: 'the model as the active row',
    });
    await workbench.quickInput.accept();
    await chat.frame.getByRole('button', { name: 'Choose model: gemma3:4b' }).waitFor();
    await chat.ask('hello');
    await chat.says(/provider "ollama" knows no model "gemma3:4b"/i);
    await chat.idle();
    await local.stop();
    await workbench.reload();
    chat = await Chat.open(workbench);
    await chat.frame.getByRole('button', { name: 'Choose model: gemma3:4b' }).waitFor();
    await chat.ask('hello again');
    await chat.says(new RegExp(`provider "ollama" could not be reached at ${local.address}/v1\\. Start the server`));
    await workbench.screenshot('model-picker-292-not-running');
    await chat.frame
      .locator('[data-hookline="stop"]')
      .press('Enter')
      .catch(() => undefined);
    await chat.idle();
  });

  const addServer = async (address: string): Promise<void> => {
    await workbench.runCommand('Hookline: Add Model Server…');
    await workbench.quickInput.opened();
    await type(address);
    await workbench.quickInput.accept();
  };
  const told = async (what: RegExp): Promise<void> => {
    await workbench.showNotifications();
    await waitFor(async () => ((await workbench.notifications()).some(text => what.test(text)) ? true : undefined), {
      what: String(what),
    });
  };

  it('says what an address answers: nothing, and a web page', async () => {
    const before = readFileSync(file, 'utf8');
    await addServer(local.address);
    await told(/Nothing listens at .*Is the server running\?/);
    await workbench.screenshot('model-server-silent');
    await workbench.runCommand('Notifications: Clear All Notifications');
    await addServer(page.address);
    await told(/answers with a web page/);
    await workbench.screenshot('model-server-page');
    await workbench.runCommand('Notifications: Clear All Notifications');
    assert.equal(readFileSync(file, 'utf8'), before);
  });

  it('asks for a key, adds the models with the comments of the file kept, and the key nowhere in it', async () => {
    await addServer(locked.address);
    await shows(/API key for/);
    await type(KEY);
    await workbench.quickInput.accept();
    await shows(/vLLM at .* offers 1 model\b[\s\S]*big[\s\S]*65\.5k context/);
    await workbench.screenshot('model-server-models');
    await workbench.quickInput.accept();
    await shows(/Name of the provider/);
    await workbench.quickInput.accept();
    await told(/1 model of vllm was added to models\.json/);
    const text = readFileSync(file, 'utf8');
    assert.match(text, /\/\/ of mine/);
    assert.match(text, /"vllm": \{/);
    assert.doesNotMatch(text, new RegExp(KEY));
    await workbench.runCommand('Notifications: Clear All Notifications');
    await openList();
    await shows(/vllm: key known, models\.json of/);
    await workbench.quickInput.cancel();
  });

  it('does not give a server a name under which a key is stored', async () => {
    writeFileSync(file, '{ "providers": {} }\n');
    await openList();
    await waitFor(async () => (/vllm:/.test(await list()) ? undefined : true), { what: 'the list without vllm' });
    await workbench.quickInput.cancel();
    await addServer(locked.address);
    await shows(/API key for/);
    await type(KEY);
    await workbench.quickInput.accept();
    await shows(/vLLM at .* offers 1 model\b/);
    await workbench.quickInput.accept();
    await shows(/Name of the provider/);
    assert.equal(await workbench.quickInput.value(), 'vllm-2');
    await type('vllm');
    await shows(/A key is stored under this name\. It would be sent to this server\./);
    await workbench.page.keyboard.press('Enter');
    await shows(/A key is stored under this name/);
    await workbench.quickInput.cancel();
    assert.equal(readFileSync(file, 'utf8'), '{ "providers": {} }\n');
  });

  it('names a broken models.json with its line before anything is typed, and leaves it', async () => {
    const broken = '{\n  "providers": {\n    "a": }\n}\n';
    writeFileSync(file, broken);
    await workbench.runCommand('Hookline: Add Model Server…');
    await told(/models\.json:3:10: is not JSON/);
    assert.equal(readFileSync(file, 'utf8'), broken);
    assert.equal(existsSync(`${file}.lock`), false);
    await workbench.screenshot('model-server-broken');
  });
});
