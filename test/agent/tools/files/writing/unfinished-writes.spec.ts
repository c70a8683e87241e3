import assert from 'node:assert/strict';
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { defined } from '../../../../../src/base/defined';
import { ENDED } from '../../../../../src/base/ending/known-process';
import { UnfinishedWrites, type UnfinishedWrite } from '../../../../../src/agent/tools/files/writing/unfinished-writes';
import { createWriteTool } from '../../../../../src/agent/tools/files/writing/write';
import { WriteRecords } from '../../../../../src/agent/tools/files/writing/write-records';
import { tried } from '../../../../support/tried';
import { call, inFolder, type TempFolder } from '../../fixture';
import { onFullDisk } from './failing-disk';
import { itOnPosix } from '../../../../support/platform';

const OLD = Buffer.from([...Buffer.from('an older text, '), 0, 0x93, 0xfa]);
const SHORTER = 'new';
const LONGER = 'new text, '.repeat(10);

const dirOf = ({ path }: TempFolder): string => join(path, 'records');
const open = (folder: TempFolder): Promise<UnfinishedWrites> => UnfinishedWrites.open(new WriteRecords(dirOf(folder)));

/** Lets a write to `f` stop after some bytes, with nothing put back. */
async function cut(folder: TempFolder, content: string, bytes: number): Promise<void> {
  const records = new WriteRecords(dirOf(folder));
  const run = (): Promise<unknown> => call(createWriteTool(folder.path, { records }), { path: 'f', content });
  await assert.rejects(onFullDisk(join(folder.path, 'f'), { bytes, lasts: true }, run), {
    message: `${join(folder.path, 'f')} was written only in part: ENOSPC: no space left on device, write. Its earlier content is kept: see "hookline writes".`,
  });
}

/** As if the process of each record had ended, or as `more` says; `at`: as if it had begun then. */
function endProcess(folder: TempFolder, more: object = { pid: ENDED }, at?: number): void {
  for (const name of readdirSync(dirOf(folder))) {
    const path = join(dirOf(folder), name);
    const bytes = readFileSync(path);
    const end = bytes.indexOf('\n');
    const header = JSON.parse(bytes.toString('utf8', 0, end)) as { readonly process: object };
    const line = JSON.stringify({ ...header, ...defined({ at }), process: { ...header.process, ...more } });
    writeFileSync(path, Buffer.concat([Buffer.from(line), bytes.subarray(end)]));
  }
}

async function only(
  folder: TempFolder,
): Promise<{ readonly writes: UnfinishedWrites; readonly write: UnfinishedWrite }> {
  const writes = await open(folder);
  const [write, ...more] = writes.list;
  assert.deepEqual(more, []);
  return { writes, write: write ?? assert.fail('the write is found') };
}

/** A folder with a file whose writing was cut by the end of a process. */
async function withCut(test: (folder: TempFolder) => Promise<void>): Promise<void> {
  await inFolder({ f: OLD }, async folder => {
    await cut(folder, LONGER, 8);
    endProcess(folder, { pid: ENDED }, Date.now() - 1_000);
    await test(folder);
  });
}

describe('a write that ended with its process', () => {
  for (const [content, cuts] of [
    [SHORTER, [1, 2, SHORTER.length]],
    [LONGER, [1, OLD.length - 1, OLD.length, OLD.length + 1, LONGER.length - 1]],
  ] as const) {
    for (const bytes of cuts) {
      it(`is found at the next start, and put back exactly, after ${bytes} of ${content.length} bytes`, () =>
        inFolder({ f: OLD }, async folder => {
          const { ino } = statSync(join(folder.path, 'f'));
          await cut(folder, content, bytes);
          assert.notDeepEqual(folder.bytes('f'), OLD);
          endProcess(folder);
          const { writes, write } = await only(folder);
          assert.deepEqual([write.path, write.isChanged], [join(folder.path, 'f'), false]);
          assert.equal(await writes.putBack(write), true);
          assert.deepEqual([folder.bytes('f'), statSync(join(folder.path, 'f')).ino], [OLD, ino]);
          assert.deepEqual([writes.list, readdirSync(dirOf(folder))], [[], []]);
        }));
    }
  }

  for (const [what, content, bytes] of [
    ['nothing was written yet', LONGER, 0],
    ['all was written', LONGER, LONGER.length],
  ] as const) {
    it(`is forgotten when ${what}`, () =>
      inFolder({ f: OLD }, async folder => {
        await cut(folder, content, bytes);
        const found = folder.bytes('f');
        endProcess(folder);
        assert.deepEqual((await open(folder)).list, []);
        assert.deepEqual([folder.bytes('f'), readdirSync(dirOf(folder))], [found, []]);
      }));
  }

  it('is none while the process runs, here or elsewhere', () =>
    inFolder({ f: OLD }, async folder => {
      await cut(folder, LONGER, 8);
      const hour = 60 * 60 * 1000;
      for (const [writer, at, isOver] of [
        [{}, Date.now() - 2 * hour, false],
        [{ pid: ENDED }, Date.now(), true],
        [{ host: `not ${hostname()}` }, Date.now(), false],
        [{ host: `not ${hostname()}` }, Date.now() - 2 * hour, true],
        [{ host: hostname(), pid: process.pid, startedAt: '1' }, Date.now(), true],
        [{ bootedAt: 1 }, Date.now(), true],
      ] as const) {
        endProcess(folder, writer, at);
        assert.equal((await open(folder)).list.length, isOver ? 1 : 0, JSON.stringify(writer));
        assert.equal(readdirSync(dirOf(folder)).length, 1);
        tried();
      }
    }));

  for (const [what, change] of [
    ['changed by a person', (path: string) => appendFileSync(path, 'and more')],
    ['emptied', (path: string) => writeFileSync(path, '')],
    ['removed', (path: string) => rmSync(path)],
    [
      'replaced by a link',
      (path: string) => {
        renameSync(path, `${path}2`);
        symlinkSync(`${path}2`, path);
      },
    ],
  ] as const) {
    itOnPosix(`is marked when the file was ${what} since, and not put back when that comes after the look`, () =>
      withCut(async folder => {
        const path = join(folder.path, 'f');
        const early = await only(folder);
        change(path);
        const found = what === 'removed' ? undefined : readFileSync(path);
        assert.equal(await early.writes.putBack(early.write), false);
        const { writes, write } = await only(folder);
        assert.equal(write.isChanged, true);
        assert.deepEqual(what === 'removed' ? undefined : readFileSync(path), found);
        if (what === 'replaced by a link') {
          await assert.rejects(writes.putBack(write), /ELOOP/);
          assert.deepEqual(readFileSync(path), found);
        } else {
          assert.equal(await writes.putBack(write), true, 'the user was asked');
          assert.deepEqual(readFileSync(path), OLD);
          if (what === 'removed') assert.equal(statSync(path).mode & 0o777, 0o600);
        }
      }),
    );
  }

  it('is forgotten when the user keeps the file, and put back by one of two only', () =>
    withCut(async folder => {
      const found = folder.bytes('f');
      const [one, other] = [await only(folder), await only(folder)];
      await one.writes.keep(one.write);
      assert.equal(await other.writes.putBack(other.write), false);
      assert.deepEqual([folder.bytes('f'), one.writes.list, other.writes.list], [found, [], []]);
    }));

  it('can be put back after putting back was cut, too', () =>
    withCut(async folder => {
      const { writes, write } = await only(folder);
      const run = (): Promise<unknown> => writes.putBack(write);
      await assert.rejects(onFullDisk(write.path, { bytes: 3, lasts: true }, run), /written only in part/);
      endProcess(folder);
      for (let left = 2; left > 0; left--) {
        const again = await open(folder);
        const [latest] = again.list;
        assert.equal(await again.putBack(latest ?? assert.fail(`${left} are left`)), true);
      }
      assert.deepEqual([folder.bytes('f'), readdirSync(dirOf(folder))], [OLD, []]);
    }));

  it('leaves nothing of records that were never completed, and what is not ours', () =>
    withCut(async folder => {
      const put = (name: string, text: string): string => {
        writeFileSync(join(dirOf(folder), name), text);
        return join(dirOf(folder), name);
      };
      put('young.tmp', '{');
      utimesSync(put('old.tmp', '{'), 0, 0);
      for (const [name, text] of Object.entries({ a: '', b: '{', c: '{}\n', d: '\n\n', e: 'null\n' })) put(name, text);
      const { write } = await only(folder);
      assert.deepEqual(readdirSync(dirOf(folder)).sort(), ['a', 'b', 'c', 'd', 'e', write.id, 'young.tmp'].sort());
    }));
});
