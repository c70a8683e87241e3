import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../../../src/base/log';
import { FolderTrust } from '../../../../src/modes/acp/questions/folder-trust';
import { loadByTrust, type TrustedParts } from '../../../../src/startup/load-by-trust';
import { ProjectTrust } from '../../../../src/startup/trust/project-trust';
import { AskedClient, PROFILES } from '../support/asked-client';

const YES = { action: 'accept', content: { answer: 'Trust this folder' } };
const PERSON = { env: {}, ppid: 1 };

describe('trust in the folder of a session of the Agent Client Protocol', () => {
  let cwd = '';
  let agentDir = '';
  let loads: string[] = [];
  let said: string[] = [];
  let client: AskedClient;

  beforeEach(() => {
    cwd = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-acp-trust-')));
    agentDir = join(cwd, 'agent');
    mkdirSync(join(cwd, '.pi', 'hooks'), { recursive: true });
    loads = [];
    said = [];
    client = new AskedClient(PROFILES.everything);
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  /** The folder, loaded as at a start; `loads` has what was loaded since. */
  async function folderFor(caller = PERSON): Promise<FolderTrust> {
    const trust = new ProjectTrust({ agentDir, cwd, env: {}, log: silentLog });
    const note = (what: string) => () => Promise.resolve(void loads.push(what));
    const parts = {
      trust,
      settings: { reload: note('settings'), current: { defaultProjectTrust: 'ask' } },
      prompt: { reload: note('prompt') },
      host: {
        reload: () => note(trust.isTrusted ? 'hooks of the folder' : 'other hooks')(),
        runner: { hasHandlers: () => false },
      },
    } as unknown as TrustedParts;
    const reload = (): Promise<void> => loadByTrust(parts);
    await reload();
    return new FolderTrust({ trust, reload, place: { cwd, agentDir, stateDir: join(cwd, 'state'), caller } });
  }

  const ask = (folder: FolderTrust, signal = new AbortController().signal): Promise<void> =>
    folder.ask({ client, say: (level, text) => said.push(`${level} ${text}`) }, signal);
  const saved = (): unknown => JSON.parse(readFileSync(join(agentDir, 'trust.json'), 'utf8'));

  it('is asked for with a form, and loads nothing of the folder before a yes', async () => {
    const folder = await folderFor();
    const asked = ask(folder);
    const request = await client.sent(0);
    assert.equal(request.method, 'elicitation/create');
    assert.equal(
      request.params['message'],
      `Do you trust ${cwd}? Its own hooks and settings then run code on your computer: ${join('.pi', 'hooks')}`,
    );
    assert.deepEqual(loads, ['other hooks']);
    request.resolve(YES);
    await asked;
    assert.deepEqual(loads, ['other hooks', 'other hooks', 'settings', 'prompt', 'hooks of the folder']);
    assert.deepEqual(saved(), { [cwd]: true });
    assert.deepEqual(said, [
      `info Trusted: ${cwd} and the folders below it (saved in ${join(agentDir, 'trust.json')})\nUsed now: ${join('.pi', 'hooks')}`,
    ]);
  });

  const NO_YES: readonly (readonly [string, unknown])[] = [
    ['not now', { action: 'accept', content: { answer: 'Not now' } }],
    ['a dismissal', { action: 'cancel' }],
    ['a refusal', { action: 'decline' }],
    ['another text', { action: 'accept', content: { answer: 'yes' } }],
    ['true', { action: 'accept', content: { answer: true } }],
    ['nothing', null],
  ];
  for (const [name, answer] of NO_YES) {
    it(`is not given by ${name}`, async () => {
      const asked = ask(await folderFor());
      (await client.sent(0)).resolve(answer);
      await asked;
      assert.deepEqual(loads, ['other hooks']);
      assert.equal(existsSync(agentDir), false);
    });
  }

  it('is not given by a yes after the session was closed, nor by an error', async () => {
    const closing = new AbortController();
    const folder = await folderFor();
    const asked = ask(folder, closing.signal);
    const request = await client.sent(0);
    closing.abort();
    request.resolve(YES);
    await asked;
    const failed = ask(await folderFor());
    (await client.sent(1)).reject(new Error('gone'));
    await failed;
    assert.deepEqual(loads, ['other hooks', 'other hooks']);
    assert.deepEqual(said, ['error gone']);
    assert.equal(existsSync(agentDir), false);
  });

  it('is asked for once in a folder', async () => {
    const folder = await folderFor();
    const first = ask(folder);
    await ask(folder);
    (await client.sent(0)).resolve({ action: 'cancel' });
    await first;
    await ask(folder);
    assert.equal(client.requests.length, 1);
  });

  it('is not asked for where the client shows no forms, somebody decided, or there is nothing to decide about', async () => {
    client = new AskedClient(PROFILES.noForms);
    await ask(await folderFor());
    client = new AskedClient(PROFILES.everything);
    mkdirSync(agentDir);
    writeFileSync(join(agentDir, 'trust.json'), JSON.stringify({ [cwd]: false }));
    await ask(await folderFor());
    rmSync(join(cwd, '.pi'), { recursive: true });
    rmSync(agentDir, { recursive: true });
    await ask(await folderFor());
    assert.deepEqual(client.requests, []);
  });

  it('is given by /trust, also after an earlier no', async () => {
    mkdirSync(agentDir);
    writeFileSync(join(agentDir, 'trust.json'), JSON.stringify({ [cwd]: false }));
    const folder = await folderFor();
    assert.match(await folder.decide(), /^Trusted: .*\nUsed now: /);
    assert.deepEqual(saved(), { [cwd]: true });
    assert.equal(loads.at(-1), 'hooks of the folder');
  });

  it('is not given by a program that an agent started', async () => {
    const folder = await folderFor({ env: { CLAUDECODE: '1' }, ppid: 1 });
    await assert.rejects(folder.decide(), /only you can decide which folders are trusted/);
    const asked = ask(folder);
    (await client.sent(0)).resolve(YES);
    await asked;
    assert.match(said.join(), /^error .*only you can decide which folders are trusted/);
    assert.deepEqual(loads, ['other hooks']);
    assert.equal(existsSync(agentDir), false);
  });
});
