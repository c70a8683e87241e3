import assert from 'node:assert/strict';
import { chmodSync, linkSync, lstatSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { createEditTool } from '../../../../../src/agent/tools/files/editing/edit';
import type { EditToolDetails } from '../../../../../src/agent/tools/files/editing/edited-content';
import { createWriteTool } from '../../../../../src/agent/tools/files/writing/write';
import { call, inFolder, textOf } from '../../fixture';
import { runs } from '../../../../support/long-run';
import { asOrdinaryUser } from '../../../../support/ordinary-user';
import { itOnPosix, itWith } from '../../../../support/platform';

async function edited(content: string | Buffer, oldText: string, newText: string): Promise<Buffer> {
  let after: Buffer = Buffer.alloc(0);
  await inFolder({ 'f.txt': content }, async folder => {
    await call(createEditTool(folder.path), { path: 'f.txt', edits: [{ oldText, newText }] });
    after = folder.bytes('f.txt');
  });
  return after;
}

async function editedText(content: string, oldText: string, newText: string): Promise<string> {
  return (await edited(content, oldText, newText)).toString('utf8');
}

describe('edit', () => {
  it('replaces the text and tells what changed', () =>
    inFolder({ 'my file.txt': 'one\ntwo\nthree\n' }, async folder => {
      const result = await call(createEditTool(folder.path), {
        path: 'my file.txt',
        edits: [{ oldText: 'two', newText: 'TWO' }],
      });
      assert.equal(textOf(result), 'Successfully replaced 1 block(s) in my file.txt.');
      assert.deepEqual(result.details, {
        diff: ' 1 one\n-2 two\n+2 TWO\n 3 three',
        patch: '--- my file.txt\n+++ my file.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n',
        firstChangedLine: 2,
      });
      assert.equal(folder.text('my file.txt'), 'one\nTWO\nthree\n');
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
        await assert.rejects(call(createEditTool(folder.path), { path: 'f.txt', edits: [{ oldText, newText }] }), {
          message,
        });
        assert.equal(folder.text('f.txt'), content);
      }));
  }

  it('makes several edits at once, each found in the file as it was', () =>
    inFolder({ 'f.txt': Array.from({ length: 40 }, (_, i) => `line ${i + 1}`).join('\r\n') }, async folder => {
      const result = await call(createEditTool(folder.path), {
        path: 'f.txt',
        edits: [
          { oldText: 'line 30\n', newText: '' },
          { oldText: 'line 2\n', newText: 'line 3\nline two\n' },
        ],
      });
      assert.equal(textOf(result), 'Successfully replaced 2 block(s) in f.txt.');
      const lines = folder.text('f.txt').split('\r\n');
      assert.deepEqual(lines.slice(0, 4), ['line 1', 'line 3', 'line two', 'line 3']);
      assert.equal(lines.includes('line 30'), false);
      const { diff, patch, firstChangedLine } = result.details as EditToolDetails;
      assert.equal(firstChangedLine, 2);
      assert.deepEqual(diff.split('\n'), [
        '  1 line 1',
        '- 2 line 2',
        '+ 2 line 3',
        '+ 3 line two',
        '  3 line 3',
        '  4 line 4',
        '  5 line 5',
        '  6 line 6',
        '    ...',
        ' 26 line 26',
        ' 27 line 27',
        ' 28 line 28',
        ' 29 line 29',
        '-30 line 30',
        ' 31 line 31',
        ' 32 line 32',
        ' 33 line 33',
        ' 34 line 34',
        '    ...',
      ]);
      assert.deepEqual(patch.match(/^@@.*@@$/gm), ['@@ -1,6 +1,7 @@', '@@ -26,9 +27,8 @@']);
    }));

  const edit = (oldText: string, newText: string): { readonly oldText: string; readonly newText: string } => ({
    oldText,
    newText,
  });
  const severalRefused: readonly (readonly [name: string, edits: readonly object[], message: string])[] = [
    ['no edits', [], 'Edit tool input is invalid. edits must contain at least one replacement.'],
    ['an empty text', [edit('a', 'x'), edit('', 'y')], 'edits[1].oldText must not be empty in f.txt.'],
    [
      'a missing text',
      [edit('a', 'x'), edit('z', 'y')],
      'Could not find edits[1] in f.txt. The oldText must match exactly including all whitespace and newlines.',
    ],
    [
      'two occurrences',
      [edit('b', 'x'), edit('a', 'y')],
      'Found 2 occurrences of edits[0] in f.txt. Each oldText must be unique. Please provide more context to make it unique.',
    ],
    [
      'edits that overlap',
      [edit('d e', 'x'), edit('c d', 'y')],
      'edits[1] and edits[0] overlap in f.txt. Merge them into one edit or target disjoint regions.',
    ],
    [
      'no change',
      [edit('a', 'a'), edit('d', 'd')],
      'No changes made to f.txt. The replacements produced identical content.',
    ],
  ];
  for (const [name, edits, message] of severalRefused) {
    it(`refuses among several: ${name}`, () =>
      inFolder({ 'f.txt': 'a b b c d e' }, async folder => {
        await assert.rejects(call(createEditTool(folder.path), { path: 'f.txt', edits }), { message });
        assert.equal(folder.text('f.txt'), 'a b b c d e');
      }));
  }

  it('takes the form before there were lists, from hooks that call it', () =>
    inFolder({ 'f.txt': 'one two' }, async folder => {
      await call(createEditTool(folder.path), { path: 'f.txt', oldText: 'one', newText: '1' });
      assert.equal(folder.text('f.txt'), '1 two');
    }));

  it('names a file that is missing, and a folder', () =>
    inFolder({ 'd/': '' }, async folder => {
      const tool = createEditTool(folder.path);
      const edits = [{ oldText: 'a', newText: 'b' }];
      await assert.rejects(call(tool, { path: 'none.txt', edits }), {
        message: 'Could not edit file: none.txt. Error code: ENOENT.',
      });
      await assert.rejects(call(tool, { path: 'd', edits }), {
        message: 'Could not edit file: d. Error code: EISDIR.',
      });
    }));

  itOnPosix('names a file that may not be changed', () =>
    asOrdinaryUser(async folder => {
      const tool = createEditTool(folder);
      const edits = [{ oldText: 'a', newText: 'b' }];
      for (const [name, mode] of [
        ['open.txt', 0o644],
        ['closed.txt', 0o444],
      ] as const) {
        writeFileSync(join(folder, name), 'a', { mode });
      }
      await call(tool, { path: 'open.txt', edits });
      await assert.rejects(call(tool, { path: 'closed.txt', edits }), {
        message: 'Could not edit file: closed.txt. Error code: EACCES.',
      });
    }),
  );

  it('keeps CRLF, mixed line ends, BOM and everything outside of the place', async () => {
    assert.equal(await editedText('a\r\nb\r\nc\r\n', 'a\nb', 'x\ny\nz'), 'x\r\ny\r\nz\r\nc\r\n');
    assert.equal(await editedText('a\r\nb\r\n', 'b', 'b\nc'), 'a\r\nb\r\nc\r\n');
    assert.equal(await editedText('a\nb\r\nc\nd', 'c', 'C'), 'a\nb\r\nC\nd');
    assert.equal(await editedText('a\nb\r\nc', 'b', 'b\nB'), 'a\nb\r\nB\r\nc');
    assert.equal(await editedText('a\nb\r\nc', 'c', 'c\nd'), 'a\nb\r\nc\r\nd');
    assert.equal(await editedText('a\rb\rc', 'a\nb', 'x\ny'), 'x\ry\rc');
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
    assert.deepEqual(await edited(latin1, 'b', 'c'), Buffer.from([0x61, 0xe4, 0x0a, 0x63, 0xff, 0x0a]));
    const mixed = Buffer.concat([Buffer.from('grün\r\n'), latin1]);
    const changed = Buffer.concat([Buffer.from('blaß\r\n'), latin1]);
    assert.deepEqual(await edited(mixed, 'grün\n', 'blaß\n'), changed);
  });

  describe('a text of an encoding that is not known', () => {
    const texts: Readonly<Record<string, readonly number[]>> = {
      'Shift-JIS': [0x93, 0xfa, 0x96, 0x7b], // 日本
      'EUC-JP': [0xc6, 0xfc, 0xcb, 0xdc],
      GBK: [0xc8, 0xd5, 0xb1, 0xbe],
      CP1252: [0x67, 0x72, 0xfc, 0xdf, 0x65, 0x93, 0xbd, 0xaa],
    };
    for (const [encoding, bytes] of Object.entries(texts)) {
      it(`is not edited with characters whose bytes are not known, and stays as it is: ${encoding}`, () =>
        inFolder(
          { 'f.txt': Buffer.concat([Buffer.from('a = "'), Buffer.from(bytes), Buffer.from('"\n')]) },
          async folder => {
            const before = folder.bytes('f.txt');
            const message =
              'Cannot edit f.txt: it is not UTF-8, and its encoding is not known. Use only ASCII characters in the edit, or ' +
              'convert the file to UTF-8 first.';
            for (const [oldText, newText] of [
              ['a = "', 'ä = "'],
              ['日本', 'x'],
              ['"日', '"本'],
            ] as const) {
              const edits = [{ oldText, newText }];
              await assert.rejects(call(createEditTool(folder.path), { path: 'f.txt', edits }), { message });
            }
            assert.deepEqual(folder.bytes('f.txt'), before);
            await call(createEditTool(folder.path), { path: 'f.txt', edits: [{ oldText: 'a =', newText: 'b =' }] });
            before[0] = 0x62;
            assert.deepEqual(folder.bytes('f.txt'), before);
          },
        ));
    }

    for (const [what, bytes] of [
      ['UTF-32', [0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]],
      ['UTF-16 with half a character', [0xff, 0xfe, 0x61, 0, 0x62]],
    ] as const) {
      it(`is not taken for UTF-16: ${what}`, async () => {
        await assert.rejects(edited(Buffer.from(bytes), 'a', 'ä'), /^Error: Cannot edit f\.txt: it is not UTF-8/);
      });
    }

    it('has no character that is taken for a similar one', async () => {
      const text = Buffer.concat([Buffer.from('x'), Buffer.from([0xaa]), Buffer.from('y\n')]);
      await assert.rejects(edited(text, 'xay', 'z'), /^Error: Cannot edit f\.txt: it is not UTF-8/);
    });
  });

  for (const [order, code] of [
    ['little', (text: string): Buffer => Buffer.from(text, 'utf16le')],
    ['big', (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()],
  ] as const) {
    it(`edits UTF-16 with a mark as such, the ${order} end first`, async () => {
      const before = '\ufeffeins\r\nzwei ü\r\n\u0a0a\u010a\ud83d\ude00 drei\r\n';
      const after = '\ufeffeins\r\nzwo ß\r\n\u010a\r\n\u0a0a\u010a\ud83d\ude01 drei\r\n';
      await inFolder({ 'f.txt': code(before) }, async folder => {
        const { details } = await call(createEditTool(folder.path), {
          path: 'f.txt',
          edits: [
            { oldText: 'zwei ü\n', newText: 'zwo ß\n\u010a\n' },
            { oldText: '😀', newText: '😁' },
          ],
        });
        assert.deepEqual(folder.bytes('f.txt'), code(after));
        const { diff, firstChangedLine } = details as EditToolDetails;
        assert.equal(firstChangedLine, 2);
        assert.match(diff, /^-2 zwei ü$/m);
        assert.match(diff, /^\+4 \u0a0a\u010a😁 drei$/m);
      });
    });
  }

  it('changes exactly the place for any text', () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.string({ unit: 'grapheme', maxLength: 10 }),
        async (head, tail, newText) => {
          const mark = '<<mark>>';
          fc.pre(!`${head}${tail}${newText}`.includes('mark') && !/[\r\n]/.test(newText));
          const bom = head.startsWith('\ufeff');
          fc.pre(!bom);
          assert.equal(await editedText(head + mark + tail, mark, newText), head + newText + tail);
        },
      ),
      runs(60, 600),
    ));

  itOnPosix('keeps mode, symbolic links and hard links, and leaves no temporary file', () =>
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
    }),
  );

  itWith('links', 'loses none of 40 edits and writes at the same time, by two names of the file', () =>
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
    ),
  );

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
      access: (path: string) => (path === resolve('/remote/a') ? Promise.resolve() : Promise.reject(new Error('no'))),
      readFile: () => Promise.resolve(Buffer.from('x = 1\r\n')),
      writeFile: (path: string, content: string) => Promise.resolve(void written.push(path, content)),
    };
    const tool = createEditTool('/remote', { operations });
    const result = await call(tool, { path: 'a', oldText: '1', newText: '2' });
    assert.deepEqual(written, [resolve('/remote/a'), 'x = 2\r\n']);
    assert.equal((result.details as EditToolDetails).firstChangedLine, 1);
    await assert.rejects(call(tool, { path: 'b', oldText: '1', newText: '2' }), {
      message: 'Could not edit file: b. Error: no.',
    });
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
