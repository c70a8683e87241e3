import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandArguments, type CommandArgumentsParts } from '../../../src/chat/composer/completion/command-arguments';
import { Rig, until } from '../../support/conversation-rig';
import { scriptedModel } from '../../support/scripted-stream';

const OTHER = { ...scriptedModel, provider: 'other', id: 'big-one', name: 'Big One' };
const THINKS = { ...scriptedModel, reasoning: true };

describe('arguments of the commands of Hookline', () => {
  let rig: Rig | undefined;

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  const open = async (...args: Parameters<typeof Rig.open>): Promise<Rig> => (rig = await Rig.open(...args));

  /** What a page is offered behind a command. */
  async function offered(own: Rig, text: string): Promise<readonly string[]> {
    const page = own.page();
    page.send({ type: 'complete', id: 7, what: 'arguments', text });
    const answer = await until(() => page.got.find(message => message.type === 'completions'), `what follows ${text}`);
    page.dispose();
    return answer.items.map(({ insert }) => insert);
  }

  it('are models and thinking levels, those of the scope where there is one', async () => {
    const own = await open([], { models: [THINKS, OTHER] });
    const all = [`${THINKS.provider}/${THINKS.id}`, 'other/big-one'];
    assert.deepEqual(await offered(own, 'model '), all);
    assert.deepEqual(await offered(own, 'model big'), ['other/big-one']);
    assert.deepEqual(await offered(own, 'model zzz'), []);
    assert.ok((await offered(own, 'thinking ')).includes('high'));
    assert.deepEqual(await offered(own, 'thinking hi'), ['high']);
    await own.close();
    const scoped = await open([], { models: [THINKS, OTHER], settings: { enabledModels: ['other/*'] } });
    assert.deepEqual(await offered(scoped, 'model '), ['other/big-one']);
  });

  it('are sessions by their names or ids, which /resume goes to', async () => {
    const own = await open([{ text: 'one' }, { text: 'two' }]);
    await own.chat.submit('about cats');
    own.chat.conversation.sessions.rename('My cats');
    const cats = own.chat.conversation.store.getSessionId();
    await own.chat.conversation.sessions.newSession();
    await own.chat.submit('about dogs');
    const dogs = own.chat.conversation.store.getSessionId();
    await own.chat.conversation.store.flush();
    assert.deepEqual([...(await offered(own, 'resume '))].sort(), ['My cats', dogs].sort());
    assert.deepEqual(await offered(own, 'resume dogs'), [dogs], 'found by its first words');
    await own.chat.submit('/resume my cats');
    assert.equal(own.chat.conversation.store.getSessionId(), cats);
    await own.chat.submit(`/resume ${dogs.slice(0, 13)}`);
    assert.ok(
      [cats, dogs].includes(own.chat.conversation.store.getSessionId()),
      'a beginning that several have decides nothing',
    );
    await own.chat.submit(`/resume ${dogs}`);
    assert.equal(own.chat.conversation.store.getSessionId(), dogs);
  });

  it('are session files and the folders on the way', async () => {
    const own = await open([]);
    mkdirSync(join(own.cwd, 'old sessions', '.hidden'), { recursive: true });
    for (const name of ['a.jsonl', 'notes.txt', '.b.jsonl']) writeFileSync(join(own.cwd, 'old sessions', name), '');
    assert.deepEqual(await offered(own, 'import '), ['old sessions/']);
    assert.deepEqual(await offered(own, 'import old sessions/'), ['old sessions/a.jsonl']);
    assert.deepEqual(await offered(own, 'import old sessions/.'), ['old sessions/.b.jsonl', 'old sessions/.hidden/']);
    assert.deepEqual(await offered(own, 'import nowhere/x'), []);
  });

  it('are providers with a login, and for /logout those that are logged in', async () => {
    const authStorage: CommandArgumentsParts['ports']['models']['authStorage'] = {
      getOAuthProviders: () => [
        { id: 'anthropic', name: 'Anthropic' },
        { id: 'github-copilot', name: 'GitHub Copilot' },
      ],
      list: () => ['anthropic', 'openai'],
      get: id =>
        id === 'anthropic' ? { type: 'oauth', access: '', refresh: '', expires: 0 } : { type: 'api_key', key: 'k' },
    };
    const own = await open([]);
    const { ports, models } = own.conversation;
    const { status } = own.chat;
    const parts = {
      ports: { ...ports, models: { ...ports.models, authStorage } },
      models,
      status,
    } as CommandArgumentsParts;
    const inserts = async (name: 'login' | 'logout', typed: string): Promise<readonly string[]> =>
      (await commandArguments(name, typed, parts)).map(({ insert }) => insert);
    assert.deepEqual(await inserts('login', ''), ['anthropic', 'github-copilot']);
    assert.equal((await inserts('login', 'copi'))[0], 'github-copilot');
    assert.deepEqual(await inserts('logout', ''), ['anthropic']);
  });

  it('are none behind other commands', async () => {
    const own = await open([]);
    for (const text of ['compact keep', 'session ', 'fork x']) assert.deepEqual(await offered(own, text), []);
  });
});
