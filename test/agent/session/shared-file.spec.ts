import assert from 'node:assert/strict';
import { appendFileSync, cpSync, existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { SessionReadOnlyError } from '../../../src/agent/session/appendable-session';
import { assistant, texts, user, useStores, useTempDir } from './support';

const fixture = (name: string): string => readFileSync(`test/fixtures/sessions/${name}`, 'utf8');

describe('a session file that others use', () => {
  const dir = useTempDir();
  const stores = useStores();

  it('lets one writer in: the second reads, may fork or take over, and the first then stops writing', async () => {
    const file = dir.join('shared.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const first = await stores.open(file);
    const second = await stores.open(file);
    assert.equal(second.access.kind === 'read' && second.access.cause, 'locked');
    assert.match(
      second.access.kind === 'read' ? second.access.reason : '',
      /^Another window or program has this session open\.$/,
    );
    const lost: unknown[] = [];
    first.onDidLose(why => lost.push(why));
    first.appendMessage(user('by the first'));
    await first.flush();
    await second.takeOver();
    assert.equal(second.access.kind, 'write');
    assert.equal(texts(second.buildSessionContext().messages).at(-1), 'user: by the first');
    second.appendMessage(user('by the second'));
    await second.flush();
    const access = await first.confirmAccess();
    assert.deepEqual(lost, [access]);
    assert.equal(access.kind === 'read' && access.cause, 'takenOver');
    assert.throws(() => first.appendMessage(user('too late')), SessionReadOnlyError);
    const rescue = stores.track(await first.forkTo());
    assert.equal(texts(rescue.buildSessionContext().messages).at(-1), 'user: by the first');
    assert.equal(
      texts((await stores.open(file, { readOnly: true })).buildSessionContext().messages).at(-1),
      'user: by the second',
    );
  });

  it('takes the lock of a process that is gone', async () => {
    const file = dir.join('left.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const stale = { token: 'x', pid: process.pid, host: (await import('node:os')).hostname(), since: 'then' };
    writeFileSync(`${file}.lock`, JSON.stringify(stale));
    assert.equal((await stores.open(file)).access.kind, 'write');
    for (const rubbish of ['', '{"pid":']) {
      const other = dir.join(`left${rubbish.length}.jsonl`);
      writeFileSync(other, fixture('v3.jsonl'));
      writeFileSync(`${other}.lock`, rubbish);
      assert.equal((await stores.open(other)).access.kind, 'write');
    }
  });

  it('takes in what another program (pi knows no locks) appends, each on its branch', async () => {
    const file = dir.join('both.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const store = await stores.open(file);
    const said: string[] = [];
    store.onDidComplain(problem => said.push(problem.message));
    const foreign = { type: 'message', id: 'ffffffff', parentId: 'u0000003', timestamp: 't', message: user('foreign') };
    appendFileSync(file, `${JSON.stringify(foreign)}\n`);
    store.appendMessage(user('ours'));
    await store.flush();
    assert.deepEqual(texts(store.buildSessionContext().messages).slice(-2), ['user: three', 'user: ours']);
    assert.deepEqual(texts([(store.getEntry('ffffffff') as unknown as { message: { role: string } }).message]), [
      'user: foreign',
    ]);
    assert.match(said.join(), /Another program appended 1 entries/);
    store.appendMessage(user('more'));
    await store.flush();
    assert.equal(
      texts((await stores.open(file, { readOnly: true })).buildSessionContext().messages).at(-1),
      'user: more',
    );
  });

  it('follows what another program began in the file since it was opened', async () => {
    const file = dir.join('new.jsonl');
    const [first, second] = [await stores.open(file, { cwd: '/w' }), await stores.open(file, { cwd: '/w' })];
    first.appendMessage(user('theirs'));
    await first.dispose();
    second.appendMessage(user('ours'));
    second.appendMessage(assistant('answer'));
    await second.flush();
    assert.deepEqual(texts(second.buildSessionContext().messages), ['user: ours', 'assistant: answer']);
    const again = await stores.open(file, { readOnly: true });
    assert.deepEqual(again.problems, []);
    assert.deepEqual(
      again.getEntries().map(entry => texts([(entry as unknown as { message: { role: string } }).message])[0]),
      ['user: theirs', 'user: ours', 'assistant: answer'],
    );
    assert.deepEqual(texts(again.buildSessionContext().messages), ['user: ours', 'assistant: answer']);
  });

  it('leaves a file that is no session as it is when it appears after the opening', async () => {
    const file = dir.join('new.jsonl');
    const store = await stores.open(file, { cwd: '/w' });
    writeFileSync(file, 'notes of somebody\n');
    store.appendMessage(user('hi'));
    await assert.rejects(store.flush(), /new\.jsonl meanwhile, and it cannot be continued$/);
    assert.equal(readFileSync(file, 'utf8'), 'notes of somebody\n');
  });

  it('does not migrate a file that another program changed since it was opened, until it is taken over', async () => {
    const file = dir.join('old.jsonl');
    cpSync('test/fixtures/sessions/v2.jsonl', file);
    const store = await stores.open(file);
    const before = store.getEntries().length;
    const foreign = { type: 'message', id: 'ffffffff', parentId: null, timestamp: 't', message: user('foreign') };
    appendFileSync(file, `${JSON.stringify(foreign)}\n`);
    const original = readFileSync(file, 'utf8');
    store.appendMessage(user('ours'));
    await assert.rejects(store.flush(), /Another program changed this session/);
    assert.equal(readFileSync(file, 'utf8'), original);
    await store.takeOver();
    store.appendMessage(user('more'));
    await store.flush();
    const again = await stores.open(file, { readOnly: true });
    assert.equal(again.getEntries().length, before + 3);
    assert.ok(again.getEntry('ffffffff'));
  });

  it('takes in what another program appends while it takes in what came before', async () => {
    const file = dir.join('both.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const store = await stores.open(file);
    const foreign = (id: string, parentId: string): string =>
      `${JSON.stringify({ type: 'message', id, parentId, timestamp: 't', message: user(id) })}\n`;
    const ids: string[] = [store.appendMessage(user('first'))];
    await store.flush();
    appendFileSync(file, foreign('fffffff1', 'u0000003'));
    ids.push(store.appendMessage(user('second')), 'fffffff1');
    await new Promise(setImmediate);
    appendFileSync(file, foreign('fffffff2', 'fffffff1'));
    await store.flush();
    ids.push(store.appendMessage(user('third')), 'fffffff2');
    await store.flush();
    const read = ids.map(
      id => (store.getEntryOnce(id) as unknown as { message: { role: string } } | undefined)?.message,
    );
    assert.deepEqual(texts(read.flatMap(message => message ?? [])), [
      'user: first',
      'user: second',
      'user: fffffff1',
      'user: third',
      'user: fffffff2',
    ]);
  });

  it('takes in what another program appends while a lock that was deleted is made again', async () => {
    const file = dir.join('both.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const store = await stores.open(file);
    const foreign = { type: 'message', id: 'ffffffff', parentId: 'u0000003', timestamp: 't', message: user('foreign') };
    store.appendMessage(user('first'));
    await store.flush();
    rmSync(`${file}.lock`);
    const id = store.appendMessage(user('ours'));
    await new Promise(setImmediate);
    assert.equal(existsSync(`${file}.lock`), false, 'the line waits for the lock');
    appendFileSync(file, `${JSON.stringify(foreign)}\n`);
    await store.flush();
    store.appendMessage(user('ours again'));
    await store.flush();
    for (const [entry, text] of [
      [id, 'user: ours'],
      ['ffffffff', 'user: foreign'],
    ] as const) {
      const { message } = store.getEntryOnce(entry) as unknown as { message: { role: string } };
      assert.deepEqual(texts([message]), [text]);
    }
    assert.deepEqual(texts(store.buildSessionContext().messages).slice(-2), ['user: ours', 'user: ours again']);
  });

  it('respects a living process and a stale heartbeat', async () => {
    const file = dir.join('held.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const { hostname } = await import('node:os');
    const holder = { token: 'x', pid: process.ppid, host: hostname(), since: 'noon' };
    writeFileSync(`${file}.lock`, JSON.stringify(holder));
    const access = (await stores.open(file)).access;
    assert.match(access.kind === 'read' ? access.reason : '', /^Another window or program has this session open\.$/);
    const long = new Date(Date.now() - 10 * 60_000);
    utimesSync(`${file}.lock`, long, long);
    assert.equal((await stores.open(file)).access.kind, 'write');
  });
});
