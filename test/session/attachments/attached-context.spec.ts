import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  attachedFiles,
  attachedNames,
  attachedTexts,
  typedText,
} from '../../../src/session/attachments/attached-files';
import type { ContextSource } from '../../../src/session/attachments/context-source';
import type { EditorText } from '../../../src/session/attachments/editor-texts';

const LINES = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\n');

describe('what a text names with @', () => {
  let cwd: string;
  const warned: string[] = [];

  before(() => {
    cwd = mkdtempSync(join(tmpdir(), 'hookline attach ü '));
    for (const [name, text] of Object.entries({ 'a.ts': LINES, 'my dir/b c.ts': LINES, 'my dir/x/y.ts': '' })) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), text);
    }
    symlinkSync(join(cwd, 'a.ts'), join(cwd, 'link.ts'));
  });

  beforeEach(() => {
    warned.length = 0;
  });

  after(() => rmSync(cwd, { recursive: true, force: true }));

  const texts = async (text: string, context?: Partial<ContextSource>): Promise<readonly string[]> => {
    const whole: ContextSource | undefined = context && {
      openFiles: () => [],
      offers: () => [],
      symbols: () => Promise.resolve([]),
      read: name => Promise.resolve(`no ${name}`),
      linesOfSymbol: () => Promise.resolve(undefined),
      unsavedText: () => undefined,
      ...context,
    };
    const parts = await attachedFiles(text, { cwd, context: whole, warn: message => warned.push(message) });
    return parts.map(part => (part.type === 'text' ? part.text : part.type));
  };

  it('can be some lines of a file', async () =>
    assert.deepEqual(await texts('see @a.ts:3-4, and @"my dir/b c.ts:2"'), [
      '<context source="a.ts:3-4">\nline 3\nline 4\n</context>',
      '<context source="my dir/b c.ts:2">\nline 2\n</context>',
    ]));

  it('counts outside of fenced code only, be the fence never closed, indented, or of tildes', async () => {
    const named = '<context source="a.ts:1">\nline 1\n</context>';
    for (const [text, count] of [
      ['```ts\n @a.ts:1\n```', 0],
      ['```ts\n @a.ts:1\n```\n @a.ts:1', 1],
      ['~~~\n @a.ts:1\n```\n @a.ts:1\n~~~', 0],
      ['````\n```\n @a.ts:1\n````\n@a.ts:1', 1],
      ['never closed\n   ```\n@a.ts:1', 0],
      ['    ``` no fence\n@a.ts:1', 1],
      ['``` code ``` in a line\n@a.ts:1', 1],
    ] as const) {
      assert.deepEqual(await texts(text), Array(count).fill(named), text);
    }
  });

  it('can be lines that are not there, which is told', async () => {
    assert.deepEqual(await texts('@a.ts:40-50'), []);
    assert.deepEqual(warned, ['a.ts:40-50 has no such lines: nothing was attached.']);
  });

  it('can be lines of a file of any size, of which no more is read than up to them', async () => {
    const path = join(cwd, 'huge.log');
    writeFileSync(path, 'first\r\nsecond\nthird\n');
    truncateSync(path, 600 * 1024 ** 2); // More than a string can hold; the rest takes no room on the disk.
    assert.deepEqual(await texts('@huge.log:1-2'), ['<context source="huge.log:1-2">\nfirst\nsecond\n</context>']);
    assert.deepEqual(await texts('@a.ts:12-14'), ['<context source="a.ts:12-14">\nline 12\n</context>']);
  });

  it('can be more lines than are attached at once, which is said', async () => {
    writeFileSync(join(cwd, 'long.txt'), 'ä\n'.repeat(9_000));
    writeFileSync(join(cwd, 'wide.txt'), `${'x'.repeat(30_000)}\n`.repeat(9));
    writeFileSync(join(cwd, 'one.txt'), `short\n${'ü'.repeat(300_000)}`);
    const [long = ''] = await texts('@long.txt:5-8000');
    assert.equal(long.split('\n').filter(line => line === 'ä').length, 2_000);
    assert.match(long, /\n\[Cut after line 2004: more than is attached at once\]\n<\/context>$/);
    assert.match((await texts('@wide.txt:3-8'))[0] ?? '', /x\n\[Cut after line 3: /);
    const [one = ''] = await texts('@one.txt:2');
    assert.match(one, /^[^\uFFFD]+ü\n\[Cut: line 2 is longer than 50\.0KB\]\n<\/context>$/);
    assert.ok(Buffer.byteLength(one) < 52_000);
  });

  it('is no symbol of a file that is too large, which is told', async () => {
    const path = join(cwd, 'large.ts');
    writeFileSync(path, 'const five = 5;\n');
    truncateSync(path, 11 * 1024 ** 2);
    let looked = 0;
    const linesOfSymbol = (): Promise<readonly [number, number]> => {
      looked += 1;
      return Promise.resolve([1, 1]);
    };
    assert.deepEqual([await texts('@large.ts#five', { linesOfSymbol }), looked], [[], 0]);
    assert.deepEqual(warned, [
      'large.ts is too large (11.0MB) to look up symbols (limit: 10.0MB). Nothing was attached for ' +
        '@large.ts#five. Name some of its lines instead, such as @large.ts:1-50.',
    ]);
    const unsavedText = (): string => 'const five = 6;';
    assert.equal((await texts('@large.ts#five', { linesOfSymbol, unsavedText })).length, 1);
  });

  it('can be a folder, by the slash', async () => {
    assert.deepEqual(await texts('@"my dir/"'), ['<context source="folder my dir/">\nb c.ts\nx/\n</context>']);
    assert.deepEqual(await texts('@"my dir"'), []);
  });

  it('can be a symbol, whose lines the editor knows', async () => {
    const linesOfSymbol = (_path: string, symbol: string): Promise<readonly [number, number] | undefined> =>
      Promise.resolve(symbol === 'five' ? [5, 6] : undefined);
    assert.deepEqual(await texts('@a.ts#five', { linesOfSymbol }), [
      '<context source="five in a.ts:5-6">\nline 5\nline 6\n</context>',
    ]);
    const [whole = ''] = await texts('@a.ts#gone', { linesOfSymbol });
    assert.match(whole, /^<file name=".*a\.ts">[\s\S]*line 12/);
    assert.deepEqual(warned, ['a.ts has no symbol gone. The whole file was attached.']);
  });

  it('can be a source of the editor, narrowed to a file', async () => {
    const asked: unknown[] = [];
    const read: ContextSource['read'] = (name, of) => {
      asked.push([name, of]);
      return Promise.resolve({ source: `${name} of "here"`, text: 'x' });
    };
    assert.deepEqual(await texts('fix @problems, @problems:a.ts and @selection @selection', { read }), [
      `<context source="problems of 'here'">\nx\n</context>`,
      `<context source="problems of 'here'">\nx\n</context>`,
      `<context source="selection of 'here'">\nx\n</context>`,
    ]);
    assert.deepEqual(asked, [
      ['problems', undefined],
      ['problems', join(cwd, 'a.ts')],
      ['selection', undefined],
    ]);
  });

  it('stays a word where the editor has nothing, which is told, and outside of an editor', async () => {
    assert.deepEqual(await texts('@terminal', {}), []);
    assert.deepEqual(warned, ['@terminal was sent as plain text: no terminal']);
    assert.deepEqual(await texts('@terminal'), []);
  });

  it('is what the editor has of it when that is not saved', async () => {
    const unsavedText = (): string => 'new 1\nnew 2';
    assert.match((await texts('@a.ts', { unsavedText }))[0] ?? '', /\nnew 1\nnew 2\n<\/file>$/);
    assert.match((await texts('@a.ts:2', { unsavedText }))[0] ?? '', /\nnew 2\n/);
  });

  it('is cut where it is long, and says how long it was', async () => {
    const read: ContextSource['read'] = () => Promise.resolve({ source: 's', text: 'x'.repeat(200_000) });
    const [text = ''] = await texts('@diff', { read });
    assert.ok(text.length < 60_000 && text.includes('[Cut: 195.3KB in all]'));
  });

  it('is sent once, however it is named, and with no lines of a file that is sent whole', async () => {
    const whole = `<file name="${join(cwd, 'a.ts')}">\n${LINES}\n</file>`;
    for (const text of [
      '@a.ts and @./a.ts',
      '@"a.ts" @link.ts',
      '@a.ts:3-4 @a.ts',
      '@a.ts @link.ts:2',
      '@a.ts @a.ts#f',
    ]) {
      const linesOfSymbol = (): Promise<readonly [number, number]> => Promise.resolve([2, 5]);
      assert.deepEqual(await texts(text, { linesOfSymbol }), [whole], text);
    }
  });

  it('is sent with other lines of the same file, and without lines that others contain', async () => {
    const named = async (text: string): Promise<readonly (string | undefined)[]> =>
      (await texts(text, { linesOfSymbol: () => Promise.resolve([2, 5]) })).map(part => /"(.+)"/.exec(part)?.[1]);
    assert.deepEqual(await named('@a.ts:1-3 @a.ts:2-5 @a.ts:9'), ['a.ts:1-3', 'a.ts:2-5', 'a.ts:9']);
    assert.deepEqual(await named('@a.ts:3 @a.ts:2-5 @link.ts:4-5'), ['a.ts:2-5']);
    assert.deepEqual(await named('@a.ts#f @a.ts:2-5'), ['f in a.ts:2-5']);
    assert.deepEqual(await named('@a.ts:3 @"my dir/b c.ts:3"'), ['a.ts:3', 'my dir/b c.ts:3']);
  });

  it('is sent with lines of a long file that the file itself does not show', async () => {
    writeFileSync(join(cwd, 'long.ts'), Array.from({ length: 3000 }, (_, at) => `line ${at + 1}`).join('\n'));
    const sent = await texts('@long.ts @long.ts:2500 @long.ts:5-6 @long.ts:1-2900 @long.ts:2700');
    assert.deepEqual(
      sent.map(part => /source="(.+)"/.exec(part)?.[1]),
      [undefined, 'long.ts:2500', 'long.ts:2700'],
    );
  });

  describe('with what the editor adds', () => {
    const selection = (first: number, last: number, more: Partial<EditorText> = {}): EditorText => ({
      name: `selection of a.ts:${first}-${last}`,
      text: LINES.split('\n')
        .slice(first - 1, last)
        .join('\n'),
      path: join(cwd, 'a.ts'),
      lines: [first, last],
      hasWholeLines: true,
      ...more,
    });
    const sent = async (text: string, ...ofEditor: readonly EditorText[]): Promise<readonly string[]> =>
      (await attachedFiles(text, { cwd }, ofEditor)).map(part => (part.type === 'text' ? part.text : part.type));

    it('is followed by the selection, which returns for editing', async () => {
      const parts = await attachedFiles('see @a.ts:1', { cwd }, [selection(3, 4)]);
      assert.deepEqual(
        parts.map(part => (part.type === 'text' ? part.text : '')),
        [
          '<context source="a.ts:1">\nline 1\n</context>',
          '<file name="selection of a.ts:3-4">\nline 3\nline 4\n</file>',
        ],
      );
      const returned = { name: 'selection of a.ts:3-4', text: 'line 3\nline 4' };
      assert.deepEqual(attachedTexts([{ type: 'text', text: 'see @a.ts:1' }, ...parts]), [returned]);
    });

    it('has each text once: of a selection that a mention shows, only the place is sent', async () => {
      const place =
        '<context source="selection of a.ts:3-4">\nThese lines are in a text that is sent along, too.\n</context>';
      const whole = `<file name="${join(cwd, 'a.ts')}">\n${LINES}\n</file>`;
      const lines = '<context source="a.ts:3-4">\nline 3\nline 4\n</context>';
      assert.deepEqual(await sent('@a.ts', selection(3, 4)), [whole, place]);
      assert.deepEqual(await sent('@a.ts:3-4', selection(3, 4)), [lines]);
      const file = { name: join(cwd, 'a.ts'), text: LINES, path: join(cwd, 'a.ts') };
      assert.deepEqual(await sent('', file, selection(3, 4)), [whole, place]);
      assert.deepEqual(await sent('@a.ts', file), [whole]);
      assert.deepEqual(await sent('@a.ts:3', file), [whole]);
      assert.deepEqual(await sent('@a.ts:3', selection(3, 4)), [
        '<file name="selection of a.ts:3-4">\nline 3\nline 4\n</file>',
      ]);
    });

    it('has lines beside a selection that begins or ends inside of them', async () => {
      const part = selection(3, 4, { text: 'ne 3\nli', hasWholeLines: false });
      const lines = '<context source="a.ts:3-4">\nline 3\nline 4\n</context>';
      assert.deepEqual(await sent('@a.ts:3-4', part), [lines]);
      assert.deepEqual(await sent('@a.ts:4', part), [
        '<context source="a.ts:4">\nline 4\n</context>',
        '<file name="selection of a.ts:3-4">\nne 3\nli\n</file>',
      ]);
    });

    it('has a text that no file has, and cuts one of 2 MB', async () => {
      const text = 'x'.repeat(99).concat('\n').repeat(20_000);
      const [only = ''] = await sent('', { name: 'Untitled-1', text });
      assert.ok(only.startsWith('<file name="Untitled-1">\nxxx') && only.length < 52_000, String(only.length));
      assert.match(only, /\n\[Cut: 1\.9MB in all\]\n<\/file>$/);
    });
  });

  it('is told from what was typed, and named with the place where it can be opened', async () => {
    const read: ContextSource['read'] = () => Promise.resolve({ source: 'selection of a.ts:3-8', text: 'x' });
    const given = '@a.ts:3 @"my dir/b c.ts" @a.ts#f @"my dir/" @selection';
    const linesOfSymbol = (): Promise<readonly [number, number]> => Promise.resolve([5, 6]);
    const blocks = (await texts(given, { read, linesOfSymbol })).map(text => ({ type: 'text' as const, text }));
    const content = [{ type: 'text' as const, text: 'look at @a.ts:3' }, ...blocks];
    assert.equal(typedText(content), 'look at @a.ts:3');
    const [path, other] = [join(cwd, 'a.ts'), join(cwd, 'my dir/b c.ts')];
    assert.deepEqual(attachedNames(content, cwd), [
      { name: 'a.ts:3', path, line: 3 },
      { name: other, path: other },
      { name: 'f in a.ts:5-6', path, line: 5 },
      { name: 'folder my dir/' },
      { name: 'selection of a.ts:3-8', path, line: 3 },
    ]);
    const names = ['selection of a.ts:3', 'selection of a.ts:3-8, 10', 'selection of Untitled-1, lines 3, 5'];
    const parts = ['', ...names].map(name => ({ type: 'text' as const, text: `<file name="${name}">\nx\n</file>` }));
    assert.deepEqual(
      attachedNames(parts, cwd).map(({ line }) => line),
      [3, 3, undefined],
    );
  });
});
