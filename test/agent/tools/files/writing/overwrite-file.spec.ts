import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createEditTool } from '../../../../../src/agent/tools/files/editing/edit';
import { targetAt, withTarget } from '../../../../../src/agent/tools/files/file-target';
import { createWriteTool } from '../../../../../src/agent/tools/files/writing/write';
import { WriteRecords } from '../../../../../src/agent/tools/files/writing/write-records';
import { asOrdinaryUser } from '../../../../support/ordinary-user';
import { tried } from '../../../../support/tried';
import { call, inFolder, type TempFolder } from '../../fixture';
import { onFullDisk } from './failing-disk';
import { itOnPosix, itWith } from '../../../../support/platform';

const OLD = 'one\ntwo\nthree\n';
const RECORDS = 'records';

type Write = (folder: TempFolder, records: WriteRecords | undefined, path: string, text: string) => Promise<unknown>;

const write: Write = ({ path: cwd }, records, path, content) =>
  call(createWriteTool(cwd, { records }), { path, content });
const edit: Write = (folder, records, path, newText) => {
  const oldText = readFileSync(join(folder.path, path), 'utf8');
  return call(createEditTool(folder.path, { records }), { path, edits: [{ oldText, newText }] });
};
/** With the file that the user was asked about. */
const asked =
  (tool: Write): Write =>
  async (folder, ...rest) => {
    const target = targetAt(join(folder.path, rest[1])) ?? assert.fail('the folder can be looked into');
    return withTarget({ ...target, isAsked: true }, () => tool(folder, ...rest));
  };
const WAYS: Readonly<Record<string, Write>> = { write, edit, 'write, asked': asked(write), 'edit, asked': asked(edit) };

const recordsIn = ({ path }: TempFolder): WriteRecords => new WriteRecords(join(path, RECORDS));

describe('a file that a tool writes', () => {
  for (const [name, tool] of Object.entries(WAYS)) {
    it(`stays the same file, by all its names: ${name}`, () =>
      inFolder({ f: OLD }, async folder => {
        const path = join(folder.path, 'f');
        chmodSync(path, 0o640);
        const before = statSync(path);
        for (const text of ['', 'longer\n'.repeat(1000), 'ü\n']) {
          if (folder.text('f') !== '' || name.startsWith('write')) await tool(folder, recordsIn(folder), 'f', text);
          else writeFileSync(path, text);
          assert.equal(folder.text('f'), text);
          tried();
        }
        const { ino, mode } = statSync(path);
        assert.deepEqual([ino, mode], [before.ino, before.mode]);
        assert.deepEqual(readdirSync(folder.path).sort(), ['f', RECORDS], 'nothing else is left');
        assert.deepEqual(readdirSync(join(folder.path, RECORDS)), []);
      }));
  }

  itWith('links', 'is the same for a name elsewhere (a hard link, a link, a mount of the file)', () =>
    inFolder({ f: OLD }, async folder => {
      linkSync(join(folder.path, 'f'), join(folder.path, 'other'));
      symlinkSync('f', join(folder.path, 'link'));
      for (const name of ['f', 'other', 'link']) {
        await write(folder, recordsIn(folder), name, `by ${name}`);
        for (const each of ['f', 'other', 'link']) assert.equal(folder.text(each), `by ${name}`);
        tried();
      }
      assert.ok(lstatSync(join(folder.path, 'link')).isSymbolicLink());
    }),
  );

  for (const [name, tool] of Object.entries(WAYS)) {
    itOnPosix(`is recorded before it changes, for nobody else to read: ${name}`, () =>
      inFolder({ f: OLD }, async folder => {
        let record: Buffer | undefined;
        const before = (): void => {
          const dir = join(folder.path, RECORDS);
          const [file = '', ...more] = readdirSync(dir);
          assert.deepEqual(more, []);
          assert.deepEqual([statSync(dir).mode & 0o777, statSync(join(dir, file)).mode & 0o777], [0o700, 0o600]);
          assert.equal(folder.text('f'), OLD);
          record = readFileSync(join(dir, file));
        };
        await assert.rejects(
          onFullDisk(join(folder.path, 'f'), { bytes: 2, before }, () => tool(folder, recordsIn(folder), 'f', 'new')),
          /ENOSPC/,
        );
        assert.ok(record?.includes(`${OLD}new`), 'both contents were there');
        assert.equal(folder.text('f'), OLD, 'the old bytes are back');
        assert.deepEqual(readdirSync(join(folder.path, RECORDS)), []);
      }),
    );
  }

  for (const size of [1, 100_000]) {
    for (const bytes of [0, 1, Math.floor(size / 2), size]) {
      it(`holds the old bytes when ${bytes} of ${size} fit on the disk`, () =>
        inFolder({ f: OLD }, async folder => {
          const path = join(folder.path, 'f');
          const { ino } = statSync(path);
          const run = (): Promise<unknown> => write(folder, recordsIn(folder), 'f', 'x'.repeat(size));
          await assert.rejects(onFullDisk(path, { bytes }, run), /^Error: ENOSPC: no space left on device, write$/);
          assert.deepEqual([folder.text('f'), statSync(path).ino], [OLD, ino]);
        }));
    }
  }

  it('is replaced as a whole when it cannot be recorded', () =>
    inFolder({ f: OLD, [RECORDS]: 'a file in the place of the folder' }, async folder => {
      let during: string | undefined;
      const before = (): void => void (during = folder.text('f'));
      const run = (): Promise<unknown> => write(folder, recordsIn(folder), 'f', 'new');
      await assert.rejects(onFullDisk(join(folder.path, 'f'), { bytes: 1, before }, run), /ENOSPC/);
      assert.deepEqual([during, folder.text('f')], [OLD, OLD], 'it was never cut');
      await run();
      assert.equal(folder.text('f'), 'new');
      assert.deepEqual(readdirSync(folder.path).sort(), ['f', RECORDS]);
    }));

  itOnPosix('that may not be written stays, although its folder can be written', () =>
    asOrdinaryUser(async path => {
      writeFileSync(join(path, 'f'), OLD);
      chmodSync(join(path, 'f'), 0o444);
      const records = new WriteRecords(join(path, RECORDS));
      await assert.rejects(call(createWriteTool(path, { records }), { path: 'f', content: 'new' }), /EACCES.*'.*\/f'$/);
      assert.equal(readFileSync(join(path, 'f'), 'utf8'), OLD);
      assert.deepEqual(readdirSync(path), ['f']);
    }),
  );

  for (const isAsked of [false, true]) {
    itOnPosix(`appears whole when it is new${isAsked ? ', asked' : ''}`, () =>
      inFolder({ other: 'x' }, async folder => {
        const seen: boolean[] = [];
        const tool = isAsked ? asked(write) : write;
        const path = join(folder.path, 'f');
        const before = (): void => void seen.push(existsSync(path));
        const failing = onFullDisk(join(folder.path, 'other'), { bytes: 1, before }, () =>
          tool(folder, recordsIn(folder), 'f', 'new'),
        );
        await assert.rejects(failing, /ENOSPC/);
        assert.deepEqual([seen, readdirSync(folder.path)], [[false], ['other']]);
        const mask = process.umask(0o027);
        try {
          await tool(folder, recordsIn(folder), 'f', 'new');
        } finally {
          process.umask(mask);
        }
        const { mode, nlink } = statSync(path);
        assert.deepEqual([folder.text('f'), mode & 0o777, nlink], ['new', 0o640, 1]);
        assert.deepEqual(readdirSync(folder.path).sort(), ['f', 'other']);
      }),
    );
  }
});
