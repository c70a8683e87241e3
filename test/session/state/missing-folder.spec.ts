import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GoOn, MissingFolder } from '../../../src/session/ports/ports';
import { fileToGoTo } from '../../../src/session/state/missing-folder';
import { Rig, type RigOptions } from '../../support/conversation-rig';

describe('a session whose folder is gone', () => {
  let rig: Rig | undefined;
  const asked: MissingFolder[] = [];
  const answers: (GoOn | undefined)[] = [];

  beforeEach(() => {
    asked.length = 0;
    answers.length = 0;
  });
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  async function open(options: RigOptions = {}): Promise<Rig> {
    const askMissingFolder = (missing: MissingFolder): Promise<GoOn | undefined> => {
      asked.push(missing);
      return Promise.resolve(answers.shift());
    };
    return (rig = await Rig.open([{ text: 'one' }, { text: 'two' }], { editor: { askMissingFolder }, ...options }));
  }

  /** A session with one message, of a folder that is not there. Resolves with its file. */
  function gone(own: Rig, file: string, id = 'far'): string {
    const header = { type: 'session', version: 3, id, timestamp: '2026-01-02T03:04:05.678Z', cwd: goneFolder(own) };
    const message = { role: 'user', content: [{ type: 'text', text: 'from afar' }], timestamp: 1 };
    const entry = { type: 'message', id: 'aaaaaaaa', parentId: null, timestamp: header.timestamp, message };
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
    return file;
  }
  const goneFolder = ({ root }: Rig): string => join(root, 'moved away');
  const listed = (own: Rig, name = 'far.jsonl'): string => join(own.conversation.ports.sessionDir, name);
  const texts = (own: Rig): string[] => own.items('user').map(({ text }) => text);

  it('stays unopened and untouched when the person cancels', async () => {
    const own = await open();
    await own.chat.submit('here');
    const file = gone(own, listed(own));
    const before = readFileSync(file, 'utf8');
    const inUse = own.chat.conversation.store;
    await own.conversations.resume(file);
    assert.deepEqual(asked, [{ file, folder: goneFolder(own), here: own.cwd }]);
    assert.equal(own.chat.conversation.store, inUse);
    assert.deepEqual(texts(own), ['here']);
    assert.equal(readFileSync(file, 'utf8'), before);
  });

  it('goes on here as it is, and asks again the next time', async () => {
    const own = await open();
    const file = gone(own, listed(own));
    answers.push('here', 'here');
    await own.conversations.resume(file);
    assert.equal(own.chat.conversation.store.getSessionFile(), file);
    assert.equal(own.chat.conversation.store.getCwd(), own.cwd, 'hooks are told the folder that is worked in');
    assert.deepEqual(texts(own), ['from afar']);
    await own.chat.submit('go on');
    await own.chat.conversation.store.flush();
    assert.match(readFileSync(file, 'utf8'), /moved away/, 'the file goes on naming its own');
    await own.chat.conversation.sessions.newSession();
    await own.conversations.resume(file);
    assert.equal(asked.length, 2);
  });

  it('is forked into this folder with all it holds', async () => {
    const own = await open();
    const file = gone(own, listed(own));
    const before = readFileSync(file, 'utf8');
    answers.push('fork');
    await own.conversations.resume(file);
    const header = own.chat.conversation.store.getHeader();
    assert.deepEqual([header?.cwd, header?.parentSession], [own.cwd, file]);
    assert.notEqual(own.chat.conversation.store.getSessionId(), 'far');
    assert.deepEqual(texts(own), ['from afar']);
    assert.equal(readFileSync(file, 'utf8'), before);
  });

  it('is asked about where it opens beside a conversation that holds a draft', async () => {
    const own = await open();
    const file = gone(own, listed(own));
    own.chat.composer.text = 'a draft';
    await own.conversations.resume(file);
    assert.deepEqual([asked.length, own.conversations.all.length], [1, 1]);
    answers.push('here');
    await own.conversations.resume(file);
    assert.equal(own.conversations.all.length, 2);
    assert.equal(own.chat.conversation.store.getCwd(), own.cwd);
  });

  it('leaves no fork behind when a hook declines to go there', async () => {
    const own = await open({
      hooks: { 'stay.ts': `export default pi => pi.on('session_before_switch', () => ({ cancel: true }));` },
    });
    const file = gone(own, listed(own));
    const before = readdirSync(dirname(file));
    answers.push('fork');
    await own.conversations.resume(file);
    assert.deepEqual(readdirSync(dirname(file)), before);
  });

  it('is asked about before /import copies it', async () => {
    const own = await open();
    const outside = gone(own, join(own.root, 'outside', 'far.jsonl'));
    await own.chat.submit(`/import "${outside}"`);
    assert.equal(asked.length, 1);
    assert.deepEqual(texts(own), []);
    answers.push('here');
    await own.chat.submit(`/import "${outside}"`);
    assert.deepEqual([asked.length, own.chat.conversation.store.getSessionId()], [2, 'far']);
    assert.equal(readFileSync(listed(own), 'utf8'), readFileSync(outside, 'utf8'));
    answers.push('fork');
    await own.chat.submit(`/import "${outside}"`);
    assert.deepEqual(
      [own.chat.conversation.store.getHeader()?.cwd, own.chat.conversation.store.getHeader()?.parentSession],
      [own.cwd, outside],
    );
    assert.deepEqual(texts(own), ['from afar']);
  });

  it('is refused where nobody can be asked', async () => {
    const own = (rig = await Rig.open([]));
    const file = gone(own, listed(own));
    await assert.rejects(
      fileToGoTo(file, { cwd: own.cwd, sessionDir: dirname(file) }),
      new RegExp(`^MissingFolderError: Stored session working directory does not exist: .*moved away\nSession file: `),
    );
  });

  it('is not what a window begins with by itself', async () => {
    const first = await open();
    gone(first, listed(first));
    await first.close(true);
    rig = await Rig.open([], { root: first.root, resume: true });
    assert.deepEqual(texts(rig), []);
  });
});
