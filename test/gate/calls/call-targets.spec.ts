import assert from 'node:assert/strict';
import { resolve, sep } from 'node:path';
import { callTargets } from '../../../src/gate/calls/call-targets';
import type { ToolKind } from '../../../src/hook-contract/approvals/asked-call';

const CASES: readonly (readonly [string, ToolKind, Record<string, unknown>, readonly string[]])[] = [
  ['the command of a shell', 'executes', { command: 'make', timeout: 5, path: 'x', description: 'y' }, ['make']],
  ['no command when it is empty', 'executes', { command: ' \n' }, []],
  ['no command when it is no text', 'executes', { command: 7 }, []],
  ['the path of a write, not the content', 'writes', { path: 'a.ts', content: 'b.ts' }, ['a.ts']],
  [
    'the path of an edit, not its texts',
    'writes',
    { path: 'a.ts', edits: [{ oldText: 'path', newText: 'b' }] },
    ['a.ts'],
  ],
  ['the folder of a search', 'reads', { pattern: 'key', path: '/etc', glob: '*.conf' }, ['/etc']],
  ['the pattern of a search here', 'reads', { pattern: 'key', glob: '*.conf' }, ['key']],
  ['nothing of a plan without such arguments', 'plans', { plan: 'do it' }, []],
  ['nothing of other arguments', 'foreign', { title: 'a', body: 'b', id: 7, query: 'q' }, []],
  ['all that a foreign tool acts on', 'foreign', { command: 'x', file_path: 'y', targetURL: 'z' }, ['x', 'y', 'z']],
  ['several paths', 'foreign', { paths: ['a', 'b'], note: 'c' }, ['a', 'b']],
  ['the paths of several edits', 'foreign', { edits: [{ path: 'a', text: 't' }, { filePath: 'b' }] }, ['a', 'b']],
  ['the words of a command', 'foreign', { cmd: ['rm', '-r', 'x'] }, ['rm', '-r', 'x']],
  ['a tool of the editor', 'editor', { uri: 'file:///a', name: 'b' }, ['file:///a']],
];

describe('what a call acts on', () => {
  for (const [title, kind, input, targets] of CASES) {
    it(`is ${title}`, () => {
      assert.deepEqual(
        callTargets({ kind, input, cwd: '/work' }).map(([first]) => first),
        targets,
      );
    });
  }

  it('is unknown when the arguments are nested very deeply', () => {
    let input: Record<string, unknown> = { path: 'a' };
    for (let depth = 0; depth < 5_000; depth += 1) input = { inner: input };
    assert.deepEqual(callTargets({ kind: 'foreign', input: { path: 'b', input }, cwd: '/work' }), []);
  });

  it('has the spellings of a path', () => {
    const [spellings] = callTargets({ kind: 'writes', input: { path: './src/a.ts' }, cwd: '/work' });
    const usual = ['./src/a.ts', resolve('/work/src/a.ts').replaceAll(sep, '/'), 'src/a.ts'];
    const native = usual.map(path => path.replaceAll('/', sep));
    const inJson = native.map(path => JSON.stringify(path).slice(1, -1));
    assert.deepEqual(new Set(spellings), new Set([...usual, ...native, ...inJson]));
  });
});
