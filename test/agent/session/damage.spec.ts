import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { SessionStore } from '../../../src/agent/session/store';
import { processStart } from '../../../src/agent/session/file/process-start';
import { itOnPosix, itWith } from '../../support/platform';
import { assistant, texts, user, useStores, useTempDir } from './support';

const HEADER = { type: 'session', version: 3, id: 'one', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' };

describe('damage of a session', () => {
  const dir = useTempDir();
  const stores = useStores();

  const entry = (id: string, parentId: string | null, text: string): object => ({
    type: 'message',
    id,
    parentId,
    timestamp: '2026-01-01T00:00:01.000Z',
    message: user(text),
  });
  const lines = (...values: readonly object[]): string => values.map(value => `${JSON.stringify(value)}\n`).join('');
  const said = (store: SessionStore): string[] => texts(store.buildSessionContext().messages);
  const reread = async (file: string): Promise<string[]> => said(await stores.open(file, { readOnly: true }));

  for (const [what, destroy] of [
    ['its folder', (file: string) => rmSync(dirname(file), { recursive: true })],
    ['its file', (file: string) => rmSync(file)],
    ['its lock', (file: string) => rmSync(`${file}.lock`)],
    ['its file and its lock', (file: string) => [file, `${file}.lock`].forEach(path => rmSync(path))],
  ] as const) {
    for (const isOld of [false, true]) {
      itWith(
        'removal of open files',
        `is made good: ${what} deleted while it is open (${isOld ? 'opened from a file' : 'new'})`,
        async () => {
          const folder = dir.join('sessions');
          let store = stores.track(SessionStore.create({ dir: folder, cwd: '/w' }));
          store.appendMessage(user('first'));
          store.appendMessage(assistant('answer'));
          await store.flush();
          const file = store.getSessionFile() ?? '';
          if (isOld) {
            await store.dispose();
            store = await stores.open(file);
          }
          const before = readFileSync(file, 'utf8');
          const told: string[] = [];
          store.onDidComplain(({ message }) => told.push(message));
          destroy(file);
          store.appendMessage(user('second'));
          await store.flush();
          assert.equal(store.access.kind, 'write');
          assert.ok(readFileSync(file, 'utf8').startsWith(before), 'what it held is there again, byte for byte');
          assert.deepEqual(await reread(file), ['user: first', 'assistant: answer', 'user: second']);
          assert.ok(existsSync(`${file}.lock`), 'it is held against others');
          assert.equal(
            told.some(message => message.includes('deleted by another program')),
            what !== 'its lock',
          );
          assert.equal((await stores.open(file)).access.kind, 'read', 'another one sees who writes');
          store.appendMessage(user('third'));
          await store.flush();
          assert.equal((await reread(file)).at(-1), 'user: third');
          assert.deepEqual(
            readdirSync(folder).filter(name => name.endsWith('.tmp')),
            [],
          );
        },
      );
    }
  }

  itWith(
    'removal of open files',
    'says the truth while a folder cannot be made again, and writes all of it once it can',
    async () => {
      const folder = dir.join('sessions');
      const store = stores.track(SessionStore.create({ dir: folder, cwd: '/w' }));
      store.appendMessage(user('first'));
      await store.flush();
      rmSync(folder, { recursive: true });
      writeFileSync(folder, 'in the way');
      store.appendMessage(user('second'));
      await assert.rejects(store.flush(), /EEXIST|ENOTDIR/);
      assert.deepEqual(said(store), ['user: first', 'user: second']);
      assert.equal(store.access.kind, 'write');
      rmSync(folder);
      await store.flush();
      assert.deepEqual(await reread(store.getSessionFile() ?? ''), ['user: first', 'user: second']);
    },
  );

  itWith('removal of open files', 'does not take a lock back from another one that made its own', async () => {
    const store = stores.track(SessionStore.create({ dir: dir.join('s'), cwd: '/w' }));
    store.appendMessage(user('first'));
    await store.flush();
    const file = store.getSessionFile() ?? '';
    rmSync(`${file}.lock`);
    const other = await stores.open(file);
    assert.equal(other.access.kind, 'write');
    store.appendMessage(user('late'));
    await assert.rejects(store.flush(), /took over this session/);
  });

  it('a mark in front (BOM) is nothing: it is read, and gone on with', async () => {
    const file = dir.join('bom.jsonl');
    writeFileSync(file, `\uFEFF${lines(HEADER, entry('a', null, 'hi'))}`);
    const store = await stores.open(file);
    assert.deepEqual([store.access.kind, store.problems, store.getSessionId()], ['write', [], 'one']);
    store.appendMessage(user('more'));
    await store.flush();
    assert.deepEqual(await reread(file), ['user: hi', 'user: more']);
  });

  for (const [what, head] of [
    ['torn', '{"type":"session","version":3,"id":"on'],
    ['missing', ''],
    ['of another shape', '{"type":"session","version":"three"}'],
  ] as const) {
    it(`a head that is ${what}: goes on in a copy that says so, and the file stays as it is`, async () => {
      const file = dir.join('head.jsonl');
      const text = `${head}${head === '' ? '' : '\n'}${lines(entry('a', null, 'hi'), entry('b', 'a', 'there'))}`;
      writeFileSync(file, text);
      const store = stores.track(await SessionStore.openToGoOn(file, '/here'));
      assert.equal(store.access.kind, 'write');
      assert.match(store.problems[0]?.message ?? '', /head\.jsonl\. The session continues in a copy/);
      store.appendMessage(user('more'));
      await store.flush();
      assert.deepEqual(await reread(store.getSessionFile() ?? ''), ['user: hi', 'user: there', 'user: more']);
      assert.deepEqual([store.getCwd(), store.getHeader()?.parentSession], ['/here', file]);
      assert.equal(readFileSync(file, 'utf8'), text);
      assert.ok(!existsSync(`${file}.lock`));
    });
  }

  it('rubbish in which nothing can be read is only read', async () => {
    const file = dir.join('rubbish.jsonl');
    writeFileSync(file, '\u0000\u0001\n\u0002');
    const store = stores.track(await SessionStore.openToGoOn(file, '/here'));
    assert.deepEqual([store.access.kind, store.getSessionFile()], ['read', file]);
  });

  it('one id twice: the same again is one, other content is kept under an id of its own', async () => {
    const file = dir.join('twice.jsonl');
    const a = entry('a', null, 'first');
    writeFileSync(file, lines(HEADER, a, a, entry('a', null, 'other'), entry('b', 'a', 'next')));
    const store = await stores.open(file);
    const all = store
      .getEntries()
      .map(each => [each.id, texts([(each as unknown as { message: { role: string } }).message])[0]]);
    const id = all[1]?.[0] ?? '';
    assert.deepEqual(all, [
      ['a', 'user: first'],
      [id, 'user: other'],
      ['b', 'user: next'],
    ]);
    assert.match(
      store.problems.map(({ message, line }) => `${line}: ${message}`).join(),
      /^4: Two entries have the id a; the second one is kept as \w+$/,
    );
    assert.equal((await stores.open(file, { readOnly: true })).getEntries()[1]?.id, id, 'every reader names it alike');
    const fork = stores.track(await store.forkTo());
    await fork.flush();
    const copied = await stores.open(fork.getSessionFile() ?? '', { readOnly: true });
    assert.deepEqual(
      copied.getEntries().map(each => each.id),
      ['a', id, 'b'],
    );
    assert.deepEqual(copied.problems, []);
  });

  it('bytes that are no text stop a migration, with the line, and every byte stays', async () => {
    const file = dir.join('latin.jsonl');
    const old = { ...HEADER, version: 1, id: 'old' };
    const message = (text: string): object => ({ type: 'message', timestamp: 't', message: user(text) });
    const bytes = Buffer.from(lines(old, message('fine'), message('gr\u00fcn'), message('more')), 'latin1');
    writeFileSync(file, bytes);
    const store = await stores.open(file);
    assert.equal(
      store.access.kind === 'read' && store.access.reason.slice(0, 46),
      'Line 3 holds bytes that are not UTF-8. They wo',
    );
    assert.equal(store.problems.find(({ line }) => line === 3)?.file, file);
    assert.ok(readFileSync(file).equals(bytes));
    assert.deepEqual(readdirSync(dir.path), ['latin.jsonl']);
  });

  it('what a kill left of a rewrite and of a lock is removed, and nothing else', async () => {
    const file = dir.join('left.jsonl');
    const uuid = '01234567-89ab-cdef-0123-456789abcdef';
    writeFileSync(file, lines(HEADER, entry('a', null, 'hi')));
    const left = [`left.jsonl.${uuid}.tmp`, `left.jsonl.lock.${uuid}`];
    const others = [`other.jsonl.${uuid}.tmp`, 'left.jsonl.bak', 'left.jsonl.mine.tmp', `left.jsonl.${uuid}`];
    for (const name of [...left, ...others]) writeFileSync(dir.join(name), 'x');
    await (await stores.open(file, { readOnly: true })).dispose();
    assert.equal(readdirSync(dir.path).length, 7, 'who only looks removes nothing');
    await (await stores.open(file)).dispose();
    assert.deepEqual(readdirSync(dir.path).sort(), ['left.jsonl', ...others].sort());
  });

  itOnPosix('a lock whose process is gone while another one has its id is free', async () => {
    const file = dir.join('held.jsonl');
    writeFileSync(file, lines(HEADER, entry('a', null, 'hi')));
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    try {
      const started = await processStart(child.pid ?? 0);
      assert.ok(started !== undefined && started === (await processStart(child.pid ?? 0)));
      const holder = { token: 'x', pid: child.pid, host: hostname(), since: 'noon' };
      const lock = (value: object): void => writeFileSync(`${file}.lock`, JSON.stringify({ ...holder, ...value }));
      lock({ started });
      assert.equal((await stores.open(file)).access.kind, 'read', 'it lives');
      lock({ started: 'long ago' });
      const store = await stores.open(file);
      assert.equal(store.access.kind, 'write');
      const own = JSON.parse(readFileSync(`${file}.lock`, 'utf8')) as { started?: string };
      assert.equal(own.started, await processStart(process.pid));
    } finally {
      child.kill('SIGKILL');
    }
    assert.equal(await processStart(2 ** 30), undefined);
  });
});
