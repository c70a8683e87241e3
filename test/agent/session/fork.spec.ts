import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SessionStore } from '../../../src/agent/session/store';
import { user, useStores, useTempDir } from './support';

const fixture = (name: string): string => readFileSync(`test/fixtures/sessions/${name}`, 'utf8');
const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

describe('forks of a session', () => {
  const dir = useTempDir();
  const stores = useStores();
  const create = (): SessionStore => stores.track(SessionStore.create({ dir: dir.join('s'), cwd: '/w' }));

  it('leaves nothing of a fork that fails, neither its file nor its lock', async () => {
    const store = create();
    for (const letter of 'abc') store.appendMessage(user(letter.repeat(3_000_000)));
    await store.flush();
    const before = readdirSync(dir.join('s'));
    const last = store.getLeafId();
    const read = store.getEntry.bind(store);
    store.getEntry = id => {
      if (id === last) throw new Error('the disk is gone');
      return read(id);
    };
    await assert.rejects(store.forkTo(), /the disk is gone/);
    await assert.rejects(store.fork(last!, 'at'), /the disk is gone/);
    assert.deepEqual(readdirSync(dir.join('s')), before);
  });

  it('copies the path before a message byte for byte and re-parents around labels', async () => {
    const file = dir.join('base.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const store = await stores.open(file);
    const tip = store.getEntry('u0000002')!;
    store.branch(tip.id);
    const last = store.appendMessage(user('four'));
    const fork = stores.track(await store.fork(last));
    await fork.flush();
    const lines = linesOf(fork.getSessionFile()!);
    const original = linesOf(file);
    assert.deepEqual(lines.slice(1, 8), original.slice(1, 8));
    assert.deepEqual(JSON.parse(lines[8]!), { ...tip, parentId: 'x0000001' });
    assert.equal(fork.getLabel('u0000001'), 'start');
    assert.equal(fork.getHeader()?.parentSession, file);
    const again = await stores.open(fork.getSessionFile()!, { readOnly: true });
    assert.deepEqual(again.problems, []);
    assert.deepEqual(
      again
        .getBranch()
        .map(entry => entry.id)
        .slice(0, 8),
      ['m0000001', 't0000001', 'u0000001', 'a0000001', 'c0000001', 'n0000001', 'x0000001', 'u0000002'],
    );
  });

  it('before the first user message is an empty session that names its parent', async () => {
    const store = create();
    const first = store.appendMessage(user('one'));
    await store.flush();
    const fork = stores.track(await store.fork(first));
    assert.deepEqual(fork.getEntries(), []);
    assert.equal(fork.getHeader()?.parentSession, store.getSessionFile());
    assert.ok(!existsSync(fork.getSessionFile()!));
  });
});
