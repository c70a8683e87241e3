import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseRequests, type DemoRequest } from '../../../src/agent/demo/requests';
import { runs } from '../../support/long-run';

const tool = (name: string, args: Record<string, unknown>): DemoRequest => ({ kind: 'tool', name, args });
const edit = (path: string, oldText: string, newText: string): DemoRequest => ({
  kind: 'edit',
  path,
  oldText,
  newText,
});

const CASES: readonly (readonly [string, ...DemoRequest[]])[] = [
  ['run `rm -rf build`', tool('bash', { command: 'rm -rf build' })],
  ['Please run `rm -rf build`.', tool('bash', { command: 'rm -rf build' })],
  ['run rm -rf build', tool('bash', { command: 'rm -rf build' })],
  ['run `ls` in the shell, please', tool('bash', { command: 'ls' })],
  ['run "my tool" --all', tool('bash', { command: '"my tool" --all' })],
  ['run ``echo `date` ``', tool('bash', { command: 'echo `date`' })],
  ['run `ls | grep then read x`', tool('bash', { command: 'ls | grep then read x' })],
  ['could you execute the command `npm test`?', tool('bash', { command: 'npm test' })],
  ['read README.md', tool('read', { path: 'README.md' })],
  ['read README.md.', tool('read', { path: 'README.md' })],
  ['Read the file "my docs/ä b.md"', tool('read', { path: 'my docs/ä b.md' })],
  ['read my file.txt', tool('read', { path: 'my file.txt' })],
  ["show me `it's.txt`", tool('read', { path: "it's.txt" })],
  ['read ``od`d.txt``', tool('read', { path: 'od`d.txt' })],
  ['read "say \\"hi\\".txt"', tool('read', { path: 'say "hi".txt' })],
  ['read “typographic”', tool('read', { path: 'typographic' })],
  ['write notes.txt: hello', tool('write', { path: 'notes.txt', content: 'hello' })],
  ['write notes.txt: two\nlines', tool('write', { path: 'notes.txt', content: 'two\nlines' })],
  ['write C:\\x\\y.txt: hello: world', tool('write', { path: 'C:\\x\\y.txt', content: 'hello: world' })],
  ['write `a: b.txt`: `x`', tool('write', { path: 'a: b.txt', content: 'x' })],
  ['create the file a.txt with some words', tool('write', { path: 'a.txt', content: 'some words' })],
  ['write "hello then read" to notes.txt', tool('write', { path: 'notes.txt', content: 'hello then read' })],
  ['edit a.txt: replace x with y', edit('a.txt', 'x', 'y')],
  ['edit "a b.txt": replace "x with" with "y"', edit('a b.txt', 'x with', 'y')],
  ['edit a.txt: replace x with ""', edit('a.txt', 'x', '')],
  ['replace `old text` with `new text` in src/a b.ts', edit('src/a b.ts', 'old text', 'new text')],
  ['list', tool('ls', {})],
  ['ls', tool('ls', {})],
  ['ls src/my dir', tool('ls', { path: 'src/my dir' })],
  ['list the files in src', tool('ls', { path: 'src' })],
  ['ls ..', tool('ls', { path: '..' })],
  ['find *.ts', tool('find', { pattern: '*.ts' })],
  ['find `*.ts` in src', tool('find', { pattern: '*.ts', path: 'src' })],
  ['search for TODO', tool('grep', { pattern: 'TODO', literal: true })],
  ['search for "a in b" in my docs', tool('grep', { pattern: 'a in b', path: 'my docs', literal: true })],
  ['grep foo in src', tool('grep', { pattern: 'foo', path: 'src', literal: true })],
  ['think about the weather', { kind: 'think', about: 'the weather' }],
  ['stream 500 words', { kind: 'words', count: 500 }],
  ['call my_tool {"a": [1]}', tool('my_tool', { a: [1] })],
  ['call the tool todo', tool('todo', {})],
  ['stop', { kind: 'stop' }],
  [
    'write a.txt: hello then read a.txt, then run `cat a.txt`; and then list',
    tool('write', { path: 'a.txt', content: 'hello' }),
    tool('read', { path: 'a.txt' }),
    tool('bash', { command: 'cat a.txt' }),
    tool('ls', {}),
  ],
  ['read now or then.txt', tool('read', { path: 'now or then.txt' })],
];

describe('parseRequests', () => {
  for (const [text, ...expected] of CASES) {
    it(`reads: ${text.replaceAll('\n', '⏎')}`, () => assert.deepEqual(parseRequests(text), expected));
  }

  for (const text of [
    '',
    'hello',
    'write a poem',
    'create a folder',
    'edit a.txt',
    'run',
    'run ` `',
    'stream words',
    'call x {',
  ]) {
    it(`knows nothing to do for: "${text}"`, () => assert.deepEqual(parseRequests(text), []));
  }

  it('takes any path in the quotes that fit it', () => {
    const path = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter(text => text.trim() === text && !text.endsWith('\\'));
    fc.assert(
      fc.property(path, drawn => {
        const longestRun = Math.max(0, ...[...drawn.matchAll(/`+/g)].map(run => run[0].length));
        const fence = '`'.repeat(longestRun + 1);
        const quoted = longestRun > 0 ? `${fence} ${drawn} ${fence}` : `${fence}${drawn}${fence}`;
        assert.deepEqual(parseRequests(`read ${quoted}`), [tool('read', { path: drawn })]);
        assert.deepEqual(parseRequests(`write ${quoted}: hello`), [tool('write', { path: drawn, content: 'hello' })]);
        assert.deepEqual(parseRequests(`run ${quoted} then ls ${quoted}`), [
          tool('bash', { command: drawn }),
          tool('ls', { path: drawn }),
        ]);
      }),
      runs(500, 5_000),
    );
  });

  it('takes a bare path of letters, digits, dots, blanks and slashes', () => {
    const letters = 'a b c ä ö ü ß é ñ 漢 字 0 1 2 9 - _ . /'.split(' ').concat(' ');
    const path = fc
      .array(fc.constantFrom(...letters), { minLength: 1, maxLength: 24 })
      .map(chars => chars.join(''))
      .filter(text => text.trim() === text && !text.endsWith('.') && !/\s{2}/.test(text));
    fc.assert(
      fc.property(path, drawn => {
        assert.deepEqual(parseRequests(`read ${drawn}`), [tool('read', { path: drawn })]);
        assert.deepEqual(parseRequests(`write ${drawn}: x`), [tool('write', { path: drawn, content: 'x' })]);
      }),
      runs(500, 5_000),
    );
  });
});
