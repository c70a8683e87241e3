import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, uptime } from 'node:os';
import { dirname, join } from 'node:path';
import type { Ancestor } from '../../../src/base/ending/ancestors';
import { readProcessRow } from '../../../src/base/ending/process-table';
import { PastCalls } from '../../../src/gate/approval-store/past-calls';
import { UsedPlaces } from '../../../src/gate/approval-store/used-places';
import { itOnLinux } from '../../support/platform';

describe('what is remembered beside the record of approvals', () => {
  let root: string;
  let calls: PastCalls;
  const file = (): string => join(root, '.hookline-past-use', 'calls.jsonl');
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline-past-'));
    calls = new PastCalls(join(root, 'hookline'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** This process as it would be had it started `seconds` after the machine, below `parent`. */
  const started = (seconds: number, parent = 1): Ancestor => ({
    ...{ pid: process.pid, parent, startedAt: Math.round(seconds * 100) },
    ...{ words: ['sh'], variables: [] },
  });
  const isFound = (...chain: readonly Ancestor[]): boolean => calls.leftBehind(chain) !== undefined;

  itOnLinux('tells what started during a call and lost its parent, and nothing else', () => {
    const before = uptime() - 1;
    assert.equal(isFound(started(uptime())), false, 'there was no call');
    calls.began('one');
    const during = uptime();
    assert.ok(isFound(started(during)));
    assert.equal(isFound(started(before)), false, 'a terminal that was open before');
    assert.equal(isFound(started(during, process.ppid)), false, 'its parent lives');
    const systemd = { ...started(before, 1), words: ['/usr/lib/systemd/systemd', '--user'] };
    assert.ok(isFound(started(during, 77), systemd), 'the one that systemd of the user took over');
    assert.ok(isFound(started(during + 9, 88), started(during)), 'what it starts later');
    calls.ended('one');
    assert.ok(isFound(started(during)));
    assert.equal(isFound(started(uptime() + 1)), false, 'a terminal that was opened after the call');
    assert.equal(isFound({ ...started(during), pid: 2 ** 30 }), false, 'one of another control group');
    assert.equal(isFound(), false);
  });

  itOnLinux('knows the processes that ran calls, and no others with their pids', () => {
    const startedAt = readProcessRow(process.pid)?.startedAt;
    assert.equal(calls.isHost({ pid: process.pid, startedAt }), false);
    calls.began('one');
    calls.ended('one');
    assert.ok(calls.isHost({ pid: process.pid, startedAt }));
    assert.equal(calls.isHost({ pid: process.pid, startedAt: 1 }), false);
    assert.equal(calls.isHost({ pid: process.pid, startedAt: undefined }), false);
    assert.equal(calls.isHost({ pid: 1, startedAt }), false);
  });

  itOnLinux('skips lines of another boot and another machine, lines that were cut off, and files that are none', () => {
    calls.began('one');
    const line = JSON.parse(readFileSync(file(), 'utf8')) as object;
    writeFileSync(
      file(),
      [{ ...line, bootedAt: 1 }, { ...line, host: 'other' }, [], null].map(each => JSON.stringify(each)).join('\n'),
    );
    appendFileSync(file(), '\n{"type":"began","ru');
    assert.equal(isFound(started(uptime())), false);
    rmSync(file());
    mkdirSync(file());
    assert.equal(isFound(started(uptime())), false);
  });

  itOnLinux('stays short, and keeps the last calls', () => {
    calls.began('one');
    const [line = ''] = readFileSync(file(), 'utf8').split('\n');
    writeFileSync(file(), `${line}\n{"type":"ended","run":"one","at":0}\n`.repeat(3_000));
    const long = statSync(file()).size;
    calls.began('two');
    assert.ok(statSync(file()).size < long / 2);
    assert.ok(isFound(started(uptime())));
    assert.equal(statSync(file()).mode & 0o077, 0);
  });

  it('knows a place that was used while one of the two notes is there, and no note of another machine', () => {
    const places = new UsedPlaces(join(root, 'hookline'), join(root, 'agent'));
    const notes = [join(root, '.hookline-past-use', 'a.json'), join(root, 'agent', 'hookline', 'past-use', 'a.json')];
    assert.equal(places.has('a'), false);
    for (const note of notes) {
      places.add('a', '/work');
      assert.ok(places.has('a'));
      assert.equal(places.has('b'), false);
      rmSync(note);
      assert.ok(places.has('a'), note);
    }
    for (const note of notes) {
      mkdirSync(dirname(note), { recursive: true });
      writeFileSync(note, JSON.stringify({ about: '/work', host: `${hostname()}-other` }));
    }
    assert.equal(places.has('a'), false);
    places.add('a', '/work');
    assert.ok(places.has('a'));
  });
});
