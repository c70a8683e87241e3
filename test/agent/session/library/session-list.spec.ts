import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { SessionLock } from '../../../../src/agent/session/file/lock';
import { SessionList, sessionDirFor } from '../../../../src/agent/session/library/session-list';
import { useTempDir } from '../support';
import { itOnLinux } from '../../../support/platform';

const header = (id: string): string =>
  `${JSON.stringify({ type: 'session', version: 3, id, timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' })}\n`;
let serial = 0;
const entry = (type: string, fields: object, timestamp = '2026-01-02T00:00:00.000Z'): string =>
  `${JSON.stringify({ type, id: String(serial++), parentId: null, timestamp, ...fields })}\n`;
const said = (content: string, timestamp?: string): string =>
  entry('message', { message: { role: 'user', content, timestamp: 1 } }, timestamp);

describe('session list', () => {
  const dir = useTempDir();

  it('tells which files a living process has open to write, and reads only the locks that are there', async () => {
    const list = new SessionList(dir.path);
    assert.deepEqual([...(await new SessionList(dir.join('none')).inUse())], []);
    for (const name of ['free', 'held', 'dead', 'torn']) writeFileSync(dir.join(`${name}.jsonl`), header(name));
    const lock = await SessionLock.acquire(dir.join('held.jsonl'));
    assert.ok(lock instanceof SessionLock);
    const gone = { token: 'x', pid: 2 ** 30, host: hostname(), since: '2026-01-01T00:00:00.000Z' };
    writeFileSync(dir.join('dead.jsonl.lock'), JSON.stringify(gone));
    writeFileSync(dir.join('torn.jsonl.lock'), '{"tok');
    mkdirSync(dir.join('odd.jsonl.lock'));
    assert.deepEqual([...(await list.inUse())], [dir.join('held.jsonl')]);
    await lock.release();
    assert.deepEqual([...(await list.inUse())], []);
  });

  it('names folders as pi does', () => {
    assert.equal(sessionDirFor('/a', '/home/me/my proj'), join('/a', 'sessions', '--home-me-my proj--'));
    assert.match(sessionDirFor('/a', 'C:\\x\\y'), /--C--x-y--$/);
  });

  it('lists nothing where there is nothing', async () =>
    assert.deepEqual(await new SessionList(dir.join('none')).list(), []));

  it('lists all versions with name, first words, count and time, newest first', async () => {
    for (const version of ['v1', 'v2', 'v3']) {
      cpSync(`test/fixtures/sessions/${version}.jsonl`, dir.join(`${version}.jsonl`));
    }
    writeFileSync(dir.join('notes.txt'), 'not a session');
    const list = await new SessionList(dir.path).list();
    assert.deepEqual(
      list.map(info => [info.firstText, info.name, info.messageCount, info.cwd, info.parentSession, info.isComplete]),
      [
        ['one', 'A name', 4, '/work/projé ct', undefined, true],
        ['hello', undefined, 2, '/work/p', '/old/parent.jsonl', true],
        ['one', undefined, 4, '', undefined, true],
      ],
    );
    assert.equal(list[0]?.modified.toISOString(), '2026-01-01T00:00:12.000Z');
    assert.equal(list[0].created.toISOString(), '2026-01-01T00:00:00.000Z');
  });

  it('finds the beginning of a first message longer than the head', async () => {
    writeFileSync(dir.join('long.jsonl'), header('long') + said(`"Quoted" ünd\n${'é'.repeat(200_000)}`));
    const [info] = await new SessionList(dir.path).list();
    assert.ok(info?.firstText.startsWith('"Quoted" ünd\néé'));
    assert.ok(!info?.firstText.includes('\uFFFD'));
  });

  it('finds the first words behind a system prompt that is longer than the head', async () => {
    const prompt = (length: number): string =>
      entry('message', { message: { role: 'system', content: '', sections: { preamble: 'p'.repeat(length) } } });
    writeFileSync(
      dir.join('prompt.jsonl'),
      header('prompt') + prompt(5_600) + said('run rm -rf build') + prompt(9_000),
    );
    writeFileSync(dir.join('far.jsonl'), header('far') + prompt(60_000) + said(`far ${'y'.repeat(90_000)}`));
    writeFileSync(dir.join('none.jsonl'), header('none') + prompt(400_000) + said('too far away'));
    const list = await new SessionList(dir.path).list();
    const texts = Object.fromEntries(list.map(({ id, firstText }) => [id, firstText.slice(0, 20).trim()]));
    assert.deepEqual(texts, { prompt: 'run rm -rf build', far: `far ${'y'.repeat(16)}`, none: '' });
  });

  it('finds a name and the exact count between head and tail when asked to', async () => {
    const file = dir.join('mid.jsonl');
    const bulk = Array.from({ length: 3000 }, (_, n) => said(`${n} ${'x'.repeat(n % 700)}`)).join('');
    const label = (text?: string): string => entry('label', { targetId: text ?? 'x', label: text });
    const middle = entry('session_info', { name: 'in the middle' }) + label('x') + label('kept') + label();
    writeFileSync(file, header('mid') + bulk + middle + bulk + label('at the end'));
    const sessions = new SessionList(dir.path);
    const [quick] = await sessions.list();
    assert.equal(quick?.isComplete, false);
    assert.equal(quick.name, undefined);
    assert.ok(quick.messageCount > 0);
    const whole = await sessions.complete(file);
    assert.deepEqual(quick.labels, ['at the end']);
    assert.deepEqual([whole?.name, whole?.messageCount, whole?.isComplete], ['in the middle', 6000, true]);
    assert.deepEqual(whole?.labels, ['kept', 'at the end']);
    assert.deepEqual(await sessions.list(), [whole]);
  });

  it('sees what changed, came and went', async () => {
    const sessions = new SessionList(dir.path);
    writeFileSync(dir.join('a.jsonl'), header('a') + said('first', '2026-01-01T00:00:01.000Z'));
    writeFileSync(dir.join('b.jsonl'), header('b') + said('second', '2026-01-01T00:00:02.000Z'));
    assert.deepEqual(
      (await sessions.list()).map(info => info.id),
      ['b', 'a'],
    );
    appendFileSync(dir.join('a.jsonl'), said('more', '2026-01-01T00:00:03.000Z'));
    assert.deepEqual(
      (await sessions.list()).map(info => [info.id, info.messageCount]),
      [
        ['a', 2],
        ['b', 1],
      ],
    );
    rmSync(dir.join('b.jsonl'));
    assert.deepEqual(
      (await sessions.list()).map(info => info.id),
      ['a'],
    );
  });

  it('lists damaged files too, with what is wrong', async () => {
    writeFileSync(dir.join('torn.jsonl'), `{"type":"sess\n${said('still here')}`);
    writeFileSync(dir.join('empty.jsonl'), '');
    mkdirSync(dir.join('folder.jsonl'));
    const list = await new SessionList(dir.path).list();
    const byFile = new Map(list.map(info => [basename(info.file), info]));
    assert.match(byFile.get('torn.jsonl')?.problem ?? '', /first line cannot be read/);
    assert.equal(byFile.get('torn.jsonl')?.firstText, 'still here');
    assert.equal(byFile.get('empty.jsonl')?.messageCount, 0);
    assert.match(byFile.get('folder.jsonl')?.problem ?? '', /EISDIR/);
  });

  itOnLinux('closes a file that is no session', async () => {
    const file = dir.join('other.jsonl');
    writeFileSync(file, `{"name":"no session"}\n${'x'.repeat(20_000)}`);
    const sessions = new SessionList(dir.path);
    const [info] = await sessions.list();
    assert.match(info?.problem ?? '', /./);
    await sessions.complete(file);
    const open = readdirSync('/proc/self/fd').flatMap(fd => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        return []; // The descriptor with which the folder was listed; it is closed by now.
      }
    });
    assert.ok(!open.includes(realpathSync(file)));
  });
});
