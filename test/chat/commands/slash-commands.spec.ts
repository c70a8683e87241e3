import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ABSENT_COMMANDS, BUILT_IN_COMMANDS } from '../../../src/startup/built-in-commands';
import { Rig } from '../../support/conversation-rig';
import { scriptedModel } from '../../support/scripted-stream';

const OTHER = { ...scriptedModel, id: 'other-model', name: 'Other' };

/** What a command asks of the editor, and nothing else. */
const LEADS: readonly (readonly [string, string])[] = [
  ['/resume', 'pickSession'],
  ['/resume some words', 'pickSession some words'],
  ['/model', 'pickModel'],
  ['/model oth', 'pickModel oth'],
  ['/thinking', 'show thinking'],
  ['/scoped-models', 'show scopedModels'],
  ['/settings', 'show settings'],
  ['/login', 'logIn'],
  ['/login anthropic', 'logIn anthropic'],
  ['/logout', 'logOut'],
  ['/logout anthropic', 'logOut anthropic'],
  ['/trust', 'show trust'],
  ['/hotkeys', 'show keys'],
  ['/changelog', 'show changelog'],
  ['/quit', 'show closeConversation'],
];

describe('slash commands', () => {
  let rig: Rig | undefined;

  afterEach(() => rig?.close());

  const open = async (...args: Parameters<typeof Rig.open>): Promise<Rig> => (rig = await Rig.open(...args));
  /** What was asked of the editor since, beside title and status. */
  const asked = async (own: Rig, text: string): Promise<readonly string[]> => {
    const from = own.editorCalls.length;
    await own.chat.submit(text);
    return own.editorCalls.slice(from).filter(call => !/^set(Title|HookStatus)/.test(call));
  };

  it('lead to the pages, lists and questions of the editor', async () => {
    const own = await open([], { models: [scriptedModel, OTHER] });
    for (const [text, call] of LEADS) assert.deepEqual(await asked(own, text), [call], text);
    assert.deepEqual(own.items('user'), []);
    assert.deepEqual(own.items('notice'), []);
  });

  it('take the model that is named whole, and set the thinking', async () => {
    const own = await open([], {
      models: [
        { ...scriptedModel, reasoning: true },
        { ...OTHER, reasoning: true },
      ],
    });
    assert.deepEqual(await asked(own, `/model ${OTHER.provider}/OTHER-model`), []);
    assert.equal(own.chat.conversation.state.model?.id, OTHER.id);
    await own.chat.submit('/thinking high');
    assert.equal(own.chat.conversation.state.effectiveLevel, 'high');
    assert.deepEqual(await asked(own, `/model ${scriptedModel.id}`), []);
    assert.equal(own.chat.conversation.state.model.id, scriptedModel.id);
  });

  it('fork from a message, whose text comes to the input, and clone', async () => {
    const own = await open([{ text: 'one' }, { text: 'two' }]);
    await own.chat.submit('/fork');
    assert.match(own.items('notice').at(-1)?.text ?? '', /not sent a message yet/);
    await own.chat.submit('first');
    await own.chat.submit('second');
    const original = own.chat.conversation.store.getSessionFile();
    await own.chat.submit('/fork');
    assert.equal(own.chat.composer.text, 'second');
    assert.deepEqual(
      own.items('user').map(({ text }) => text),
      ['first'],
    );
    const forked = own.chat.conversation.store.getSessionFile();
    assert.notEqual(forked, original);
    await own.chat.submit('/clone');
    assert.notEqual(own.chat.conversation.store.getSessionFile(), forked);
    assert.equal(own.chat.conversation.store.getHeader()?.parentSession, forked);
    assert.equal(own.items('user').length, 1);
  });

  it('import a session file with its id, beside one of that name, and open it', async () => {
    const own = await open([{ text: 'one' }]);
    const outside = join(own.root, 'outside', 'far away.jsonl');
    const header = { type: 'session', version: 3, id: 'far', timestamp: '2026-01-02T03:04:05.678Z', cwd: own.cwd };
    const message = { role: 'user', content: [{ type: 'text', text: 'from afar' }], timestamp: 1 };
    const entry = { type: 'message', id: 'aaaaaaaa', parentId: null, timestamp: header.timestamp, message };
    mkdirSync(dirname(outside), { recursive: true });
    writeFileSync(outside, `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
    for (const name of ['far away.jsonl', 'far away-1.jsonl']) {
      await own.chat.submit(`/import "${outside}"`);
      const file = own.chat.conversation.store.getSessionFile() ?? '';
      assert.deepEqual([basename(file), own.chat.conversation.store.getSessionId()], [name, 'far']);
      assert.equal(readFileSync(file, 'utf8'), readFileSync(outside, 'utf8'));
      assert.ok(file !== outside && existsSync(outside));
    }
    assert.deepEqual(
      own.items('user').map(({ text }) => text),
      ['from afar'],
    );
  });

  it('leave no copy of a session whose import a hook prevents', async () => {
    const own = await open([{ text: 'one' }], {
      extensions: {
        'stay.ts': `export default pi => pi.on('session_before_switch', event => {
          pi.appendEntry('asked', event.targetSessionFile);
          return { cancel: true };
        });`,
      },
    });
    const header = { type: 'session', version: 3, id: 'far', timestamp: '2026-01-02T03:04:05.678Z', cwd: own.cwd };
    const outside = join(own.root, 'outside.jsonl');
    writeFileSync(outside, `${JSON.stringify(header)}\n`);
    await own.chat.submit(`/import "${outside}"`);
    const asked = own.chat.conversation.store.getBranch().find(({ type }) => type === 'custom');
    const target = String((asked as { readonly data?: unknown } | undefined)?.data);
    assert.equal(basename(target), 'outside.jsonl');
    assert.deepEqual([target === outside, existsSync(target), existsSync(outside)], [false, false, true]);
    assert.match(own.items('notice').at(-1)?.text ?? '', /not imported/);
  });

  it('say what is wrong with a file to import, and stay where they are', async () => {
    const own = await open([{ text: 'one' }], { files: { 'notes.jsonl': 'no session\n' } });
    const before = own.chat.conversation.store.getSessionId();
    await own.chat.submit('/import notes.jsonl');
    await own.chat.submit('/import nowhere.jsonl');
    const notices = own.items('notice').map(({ level, text }) => `${level}: ${text}`);
    assert.match(notices[0] ?? '', /^error: .*notes\.jsonl contains no readable session\.$/);
    assert.match(notices[1] ?? '', /^error: File not found: .*nowhere\.jsonl$/);
    assert.equal(own.chat.conversation.store.getSessionId(), before);
  });

  it('of pi that make no sense here say so in one line, unless a hook or a template has the name', async () => {
    const own = await open([{ text: 'done' }], {
      hooks: {
        'share.ts': `export default pi => pi.registerCommand('share', {
          description: 'mine', handler: async (args, ctx) => ctx.ui.notify('shared ' + args) });`,
      },
      files: { '.pi/prompts/bug.md': 'Describe the bug.' },
    });
    for (const name of ['mcp', 'llama']) {
      await own.chat.submit(`/${name} list`);
      assert.match(own.items('notice').at(-1)?.text ?? '', /here\b/, name);
    }
    assert.equal(own.items('notice').length, 2);
    await own.chat.submit('/share it');
    assert.equal(own.items('notice').at(-1)?.text, 'shared it');
    assert.equal(own.items('notice').length, 3);
    await own.chat.submit('/bug');
    assert.deepEqual(
      own.items('user').map(({ text }) => text),
      ['Describe the bug.'],
    );
  });

  it('are completed with descriptions from the same table', async () => {
    const own = await open([]);
    const builtIn = own.chat.commands.filter(({ source }) => source === 'built-in');
    assert.deepEqual(
      builtIn.map(({ name }) => name),
      [...BUILT_IN_COMMANDS],
    );
    assert.ok(builtIn.every(({ description }) => description.length > 5));
    assert.ok(!own.chat.commands.some(({ name }) => ABSENT_COMMANDS.some(absent => absent === name)));
  });
});
