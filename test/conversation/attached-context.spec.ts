import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { attachedFiles, attachedNames, typedText } from '../../src/conversation/attached-files';
import type { ContextSource } from '../../src/conversation/context-source';

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
  });

  beforeEach(() => {
    warned.length = 0;
  });

  after(() => {
    rmSync(cwd, { recursive: true, force: true });
  });

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

  it('can be some lines of a file', async () => {
    assert.deepEqual(await texts('see @a.ts:3-4, and @"my dir/b c.ts:2"'), [
      '<context source="a.ts:3-4">\nline 3\nline 4\n</context>',
      '<context source="my dir/b c.ts:2">\nline 2\n</context>',
    ]);
  });

  it('can be lines that are not there, which is told', async () => {
    assert.deepEqual(await texts('@a.ts:40-50'), []);
    assert.deepEqual(warned, ['a.ts:40-50 has no such lines: nothing was attached.']);
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
    assert.deepEqual(warned, ['gone is not known in a.ts: the whole file was attached.']);
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
    assert.deepEqual(warned, ['@terminal was sent as a word: no terminal']);
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

  it('is told from what was typed, and named', async () => {
    const blocks = (await texts('@a.ts:3 @a.ts')).map(text => ({ type: 'text' as const, text }));
    const content = [{ type: 'text' as const, text: 'look at @a.ts:3' }, ...blocks];
    assert.equal(typedText(content), 'look at @a.ts:3');
    assert.deepEqual(attachedNames(content), ['a.ts:3', join(cwd, 'a.ts')]);
  });
});
