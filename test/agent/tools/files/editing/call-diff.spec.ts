import assert from 'node:assert/strict';
import { existsSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { callDiff, type CallDiff } from '../../../../../src/agent/tools/files/editing/call-diff';
import { createEditTool } from '../../../../../src/agent/tools/files/editing/edit';
import type { EditToolDetails } from '../../../../../src/agent/tools/files/editing/edited-content';
import { targetAt, withTarget } from '../../../../../src/agent/tools/files/file-target';
import { unicodeText } from '../../../../../src/agent/tools/files/text-encoding';
import { createWriteTool } from '../../../../../src/agent/tools/files/writing/write';
import type { AnyTool } from '../../../../../src/agent/tools/tool';
import { putSpecial } from '../../../../support/special-files';
import { call, inFolder, type TempFolder } from '../../fixture';
import { itOnPosix, itWith } from '../../../../support/platform';

type Input = Readonly<Record<string, unknown>>;

const TOOLS = { edit: createEditTool, write: createWriteTool };

const edit = (oldText: string, newText: string): Input => ({ path: 'f.txt', edits: [{ oldText, newText }] });
const write = (content: string): Input => ({ path: 'f.txt', content });
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

function unknownOf(diff: CallDiff | undefined): string {
  assert.equal(diff?.type, 'unknown');
  return diff.why;
}

describe('callDiff', () => {
  interface Change {
    readonly tool: keyof typeof TOOLS;
    readonly input: Input;
    /** The file before the call; absent: none. */
    readonly file?: string | Buffer;
    readonly after: string;
    readonly line: number;
  }

  const changes: Readonly<Record<string, Change>> = {
    'an edit': { tool: 'edit', input: edit('two', 'TWO'), file: 'one\ntwo\n', after: 'one\nTWO\n', line: 2 },
    'an edit of a file with CRLF': {
      tool: 'edit',
      input: edit('two\nthree', '2\n3\n4'),
      file: 'one\r\ntwo\r\nthree\r\n',
      after: 'one\r\n2\r\n3\r\n4\r\n',
      line: 2,
    },
    'an edit of a file with a mark': {
      tool: 'edit',
      input: edit('one', 'ONE'),
      file: '\ufeffone\ntwo',
      after: '\ufeffONE\ntwo',
      line: 1,
    },
    'an edit of a UTF-16 file': {
      tool: 'edit',
      input: edit('zwei', 'drei €'),
      file: utf16('\ufeffeins\r\nzwei\r\n'),
      after: '\ufeffeins\r\ndrei €\r\n',
      line: 2,
    },
    'an edit of a UTF-16 file of the other byte order': {
      tool: 'edit',
      input: edit('zwei', 'drei'),
      file: utf16('\ufeffeins\nzwei').swap16(),
      after: '\ufeffeins\ndrei',
      line: 2,
    },
    'an edit whose quotes, dashes and blanks are others in the file': {
      tool: 'edit',
      input: edit('say "it\'s" - so\nend', 'say nothing\nend'),
      file: 'begin\nsay “it’s” – so  \nend\n',
      after: 'begin\nsay nothing\nend\n',
      line: 2,
    },
    'several edits': {
      tool: 'edit',
      input: {
        path: 'f.txt',
        edits: [
          { oldText: 'five', newText: '5' },
          { oldText: 'two\n', newText: '' },
        ],
      },
      file: 'one\ntwo\nthree\nfour\nfive',
      after: 'one\nthree\nfour\n5',
      line: 2,
    },
    'an edit in the older form': {
      tool: 'edit',
      input: { path: 'f.txt', oldText: 'b', newText: 'c' },
      file: 'a\nb\n',
      after: 'a\nc\n',
      line: 2,
    },
    'an edit with its list as JSON': {
      tool: 'edit',
      input: { path: 'f.txt', edits: JSON.stringify([{ oldText: 'b', newText: 'c' }]) },
      file: 'a\nb\n',
      after: 'a\nc\n',
      line: 2,
    },
    'an edit at the end of a file without a last line end': {
      tool: 'edit',
      input: edit('two', 'two\nthree'),
      file: 'one\ntwo',
      after: 'one\ntwo\nthree',
      line: 2,
    },
    'half of a surrogate pair': { tool: 'edit', input: edit('b', '\ud800'), file: 'abc', after: 'a\ufffdc', line: 1 },
    'a new file': { tool: 'write', input: write('one\ntwo\n'), after: 'one\ntwo\n', line: 1 },
    'a new empty file': { tool: 'write', input: write(''), after: '', line: 1 },
    'a new file in a new folder': {
      tool: 'write',
      input: { path: 'made/f.txt', content: 'x' },
      after: 'x',
      line: 1,
    },
    'a write over a file': {
      tool: 'write',
      input: write('one\n2\nthree\n'),
      file: 'one\ntwo\nthree\n',
      after: 'one\n2\nthree\n',
      line: 2,
    },
    'a write over an empty file': { tool: 'write', input: write('x'), file: '', after: 'x', line: 1 },
    'a write that empties a file': { tool: 'write', input: write(''), file: 'a\nb\n', after: '', line: 1 },
    'a write of the same content': { tool: 'write', input: write('a\nb\n'), file: 'a\nb\n', after: 'a\nb\n', line: 1 },
    'a write that drops line ends and mark': {
      tool: 'write',
      input: write('a\nb\n'),
      file: '\ufeffa\r\nb\r\n',
      after: 'a\nb\n',
      line: 1,
    },
    'a write over a UTF-16 file': {
      tool: 'write',
      input: write('a\nc €\n'),
      file: utf16('\ufeffa\nb\n'),
      after: '\ufeffa\nc €\n',
      line: 2,
    },
  };
  for (const [name, { tool, input, file, after, line }] of Object.entries(changes)) {
    it(`tells what the tool then makes of the file: ${name}`, () =>
      inFolder(file === undefined ? {} : { 'f.txt': file }, async folder => {
        const path = join(folder.path, String(input['path']));
        const before = file === undefined ? null : unicodeText(Buffer.from(file as string));
        const diff = await callDiff(tool, input, folder.path);
        assert.deepEqual(diff, { type: 'change', path, before, after, line });
        assert.deepEqual(readdirSync(folder.path), file === undefined ? [] : ['f.txt'], 'nothing is written');
        if (file !== undefined) assert.ok(folder.bytes('f.txt').equals(Buffer.from(file as string)));

        const used: AnyTool = TOOLS[tool](folder.path);
        const prepared = (used.prepareArguments?.(input) ?? input) as Input;
        const { details } = await call(used, prepared);
        assert.equal(unicodeText(folder.bytes(String(input['path']))), after);
        if (tool === 'edit') assert.equal((details as EditToolDetails).firstChangedLine, line);
      }));
  }

  it('gives the error of edit if the file is empty', () =>
    inFolder({ 'f.txt': '' }, folder => sameError(folder, edit('a', 'b'))));

  const failures: Readonly<Record<string, Input>> = {
    'the text is missing': edit('absent', 'x'),
    'the text is there twice': edit('a', 'b'),
    'one of several texts is missing': {
      path: 'f.txt',
      edits: [
        { oldText: 'end', newText: 'x' },
        { oldText: 'absent', newText: 'x' },
      ],
    },
    'edits overlap': {
      path: 'f.txt',
      edits: [
        { oldText: 'a\nend', newText: 'x' },
        { oldText: 'end', newText: 'y' },
      ],
    },
    'nothing would change': edit('end', 'end'),
    'a text is empty': edit('', 'x'),
    'there is no edit': { path: 'f.txt', edits: [] },
    'the file is missing': { ...edit('a', 'b'), path: 'absent.txt' },
    'the path is a folder': { ...edit('a', 'b'), path: '.' },
    'a file is where a folder should be': { ...edit('a', 'b'), path: 'f.txt/below' },
  };
  for (const [name, input] of Object.entries(failures)) {
    it(`gives the error of edit if ${name}`, () =>
      inFolder({ 'f.txt': 'a\na\nend\n' }, folder => sameError(folder, input)));
  }

  async function sameError({ path: cwd }: TempFolder, input: Input): Promise<void> {
    const why = unknownOf(await callDiff('edit', input, cwd));
    await assert.rejects(call(createEditTool(cwd), input), new Error(why));
  }

  const incomparable: Readonly<Record<string, readonly [file: string | Buffer, why: RegExp]>> = {
    'larger than 512 KB': [`end${'x'.repeat(512 * 1024)}`, /f\.txt is larger than 512 KB$/],
    binary: [Buffer.from([0, 101, 110, 100]), /f\.txt is no Unicode text$/],
    'in an older encoding': [Buffer.from('gr\u00fc\u00dfe end', 'latin1'), /f\.txt is no Unicode text$/],
  };
  for (const [name, [file, why]] of Object.entries(incomparable)) {
    it(`does not compare a file that is ${name}`, () =>
      inFolder({ 'f.txt': file }, async ({ path: cwd }) => {
        for (const [tool, input] of [
          ['edit', edit('end', 'x')],
          ['write', write('x')],
        ] as const) {
          const diff = await callDiff(tool, input, cwd);
          assert.equal(diff?.path, join(cwd, 'f.txt'));
          assert.match(unknownOf(diff), why);
        }
      }));
  }

  itOnPosix('does not wait for a named pipe', () =>
    inFolder({}, async ({ path: cwd }) => {
      const remove = await putSpecial(join(cwd, 'f.txt'), 'named pipe');
      try {
        assert.match(unknownOf(await callDiff('write', write('x'), cwd)), /is a named pipe/);
        assert.match(unknownOf(await callDiff('edit', edit('a', 'b'), cwd)), /is a named pipe/);
      } finally {
        await remove();
      }
    }),
  );

  it('says what is wrong with arguments that the tool does not take', async () => {
    assert.match(unknownOf(await callDiff('write', { path: 'f.txt' }, '/nowhere')), /^Validation failed.*content/s);
    assert.match(
      unknownOf(await callDiff('edit', { path: 'f.txt', edits: 3 }, '/nowhere')),
      /^Validation failed.*edits/s,
    );
  });

  it('knows nothing of tools that write no file, and of calls that name none', async () => {
    for (const tool of ['bash', 'read', 'grep', 'apply_patch', 'constructor', '']) {
      assert.equal(await callDiff(tool, { path: 'f.txt', content: 'x' }, '/nowhere'), undefined, tool);
    }
    for (const path of [undefined, '', 3, null]) {
      assert.equal(await callDiff('write', { path, content: 'x' }, '/'), undefined);
    }
  });

  itWith('removal of open files', 'ends when it is aborted', () =>
    inFolder({ 'f.txt': 'a' }, async ({ path: cwd }) => {
      assert.equal(
        unknownOf(await callDiff('edit', edit('a', 'b'), cwd, { signal: AbortSignal.abort() })),
        'Operation aborted',
      );
    }),
  );

  itWith('links', 'follows a link, as the tool does', () =>
    inFolder({ 'real.txt': 'a', 'f.txt': '-> real.txt' }, async folder => {
      const diff = await callDiff('edit', edit('a', 'b'), folder.path);
      assert.equal(diff?.type === 'change' && diff.after, 'b');
    }),
  );

  itOnPosix('does not follow a link that took the place of the file that a call may use', () =>
    inFolder({ 'f.txt': 'a', 'secret.txt': 'a secret' }, async folder => {
      const real = join(folder.path, 'f.txt');
      const target = targetAt(real);
      renameSync(real, join(folder.path, 'moved.txt'));
      symlinkSync('secret.txt', real);
      for (const [tool, input] of [
        ['edit', edit('a', 'b')],
        ['write', write('x')],
      ] as const) {
        const diff = await withTarget(target, () => callDiff(tool, input, folder.path));
        assert.match(unknownOf(diff), /ELOOP/);
        assert.doesNotMatch(JSON.stringify(diff), /a secret/);
      }
      rmSync(real);
      const gone = await withTarget(target, () => callDiff('write', write('x'), folder.path));
      assert.equal(gone?.type === 'change' && gone.before, null);
      assert.equal(existsSync(real), false);
    }),
  );
});
