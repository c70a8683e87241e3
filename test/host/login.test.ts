import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { OAuthLoginCallbacks } from '@mariozechner/pi-ai';
import * as vscode from 'vscode';
import { agentDirFrom } from '../../src/startup/own-folders';
import { logInToProvider, logOut } from '../../src/vscode/login/login';
import { LoginDialogs } from '../../src/vscode/login/login-dialogs';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, key, until } from './support/extension';

const PROVIDER = 'host-oauth';
const SOURCE = 'login.test';

/** What an OAuth server does, on 127.0.0.1: one page to agree on, and tokens for a code. */
async function startAuthority(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    if (pathname === '/agree') response.end('code-1');
    else if (pathname === '/token' && searchParams.get('code') === 'code-1') response.end('token-1');
    else {
      response.statusCode = 400;
      response.end('bad code');
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function fetchText(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, response => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(text));
      });
    }).on('error', reject);
  });
}

describe('a login', () => {
  let window: HooklineWindow;
  let authority: { readonly url: string; readonly server: Server };
  let flow: (callbacks: OAuthLoginCallbacks) => Promise<string>;
  const opened: string[] = [];
  const file = join(agentDirFrom(undefined), 'auth.json');

  before(async () => {
    window = await (await hookline()).window.get();
    authority = await startAuthority();
    const tokens = (access: string) => ({ access, refresh: 'refresh-1', expires: Date.now() + 3_600_000 });
    window.models.registerProvider(
      PROVIDER,
      {
        baseUrl: authority.url,
        api: 'openai-completions',
        models: [{ id: 'm' }],
        oauth: {
          name: 'Host Test Account',
          login: async callbacks => tokens(await flow(callbacks)),
          refreshToken: old => Promise.resolve(old),
          getApiKey: ({ access }) => `key of ${access}`,
        },
      },
      SOURCE,
    );
  });

  beforeEach(() => {
    opened.length = 0;
  });

  after(async () => {
    window.models.unregisterSource(SOURCE);
    authority.server.closeAllConnections();
    await new Promise(resolve => authority.server.close(resolve));
  });

  const auth = () => window.models.authStorage;
  const openExternal = (uri: vscode.Uri): Thenable<boolean> => {
    opened.push(uri.toString(true));
    return Promise.resolve(true);
  };
  const start = (): Promise<boolean> => logInToProvider({ auth: auth(), openExternal }, PROVIDER);
  const model = () => {
    const found = window.models.find(PROVIDER, 'm');
    assert.ok(found);
    return found;
  };

  it('opens the browser, takes the code it comes back with, and keeps tokens as pi does', async () => {
    flow = async ui => {
      ui.onAuth({ url: `${authority.url}/agree`, instructions: 'Enter code: ABCD-1234' });
      await until('the browser was opened', () => opened.length > 0);
      const code = await fetchText(opened[0]!);
      ui.onProgress?.('Exchanging the code…');
      return fetchText(`${authority.url}/token?code=${code}`);
    };
    assert.equal(await window.models.hasKey(model()), false);
    assert.equal(await start(), true);
    assert.deepEqual(opened, [`${authority.url}/agree`]);
    assert.equal(await window.models.getApiKey(model()), 'key of token-1');
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { type: string; access: string }>;
    assert.deepEqual([kept[PROVIDER]?.type, kept[PROVIDER]?.access], ['oauth', 'token-1']);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('gives way to a key typed into VS Code, which is kept in SecretStorage', async () => {
    const { keys } = (await hookline()).ui;
    await keys.set(PROVIDER, 'typed');
    assert.equal(await window.models.getApiKey(model()), 'typed');
    await keys.delete(PROVIDER);
    assert.equal(await window.models.getApiKey(model()), 'key of token-1');
  });

  it('is undone by logging out', async () => {
    await logOut({ auth: auth() }, PROVIDER);
    assert.equal(await window.models.getApiKey(model()), undefined);
    assert.doesNotMatch(readFileSync(file, 'utf8'), /token-1/);
  });

  it('asks in an input box and takes what is pasted there', async () => {
    flow = async ui => `pasted ${await ui.onPrompt({ message: 'Paste it', allowEmpty: true })}`;
    const running = start();
    await pressUntil(running);
    assert.equal(await running, true);
    assert.equal(await window.models.getApiKey(model()), 'key of pasted ');
    await logOut({ auth: auth() }, PROVIDER);
  });

  it('is cancelled by Escape, silently and without a trace', async () => {
    flow = ui => ui.onPrompt({ message: 'Paste it' });
    const running = start();
    await pressUntil(running, 'escape');
    assert.equal(await running, false);
    assert.equal(auth().get(PROVIDER), undefined);
  });

  it('is cancelled by another login to the same provider', async () => {
    flow = async ui => {
      ui.onAuth({ url: `${authority.url}/agree` });
      return ui.onManualCodeInput?.() ?? '';
    };
    const first = start();
    await until('the browser was opened', () => opened.length === 1);
    const second = start();
    assert.equal(await first, false);
    await until('the browser was opened again', () => opened.length === 2);
    flow = () => Promise.resolve('third');
    assert.equal(await start(), true);
    assert.equal(await second, false);
    await logOut({ auth: auth() }, PROVIDER);
  });

  it('tells who failed and why', async () => {
    flow = () => fetchText(`${authority.url}/token?code=wrong`);
    await assert.rejects(start(), /The login to Host Test Account failed: bad code/);
    assert.equal(auth().get(PROVIDER), undefined);
  });

  it('copies the address as the provider gave it, or the code of a device, as long as it lasts', async () => {
    const url = `${authority.url}/agree?scope=a%20b+c&next=http%3A%2F%2Fx`;
    const told: string[] = [];
    const progress = { report: ({ message }: { readonly message: string }) => told.push(message) };
    const dialogs = new LoginDialogs({ name: 'Host', progress, signal: new AbortController().signal, openExternal });
    dialogs.callbacks.onAuth({ url, instructions: 'Enter code: ABCD-1234' });
    dialogs.callbacks.onProgress?.('Waiting for you…');
    const actions = told.map(text =>
      [...text.matchAll(/\[(?<title>[^\]]+)\]\(command:(?<command>[^)]+)\)/g)].map(({ groups }) => groups!),
    );
    const titles = ['Copy Code', 'Open Browser Again', 'Copy Address'];
    assert.deepEqual(
      actions.map(links => links.map(({ title }) => title)),
      [titles, titles],
    );
    assert.match(told[0]!, /^Enter code: ABCD-1234 \[/);
    assert.match(told[1]!, /^Waiting for you… \[/);
    const [code, again, address] = actions[1]!.map(({ command }) => command!);
    await vscode.commands.executeCommand(code!);
    assert.equal(await vscode.env.clipboard.readText(), 'ABCD-1234');
    await vscode.commands.executeCommand(address!);
    assert.equal(await vscode.env.clipboard.readText(), url);
    await vscode.commands.executeCommand(again!);
    assert.equal(opened.length, 2);
    assert.equal(opened[0], opened[1]);
    dialogs.dispose();
    await assert.rejects(Promise.resolve(vscode.commands.executeCommand(code!)), /not found/);
  });

  it('opens web addresses only', async () => {
    flow = ui => {
      ui.onAuth({ url: 'file:///etc/passwd' });
      return Promise.resolve('x');
    };
    await assert.rejects(start(), /not a web address/);
    assert.deepEqual(opened, []);
  });

  it('lets the person choose among what an account offers', async () => {
    flow = async ui => (await ui.onSelect({ message: 'Which?', options: [{ id: 'one', label: 'One' }] })) ?? 'none';
    const running = start();
    await pressUntil(running);
    assert.equal(await running, true);
    assert.equal(await window.models.getApiKey(model()), 'key of one');
    await logOut({ auth: auth() }, PROVIDER);
  });

  /** Presses a key until the login is over: the box may not have the focus at once. */
  async function pressUntil(running: Promise<unknown>, name: 'enter' | 'escape' = 'enter'): Promise<void> {
    let over = false;
    void running.then(
      () => (over = true),
      () => (over = true),
    );
    await until('the login is over', async () => {
      await key(name);
      await new Promise(resolve => setTimeout(resolve, 100));
      return over;
    });
  }
});
