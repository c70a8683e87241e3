import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SessionLock } from '../../../../src/agent/session/file/lock';
import { SessionInUseError } from '../../../../src/agent/session/file/lock';
import { SessionTrash } from '../../../../src/agent/session/library/trash';
import { useTempDir } from '../support';

const DAY = 24 * 60 * 60 * 1000;

describe('deleted sessions', () => {
  const dir = useTempDir();

  it('leave their folder and come back as they were', async () => {
    const trash = new SessionTrash(dir.join('deleted'));
    const file = dir.join('a.jsonl');
    writeFileSync(file, 'the session');
    const deleted = await trash.put(file, 'A title');
    assert.deepEqual(readdirSync(dir.path), ['deleted']);
    assert.deepEqual(await trash.list(), [deleted]);
    assert.deepEqual([deleted.title, deleted.file], ['A title', file]);
    await trash.restore(deleted);
    assert.equal(readFileSync(file, 'utf8'), 'the session');
    assert.deepEqual(await trash.list(), []);
    assert.deepEqual(readdirSync(dir.join('deleted')), []);
  });

  it('stay where they are while someone writes to them', async () => {
    const trash = new SessionTrash(dir.join('deleted'));
    const file = dir.join('a.jsonl');
    writeFileSync(file, 'x');
    const lock = await SessionLock.acquire(file);
    assert.ok(lock instanceof SessionLock);
    await assert.rejects(trash.put(file, ''), (error: unknown) => {
      assert.ok(error instanceof SessionInUseError);
      return /^Another window or program has this session open/.test(error.message);
    });
    await lock.release();
    assert.ok(existsSync(file));
    await trash.put(file, '');
    assert.ok(!existsSync(file));
  });

  it('never take the place of another file', async () => {
    const trash = new SessionTrash(dir.join('deleted'));
    const file = dir.join('a.jsonl');
    writeFileSync(file, 'old');
    const deleted = await trash.put(file, '');
    writeFileSync(file, 'new');
    await assert.rejects(trash.restore(deleted), /EEXIST/);
    assert.equal(readFileSync(file, 'utf8'), 'new');
    assert.equal((await trash.list()).length, 1);
  });

  it('go for good after thirty days, and are listed latest first', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const trash = new SessionTrash(dir.join('deleted'), () => now);
    const put = async (name: string): Promise<void> => {
      writeFileSync(dir.join(name), name);
      await trash.put(dir.join(name), name);
    };
    await put('a');
    now += 20 * DAY;
    await put('b');
    assert.deepEqual(
      (await trash.list()).map(({ title }) => title),
      ['b', 'a'],
    );
    now += 11 * DAY;
    await put('c');
    assert.deepEqual(
      (await trash.list()).map(({ title }) => title),
      ['c', 'b'],
    );
    assert.equal(readdirSync(dir.join('deleted')).length, 4);
  });

  it('say what is missing', async () => {
    const trash = new SessionTrash(dir.join('deleted'));
    await assert.rejects(trash.put(dir.join('none.jsonl'), ''), /ENOENT/);
    assert.deepEqual(await trash.list(), []);
    assert.deepEqual(readdirSync(dir.join('deleted')), []);
  });
});
