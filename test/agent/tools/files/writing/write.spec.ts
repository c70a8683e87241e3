import assert from 'node:assert/strict';
import { linkSync, lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createWriteTool } from '../../../../../src/agent/tools/files/writing/write';
import { call, inFolder, textFrom } from '../../fixture';
import { onFullDisk } from './failing-disk';
import { itWith } from '../../../../support/platform';

describe('write', () => {
  it('creates the file with its folders and says so', () =>
    inFolder({}, async folder => {
      const tool = createWriteTool(folder.path);
      const result = await call(tool, { path: 'new folder/ä/x.txt', content: 'hällo\r\n' });
      assert.deepEqual(result, {
        content: [{ type: 'text', text: 'Successfully wrote to new folder/ä/x.txt' }],
        details: undefined,
      });
      assert.equal(folder.text('new folder/ä/x.txt'), 'hällo\r\n');
      assert.equal(await textFrom(tool, { path: 'empty', content: '' }), 'Successfully wrote to empty');
    }));

  itWith('links', 'replaces a file, through a symbolic link too, and leaves nothing else behind', () =>
    inFolder({ 'a.txt': 'old', 'l.txt': '-> a.txt', 'dangling.txt': '-> later.txt' }, async folder => {
      const tool = createWriteTool(folder.path);
      await call(tool, { path: 'l.txt', content: 'new' });
      await call(tool, { path: 'dangling.txt', content: 'born' });
      assert.equal(folder.text('a.txt'), 'new');
      assert.equal(folder.text('later.txt'), 'born');
      assert.ok(lstatSync(join(folder.path, 'l.txt')).isSymbolicLink());
      assert.deepEqual(readdirSync(folder.path).sort(), ['a.txt', 'dangling.txt', 'l.txt', 'later.txt']);
    }),
  );

  it('writes UTF-16 with a mark in place of the same', () => {
    const little = Buffer.from('\ufeffold', 'utf16le');
    const big = Buffer.from('\ufeffold', 'utf16le').swap16();
    return inFolder({ little, big, empty: '', other: Buffer.from([0x93, 0xfa]) }, async folder => {
      const tool = createWriteTool(folder.path);
      for (const path of ['little', 'big', 'empty', 'other']) await call(tool, { path, content: 'new ü😀\r\n' });
      const text = '\ufeffnew ü😀\r\n';
      assert.deepEqual(folder.bytes('little'), Buffer.from(text, 'utf16le'));
      assert.deepEqual(folder.bytes('big'), Buffer.from(text, 'utf16le').swap16());
      for (const path of ['empty', 'other']) assert.equal(folder.text(path), 'new ü😀\r\n');
    });
  });

  it('says what stands in the way', () =>
    inFolder({ 'd/': '', f: 'x' }, async folder => {
      const tool = createWriteTool(folder.path);
      const at = (name: string): string => `'${join(folder.path, name)}'`;
      await assert.rejects(call(tool, { path: 'd', content: 'x' }), {
        message: `EISDIR: illegal operation on a directory, open ${at('d')}`,
      });
      await assert.rejects(call(tool, { path: 'f/g', content: 'x' }), {
        message: `EEXIST: file already exists, mkdir ${at('f')}`,
      });
    }));

  it('keeps the last of many writes at the same time, whole', () =>
    inFolder({}, async folder => {
      const tool = createWriteTool(folder.path);
      const contents = Array.from({ length: 20 }, (_, i) => String(i).repeat(100_000));
      await Promise.all(contents.map(content => call(tool, { path: 'f', content })));
      assert.equal(folder.text('f'), contents.at(-1));
    }));

  for (const size of [10, 100_000]) {
    it(`leaves a file with several names as it was when ${size} bytes do not fit on the disk`, () =>
      inFolder({ f: 'what was there before' }, async folder => {
        linkSync(join(folder.path, 'f'), join(folder.path, 'second'));
        const content = 'x'.repeat(size);
        const run = (): Promise<unknown> => call(createWriteTool(folder.path), { path: 'f', content });
        await assert.rejects(onFullDisk(join(folder.path, 'f'), { bytes: size / 2 }, run), /ENOSPC/);
        assert.equal(folder.text('f'), 'what was there before');
        assert.equal(folder.text('second'), 'what was there before');
      }));
  }

  it('writes nothing once aborted', () =>
    inFolder({}, async folder => {
      const tool = createWriteTool(folder.path);
      const call1 = call(tool, { path: 'f', content: 'x' }, { signal: AbortSignal.abort() });
      await assert.rejects(call1, { message: 'Operation aborted' });
      assert.deepEqual(readdirSync(folder.path), []);
    }));

  it('works through the operations of a hook', async () => {
    const calls: string[] = [];
    const operations = {
      mkdir: (path: string) => Promise.resolve(void calls.push(`mkdir ${path}`)),
      writeFile: (path: string, content: string) => Promise.resolve(void calls.push(`write ${path} ${content}`)),
    };
    await call(createWriteTool('/remote', { operations }), { path: 'a/b', content: 'x' });
    assert.deepEqual(calls, [`mkdir ${resolve('/remote/a')}`, `write ${resolve('/remote/a/b')} x`]);
  });
});
