import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callDiff } from '../../../../../src/agent/tools/files/editing/call-diff';
import { editorText, inputForText } from '../../../../../src/agent/tools/files/editing/call-for-text';
import { createEditTool } from '../../../../../src/agent/tools/files/editing/edit';
import { unicodeText } from '../../../../../src/agent/tools/files/text-encoding';
import { createWriteTool } from '../../../../../src/agent/tools/files/writing/write';
import type { AnyTool } from '../../../../../src/agent/tools/tool';
import { call, inFolder, type TempFolder } from '../../fixture';

type Input = Readonly<Record<string, unknown>>;

const TOOLS = { edit: createEditTool, write: createWriteTool };

const edit = (oldText: string, newText: string): Input => ({ path: 'f.txt', edits: [{ oldText, newText }] });
const write = (content: string): Input => ({ path: 'f.txt', content });

describe('inputForText', () => {
  /** What a call writes with the input that makes `text`; undefined if there is no such input. */
  async function written(
    folder: TempFolder,
    tool: keyof typeof TOOLS,
    input: Input,
    text: string,
  ): Promise<{ readonly input: Input; readonly file: string | undefined } | undefined> {
    const change = await callDiff(tool, input, folder.path);
    assert.equal(change?.type, 'change');
    const changed = inputForText(tool, input, change, text);
    if (changed === undefined) return undefined;
    await call(TOOLS[tool](folder.path) as AnyTool, changed);
    return { input: changed, file: unicodeText(readFileSync(join(folder.path, 'f.txt'))) };
  }

  interface Changed {
    readonly tool: keyof typeof TOOLS;
    readonly input: Input;
    /** The file before the call; absent: none. */
    readonly file?: string | Buffer;
    readonly text: string;
    readonly after: string;
  }

  const LINES = `${'same\n'.repeat(50)}one\n${'same\n'.repeat(50)}`;
  const CASES: Readonly<Record<string, Changed>> = {
    'a new file': { tool: 'write', input: write('one\n'), text: 'two\n', after: 'two\n' },
    'a new file that is empty now': { tool: 'write', input: write('one\n'), text: '', after: '' },
    'a new file, from an empty one': { tool: 'write', input: write(''), text: 'one', after: 'one' },
    'a file with a mark and CRLF': {
      tool: 'write',
      input: write('\ufeffone\r\ntwo\r\n'),
      file: 'old',
      text: 'one\nzwei\ndrei\n',
      after: '\ufeffone\r\nzwei\r\ndrei\r\n',
    },
    'a file with several line ends': {
      tool: 'write',
      input: write('one\r\ntwo\nthree\r\nfour'),
      text: 'one\ntwo\n3\nfour\n',
      after: 'one\r\ntwo\n3\r\nfour\r\n',
    },
    'a file with lone CRs': { tool: 'write', input: write('a\rb\rc'), text: 'a\nB\nc', after: 'a\rB\rc' },
    'a UTF-16 file': {
      tool: 'write',
      input: write('eins\n'),
      file: Buffer.from('\ufeffalt', 'utf16le'),
      text: 'zwei €\n',
      after: '\ufeffzwei €\n',
    },
    'an edit': {
      tool: 'edit',
      input: edit('two', 'TWO'),
      file: 'one\ntwo\n',
      text: 'one\nzwei\n',
      after: 'one\nzwei\n',
    },
    'an edit that leaves its own place alone': {
      tool: 'edit',
      input: edit('two', 'TWO'),
      file: 'one\ntwo\n',
      text: 'eins\ntwo\n',
      after: 'eins\ntwo\n',
    },
    'an edit of a file with a mark and CRLF': {
      tool: 'edit',
      input: edit('two', 'TWO'),
      file: '\ufeffone\r\ntwo\r\nthree',
      text: 'one\nzwei\n2\nthree\nfour',
      after: '\ufeffone\r\nzwei\r\n2\r\nthree\r\nfour',
    },
    'an edit that empties the file': { tool: 'edit', input: edit('one', 'two'), file: 'one\n', text: '', after: '' },
    'an edit between equal lines': {
      tool: 'edit',
      input: edit('one', 'two'),
      file: LINES,
      text: LINES.replace('one', 'one\nsame').replace('same', 'other'),
      after: LINES.replace('one', 'one\nsame').replace('same', 'other'),
    },
    'an edit at the end, without a line end': {
      tool: 'edit',
      input: edit('b', 'c'),
      file: 'a\na\nb',
      text: 'a\na\nc\n',
      after: 'a\na\nc\n',
    },
  };

  for (const [what, { tool, input, file, text, after }] of Object.entries(CASES)) {
    it(`makes the text, with line ends and mark as they were: ${what}`, () =>
      inFolder(file === undefined ? {} : { 'f.txt': file }, async folder => {
        assert.equal((await written(folder, tool, input, text))?.file, after);
      }));
  }

  it('replaces only the lines that change, so that the rest of the file may change meanwhile', () =>
    inFolder({ 'f.txt': 'a\nb\nc\nd\ne\n' }, async folder => {
      const made = await written(folder, 'edit', edit('b', 'B'), 'a\nX\nc\nY\ne\n');
      assert.deepEqual(made?.input['edits'], [
        { oldText: 'b\n', newText: 'X\n' },
        { oldText: 'd\n', newText: 'Y\n' },
      ]);
    }));

  for (const tool of ['edit', 'write'] as const) {
    it(`leaves the input as it is for the text that it makes: ${tool}`, () =>
      inFolder({ 'f.txt': 'one\r\ntwo\r\n' }, async folder => {
        const input = tool === 'edit' ? edit('two', 'TWO') : write('one\r\nTWO\r\n');
        assert.deepEqual((await written(folder, tool, input, 'one\nTWO\n'))?.input, input);
      }));
  }

  it('finds no edit that leaves the file as it is', () =>
    inFolder({ 'f.txt': 'one\ntwo\n' }, async folder => {
      assert.equal(await written(folder, 'edit', edit('two', 'TWO'), 'one\ntwo\n'), undefined);
    }));

  it('changes no call of another tool', () => {
    const change = { type: 'change', path: '/f', before: 'a', after: 'b', line: 1 } as const;
    assert.equal(inputForText('bash', { command: 'ls' }, change, 'c'), undefined);
  });

  it('makes any text of any file', async () => {
    let seed = 7;
    const below = (limit: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * limit);
    };
    const lines = (ends: readonly string[]): string =>
      Array.from({ length: below(9) }, () => `${'abc'[below(3)] ?? ''}${ends[below(ends.length)] ?? ''}`).join('');
    for (let round = 0; round < 150; round++) {
      const file = `${below(2) === 0 ? '' : '\ufeff'}${lines(['\n', '\r\n'])}end`;
      const text = `${lines(['\n'])}${below(2) === 0 ? 'end' : ''}`;
      await inFolder({ 'f.txt': file }, async folder => {
        if (text === editorText(file)) return;
        const made = await written(folder, 'edit', edit('end', 'END'), text);
        assert.equal(made && editorText(made.file ?? ''), text, JSON.stringify({ file, text }));
        assert.equal(made?.file?.startsWith('\ufeff'), file.startsWith('\ufeff'));
      });
    }
  });
});
