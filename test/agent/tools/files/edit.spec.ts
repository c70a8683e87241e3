import assert from 'node:assert/strict';
import { chmodSync, linkSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { createEditTool, type EditToolDetails } from '../../../../src/agent/tools/files/edit';
import { createWriteTool } from '../../../../src/agent/tools/files/write';
import { call, inFolder, textOf } from '../fixture';
import { runs } from '../../../support/long-run';

async function edited(content: string | Buffer, oldText: string, newText: string): Promise<Buffer> {
  let after: Buffer = Buffer.alloc(0);
  await inFolder({ 'f.txt': content }, async folder => {
    await call(createEditTool(folder.path), { path: 'f.txt', oldText, newText });
    after = folder.bytes('f.txt');
  });
  return after;
}

async function editedText(content: string, oldText: string, newText: string): Promise<string> {
  return (await edited(content, oldText, newText)).toString('utf8');
}

describe('edit', () => {
  it('replaces the text and tells what changed', () =>
    inFolder({ 'my file ü.txt': 'one\ntwo\nthree\n' }, async folder => {
      const result = await call(createEditTool(folder.path), { path: 'my file ü.txt', oldText: 'two', newText: 'TWO' });
      assert.equal(textOf(result), 'Successfully replaced text in my file ü.txt.');
      assert.deepEqual(result.details, { diff: ' 1 one\n-2 two\n+2 TWO\n 3 three', firstChangedLine: 2 });
      assert.equal(folder.text('my file ü.txt'), 'one\nTWO\nthree\n');
    }));

  const refusals: readonly (readonly [
    name: string,
    content: string,
    oldText: string,
    newText: string,
    message: string,
  ])[] = [
    [
      'missing text',
      'abc',
      'x',
      'y',
      'Could not find the exact text in f.txt. The old text must match exactly including all whitespace and newlines.',
    ],
    [
      'three occurrences',
      'foo foo foo',
      'foo',
      'y',
      'Found 3 occurrences of the text in f.txt. The text must be unique. Please provide more context to make it unique.',
    ],
    [
      'overlapping occurrences',
      'aaa',
      'aa',
      'y',
      'Found 2 occurrences of the text in f.txt. The text must be unique. Please provide more context to make it unique.',
    ],
    [
      'no change',
      'abc',
      'b',
      'b',
      'No changes made to f.txt. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.',
    ],
    [
      'no change but for line ends',
      'a\r\nb',
      'a\nb',
      'a\nb',
      'No changes made to f.txt. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.',
    ],
    ['empty old text', 'abc', '', 'x', 'oldText must not be empty in f.txt.'],
    [
      'blanks that are not there',
      'abc',
      '   ',
      'x',
      'Could not find the exact text in f.txt. The old text must match exactly including all whitespace and newlines.',
    ],
    [
      'fuzzy occurrences',
      '“a”\n„a‟\n',
      '"a"',
      'x',
      'Found 2 occurrences of the text in f.txt. The text must be unique. Please provide more context to make it unique.',
    ],
  ];
  for (const [name, content, oldText, newText, message] of refusals) {
    it(`refuses: ${name}`, () =>
      inFolder({ 'f.txt': content }, async folder => {
        await assert.rejects(call(createEditTool(folder.path), { path: 'f.txt', oldText, newText }), { message });
        assert.equal(folder.text('f.txt'), content);
      }));
  }

  it('names a file that is missing, a folder, a file that may not be read', () =>
    inFolder({ 'd/': '' }, async folder => {
      const tool = createEditTool(folder.path);
      const change = { oldText: 'a', newText: 'b' };
      await assert.rejects(call(tool, { path: 'none.txt', ...change }), { message: 'File not found: none.txt' });
      await assert.rejects(call(tool, { path: 'd', ...change }), { message: 'Cannot edit d: it is a directory' });
    }));

  it('keeps CRLF, mixed line ends, BOM and everything outside of the place', async () => {
    assert.equal(await editedText('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz'), 'x\r\ny\r\nz\r\nc\r\n');
    assert.equal(await editedText('a\r\nb\r\n', 'b', 'b\nc'), 'a\r\nb\r\nc\r\n');
    assert.equal(await editedText('a\nb\r\nc\nd', 'c', 'C'), 'a\nb\r\nC\nd');
    assert.equal(await editedText('a\nb\r\nc\r\nd', 'b\nc', 'B\nC'), 'a\nB\r\nC\r\nd');
    assert.equal(await editedText('\ufeffa\r\nb', 'a', 'x'), '\ufeffx\r\nb');
    assert.equal(await editedText('old\rmac', 'mac', 'x'), 'old\rx');
  });

  it('matches trailing blanks and typography only where the exact text is missing, and changes only the place', async () => {
    assert.equal(await editedText('keep  \na  \nb\t\nkeep “x”\n', 'a\nb', 'c'), 'keep  \nc\nkeep “x”\n');
    assert.equal(await editedText('say “hi” — now\u00a0ok', 'say "hi" - now ok', 'bye'), 'bye');
    assert.equal(await editedText('x “q” y', '"q"', "'q'"), "x 'q' y");
    assert.equal(await editedText('“a” and "a"', '"a"', 'b'), '“a” and b');
    assert.equal(await editedText('\u{1f600} e\u0301té – fin', '\u00e9té - fin', 'x'), '\u{1f600} x');
    assert.equal(await editedText('a  \r\nb  \r\n', 'a\nb', 'c\nd'), 'c\r\nd\r\n');
  });

  it('does not damage bytes that are not UTF-8', async () => {
    const latin1 = Buffer.from([0x61, 0xe4, 0x0a, 0x62, 0xff, 0x0a]);
    assert.deepEqual(await edited(latin1, 'b', 'ü'), Buffer.from([0x61, 0xe4, 0x0a, 0xc3, 0xbc, 0xff, 0x0a]));
  });

  it('changes exactly the place for any text', () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.string({ unit: 'grapheme', maxLength: 10 }),
        async (head, tail, newText) => {
          const mark = '<<mark>>';
          fc.pre(!`${head}${tail}${newText}`.includes('mark') && !newText.includes('\n'));
          const bom = head.startsWith('\ufeff');
          fc.pre(!bom);
          assert.equal(await editedText(head + mark + tail, mark, newText), head + newText + tail);
        },
      ),
      runs(60, 600),
    ));

  it('keeps mode, symbolic links and hard links, and leaves no temporary file', () =>
    inFolder({ 'run.sh': 'echo a\n', 'link.sh': '-> run.sh', 'one.txt': 'a' }, async folder => {
      chmodSync(join(folder.path, 'run.sh'), 0o754);
      linkSync(join(folder.path, 'one.txt'), join(folder.path, 'two.txt'));
      const tool = createEditTool(folder.path);
      await call(tool, { path: 'link.sh', oldText: 'echo a', newText: 'echo b' });
      await call(tool, { path: 'one.txt', oldText: 'a', newText: 'b' });
      assert.equal(folder.text('run.sh'), 'echo b\n');
      assert.ok(lstatSync(join(folder.path, 'link.sh')).isSymbolicLink());
      assert.equal(statSync(join(folder.path, 'run.sh')).mode & 0o777, 0o754);
      assert.equal(folder.text('two.txt'), 'b');
      assert.deepEqual(readdirSync(folder.path).sort(), ['link.sh', 'one.txt', 'run.sh', 'two.txt']);
    }));

  it('loses none of 40 edits and writes at the same time, by two names of the file', () =>
    inFolder(
      { 'f.txt': Array.from({ length: 40 }, (_, i) => `<${i}>`).join('\n'), alias: '-> f.txt' },
      async folder => {
        const tools = [createEditTool(folder.path), createEditTool(folder.path)] as const;
        await Promise.all([
          ...Array.from({ length: 40 }, (_, i) =>
            call(tools[i % 2 === 0 ? 0 : 1], {
              path: i % 3 === 0 ? 'alias' : 'f.txt',
              oldText: `<${i}>`,
              newText: `done ${i}`,
            }),
          ),
          call(createWriteTool(folder.path), { path: 'other.txt', content: 'x' }),
        ]);
        assert.equal(folder.text('f.txt'), Array.from({ length: 40 }, (_, i) => `done ${i}`).join('\n'));
      },
    ));

  it('ends with "Operation aborted" and leaves the file alone', () =>
    inFolder({ 'f.txt': 'a' }, async folder => {
      const signal = AbortSignal.abort();
      const params = { path: 'f.txt', oldText: 'a', newText: 'b' };
      await assert.rejects(call(createEditTool(folder.path), params, { signal }), { message: 'Operation aborted' });
      const stuck = {
        access: () => Promise.resolve(),
        readFile: () => new Promise<Buffer>(() => undefined),
        writeFile: () => Promise.resolve(),
      };
      const controller = new AbortController();
      const hanging = call(createEditTool(folder.path, { operations: stuck }), params, { signal: controller.signal });
      controller.abort();
      await assert.rejects(hanging, { message: 'Operation aborted' });
      // The next edit of the same file is not held up by the one that hangs.
      await call(createEditTool(folder.path), params);
      assert.equal(folder.text('f.txt'), 'b');
    }));

  it('works through the operations of a hook', async () => {
    const written: string[] = [];
    const operations = {
      access: (path: string) => (path === '/remote/a' ? Promise.resolve() : Promise.reject(new Error('no'))),
      readFile: () => Promise.resolve(Buffer.from('x = 1\r\n')),
      writeFile: (path: string, content: string) => Promise.resolve(void written.push(path, content)),
    };
    const tool = createEditTool('/remote', { operations });
    const result = await call(tool, { path: 'a', oldText: '1', newText: '2' });
    assert.deepEqual(written, ['/remote/a', 'x = 2\r\n']);
    assert.equal((result.details as EditToolDetails).firstChangedLine, 1);
    await assert.rejects(call(tool, { path: 'b', oldText: '1', newText: '2' }), { message: 'File not found: b' });
  });

  it('edits one line of 5 MB with a diff of that line', () =>
    inFolder({}, async folder => {
      const lines = Array.from({ length: 100_000 }, (_, i) => `this is line number ${i} of a rather long text file`);
      folder.put('big.txt', lines.join('\n'));
      const params = { path: 'big.txt', oldText: 'line number 77777 of', newText: 'line number X of' };
      const details = (await call(createEditTool(folder.path), params)).details as EditToolDetails;
      assert.equal(details.firstChangedLine, 77_778);
      assert.equal(details.diff.split('\n').length, 12);
    }));
});
