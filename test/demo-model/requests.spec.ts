import assert from 'node:assert/strict';
import { parseRequest, type DemoCall } from '../../src/demo-model/requests';

const call = (name: string, args: DemoCall['args'] = {}): DemoCall => ({ name, args });
const edit = (path: string, oldText: string, newText: string): DemoCall => call('edit', { path, oldText, newText });

const CASES: readonly (readonly [string, ...DemoCall[]])[] = [
  ['run `rm -rf build`', call('bash', { command: 'rm -rf build' })],
  ['Please run `rm -rf build`.', call('bash', { command: 'rm -rf build' })],
  ['run rm -rf build', call('bash', { command: 'rm -rf build' })],
  ['run `ls` in the shell, please', call('bash', { command: 'ls' })],
  ['run "my tool" --all', call('bash', { command: '"my tool" --all' })],
  ['read README.md', call('read', { path: 'README.md' })],
  ['read README.md.', call('read', { path: 'README.md' })],
  ['Read "my docs/ä b.md"', call('read', { path: 'my docs/ä b.md' })],
  ['read my file.txt', call('read', { path: 'my file.txt' })],
  ["read `it's.txt`", call('read', { path: "it's.txt" })],
  ['write notes.txt: hello', call('write', { path: 'notes.txt', content: 'hello' })],
  ['write notes.txt: two\nlines.', call('write', { path: 'notes.txt', content: 'two\nlines.' })],
  ['write C:\\x\\y.txt: hello: world', call('write', { path: 'C:\\x\\y.txt', content: 'hello: world' })],
  ['write `a: b.txt`: `x`', call('write', { path: 'a: b.txt', content: 'x' })],
  ['edit a.txt: replace x with y', edit('a.txt', 'x', 'y')],
  ['edit "a b.txt": replace "x with" with "y"', edit('a b.txt', 'x with', 'y')],
  ['edit a.txt: replace x with ""', edit('a.txt', 'x', '')],
  ['list', call('ls')],
  ['ls', call('ls')],
  ['ls src/my dir', call('ls', { path: 'src/my dir' })],
  ['list the files', call('ls')],
  ['list the files in src', call('ls', { path: 'src' })],
  ['ls ..', call('ls', { path: '..' })],
  ['find *.ts', call('find', { pattern: '*.ts' })],
  ['find `*.ts` in src', call('find', { pattern: '*.ts', path: 'src' })],
  ['search for TODO', call('grep', { pattern: 'TODO', literal: true })],
  ['search for "a in b" in my docs', call('grep', { pattern: 'a in b', path: 'my docs', literal: true })],
  ['grep foo in src', call('grep', { pattern: 'foo', path: 'src', literal: true })],
  ['call my_tool {"a": [1]}', call('my_tool', { a: [1] })],
  ['call todo', call('todo')],
];

describe('a request to the demo model', () => {
  for (const [text, ...expected] of CASES) {
    it(`is understood: ${text.replaceAll('\n', '⏎')}`, () => assert.deepEqual(parseRequest(text), expected));
  }

  for (const text of ['', 'hello', 'write a poem', 'edit a.txt', 'run', 'lists', 'call x {', 'call x {"a": }']) {
    it(`is none: "${text}"`, () => assert.deepEqual(parseRequest(text), []));
  }
});
