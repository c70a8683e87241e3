import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SessionLock } from '../../src/agent/session/file/lock';
import { SessionStore } from '../../src/agent/session/store';
import { SessionTrash } from '../../src/agent/session/library/trash';
import { entryOfHit, SessionLibrary } from '../../src/session/session-library';
import { Rig, type RigOptions } from '../support/conversation-rig';
import type { Script } from '../support/scripted-stream';

describe('the sessions of a folder', function () {
  this.timeout(20_000);
  let rig: Rig | undefined;
  let library: SessionLibrary;

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<Rig> {
    const opened = await Rig.open(script, options);
    rig = opened;
    const { conversations } = opened;
    library = new SessionLibrary(conversations.sessionList, new SessionTrash(join(opened.root, 'deleted')), {
      withFile: file =>
        conversations.all.map(chat => chat.conversation).find(({ store }) => store.getSessionFile() === file),
      leave: async conversation => !(await conversation.sessions.newSession()).cancelled,
    });
    return opened;
  }

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  /** A session that was left, and one that is open; the files of both. */
  async function two(opened: Rig): Promise<readonly [string, string]> {
    await opened.chat.submit('about apples');
    await opened.chat.conversation.store.flush();
    const first = opened.chat.conversation.store.getSessionFile()!;
    await opened.chat.conversation.sessions.newSession();
    await opened.chat.submit('about pears');
    await opened.chat.conversation.store.flush();
    return [first, opened.chat.conversation.store.getSessionFile()!];
  }

  async function found(query: string): Promise<string[]> {
    const files: string[] = [];
    for await (const { session } of library.search(query, new AbortController().signal)) files.push(session.file);
    return files;
  }

  const SAYS: readonly Script[] = [{ text: 'red ones' }, { text: 'green ones' }];

  it('finds what was said in any of them, the newest first, and the entry it is', async () => {
    const opened = await open(SAYS);
    const [first, second] = await two(opened);
    assert.deepEqual(await found('about'), [second, first]);
    assert.deepEqual(await found('apples'), [first]);
    for await (const { hits } of library.search('green', new AbortController().signal)) {
      const entry = opened.chat.conversation.store.getEntry(entryOfHit(opened.chat.conversation.store, hits[0]!) ?? '');
      assert.match(JSON.stringify(entry), /green ones/);
      assert.equal(entryOfHit(opened.chat.conversation.store, { ...hits[0]!, entryId: undefined }), entry?.id);
      assert.equal(entryOfHit(opened.chat.conversation.store, { ...hits[0]!, entryId: 'gone' }), undefined);
    }
  });

  it('names one that is open and one that is not, as pi writes it', async () => {
    const opened = await open(SAYS);
    const [first, second] = await two(opened);
    await library.rename(first, ' Apples ');
    await library.rename(second, 'Pears');
    const names = (await library.list()).map(({ file, name }) => [file, name]);
    assert.deepEqual(
      new Map(names as [string, string][]),
      new Map([
        [first, 'Apples'],
        [second, 'Pears'],
      ]),
    );
    assert.equal(opened.chat.conversation.store.getSessionName(), 'Pears');
    await library.rename(first, '');
    assert.equal((await library.list()).find(({ file }) => file === first)?.name, undefined);
  });

  it('refuses to name or delete what someone else has open, saying who', async () => {
    const opened = await open(SAYS);
    const [first] = await two(opened);
    const lock = await SessionLock.acquire(first);
    assert.ok(lock instanceof SessionLock);
    await assert.rejects(
      library.rename(first, 'x'),
      /cannot be renamed: Another window or program has this session open/,
    );
    await assert.rejects(library.remove(first, ''), /open elsewhere and was not deleted\. Another window or program/);
    await lock.release();
    assert.ok(existsSync(first));
  });

  it('deletes one and brings it back', async () => {
    const opened = await open(SAYS);
    const [first, second] = await two(opened);
    const removed = await library.remove(first, 'Apples');
    assert.ok(removed);
    assert.equal(removed.wasOpen, false);
    assert.deepEqual(
      (await library.list()).map(({ file }) => file),
      [second],
    );
    assert.deepEqual(
      (await library.deleted()).map(({ title }) => title),
      ['Apples'],
    );
    await library.restore(removed.deleted);
    assert.equal((await library.list()).length, 2);
    assert.deepEqual(await found('apples'), [first]);
  });

  it('says why a session was not deleted, which stays as it was', async () => {
    const opened = await open(SAYS);
    const [first, second] = await two(opened);
    const text = readFileSync(first, 'utf8');
    writeFileSync(join(opened.root, 'deleted'), 'no folder');
    await assert.rejects(library.remove(first, ''), /^Error: The session was not deleted: E\w+: .*deleted/);
    assert.equal(readFileSync(first, 'utf8'), text);
    assert.equal(existsSync(`${first}.lock`), false);
    assert.deepEqual((await library.list()).map(({ file }) => file).sort(), [first, second].sort());
  });

  it('offers to bring back only its own: the trash holds those of other folders too', async () => {
    const opened = await open(SAYS);
    const [first] = await two(opened);
    const other = join(opened.root, 'elsewhere', 'x.jsonl');
    mkdirSync(dirname(other));
    copyFileSync(first, other);
    await new SessionTrash(join(opened.root, 'deleted')).put(other, 'Of others');
    await library.remove(first, 'Apples');
    assert.deepEqual(
      (await library.deleted()).map(({ title }) => title),
      ['Apples'],
    );
  });

  it('leaves one that is open before it goes, and keeps it when a hook declines', async () => {
    const opened = await open(SAYS, {
      extensions: {
        'stay.ts': `export default pi => { let asked = 0;
          pi.on("session_before_switch", () => ({ cancel: ++asked === 2 })); };`,
      },
    });
    const [, second] = await two(opened);
    assert.equal(await library.remove(second, 'Pears'), undefined);
    assert.ok(existsSync(second));
    const removed = await library.remove(second, 'Pears');
    assert.equal(removed?.wasOpen, true);
    assert.ok(!existsSync(second));
    assert.notEqual(opened.chat.conversation.store.getSessionFile(), second);
  });

  it('reads a session for an export without taking it', async () => {
    const opened = await open(SAYS);
    const [first, second] = await two(opened);
    assert.equal(await library.read(first, store => Promise.resolve(store.access.kind)), 'read');
    assert.equal(await library.read(second, store => Promise.resolve(store)), opened.chat.conversation.store);
    const again = await SessionStore.open(first);
    assert.equal(again.access.kind, 'write');
    await again.dispose();
  });
});
