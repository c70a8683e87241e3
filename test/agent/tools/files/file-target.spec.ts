import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { targetAt, withTarget, type FileTarget } from '../../../../src/agent/tools/files/file-target';
import { createWriteTool } from '../../../../src/agent/tools/files/writing/write';
import { call, inFolder } from '../fixture';
import { itOnPosix, itWith } from '../../../support/platform';

/** Writes to a target that was looked at before `between` ran. */
async function writeAfter(folder: string, name: string, isAsked: boolean, between: () => void): Promise<void> {
  const target = targetAt(join(folder, name)) ?? assert.fail('the folder can be looked into');
  between();
  const allowed: FileTarget = { ...target, isAsked };
  await withTarget(allowed, () => call(createWriteTool(folder), { path: name, content: 'new' }));
}

describe('writing what was allowed', () => {
  for (const isAsked of [true, false]) {
    const by = isAsked ? 'by an answer' : 'by a rule';

    itWith('links', `${by} follows no link that came later`, () =>
      inFolder({ 'a.txt': 'a', 'b.txt': 'b' }, async folder => {
        const { path } = folder;
        const between = (): void => {
          rmSync(join(path, 'a.txt'));
          symlinkSync('b.txt', join(path, 'a.txt'));
        };
        await assert.rejects(
          writeAfter(path, 'a.txt', isAsked, between),
          /a\.txt was not used: it was replaced by a link/,
        );
        assert.equal(folder.text('b.txt'), 'b');
      }),
    );

    itWith('links', `${by} enters no folder that became a link`, () =>
      inFolder({ 'sub/a.txt': 'a', 'other/a.txt': 'b' }, async folder => {
        const { path } = folder;
        const between = (): void => {
          renameSync(join(path, 'sub'), join(path, 'before'));
          symlinkSync('other', join(path, 'sub'));
        };
        await assert.rejects(writeAfter(path, 'sub/a.txt', isAsked, between), /sub\/a\.txt was not used/);
        assert.deepEqual([folder.text('before/a.txt'), folder.text('other/a.txt')], ['a', 'b']);
      }),
    );

    it(`${by} changes no file that got another name`, () =>
      inFolder({ 'a.txt': 'a' }, async folder => {
        const { path } = folder;
        const between = (): void => linkSync(join(path, 'a.txt'), join(path, 'b.txt'));
        await assert.rejects(writeAfter(path, 'a.txt', isAsked, between), /it got another name/);
        assert.equal(folder.text('b.txt'), 'a');
      }));

    itOnPosix(`${by} makes missing folders, and keeps the mode of a file`, () =>
      inFolder({ 'a.txt': 'a' }, async folder => {
        const { path } = folder;
        chmodSync(join(path, 'a.txt'), 0o640);
        await writeAfter(path, 'a.txt', isAsked, () => undefined);
        await writeAfter(path, 'x/y/z.txt', isAsked, () => undefined);
        assert.deepEqual([folder.text('a.txt'), folder.text('x/y/z.txt')], ['new', 'new']);
        assert.equal(lstatSync(join(path, 'a.txt')).mode & 0o777, 0o640);
      }),
    );
  }

  it('by a rule takes a file that was replaced in its place', () =>
    inFolder({ 'a.txt': 'a', 'b.txt': 'b' }, async folder => {
      const { path } = folder;
      await writeAfter(path, 'a.txt', false, () => renameSync(join(path, 'b.txt'), join(path, 'a.txt')));
      assert.equal(folder.text('a.txt'), 'new');
    }));

  it('names the path in the errors of the system', () =>
    inFolder({}, async ({ path }) => {
      mkdirSync(join(path, 'folder'));
      await assert.rejects(
        writeAfter(path, 'folder', false, () => undefined),
        {
          message: `EISDIR: illegal operation on a directory, open '${join(path, 'folder')}'`,
        },
      );
    }));

  it('changes all names of a file where that was allowed', () =>
    inFolder({ 'a.txt': 'a' }, async ({ path }) => {
      linkSync(join(path, 'a.txt'), join(path, 'b.txt'));
      await writeAfter(path, 'a.txt', true, () => undefined);
      assert.equal(readFileSync(join(path, 'b.txt'), 'utf8'), 'new');
    }));

  it('is not known below a file', () =>
    inFolder({ 'a.txt': 'a' }, ({ path }) => {
      writeFileSync(join(path, 'b.txt'), '');
      assert.equal(targetAt(join(path, 'b.txt', 'c')), undefined);
      return Promise.resolve();
    }));
});
