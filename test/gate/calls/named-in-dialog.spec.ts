import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { callTargets } from '../../../src/gate/calls/call-targets';
import { isNamedInDialog } from '../../../src/gate/calls/named-in-dialog';

const LONG = `git commit --message "${'a long text '.repeat(9)}"`;
const HOST = 'https://example.test';

type Case = readonly [title: string, target: string, ...texts: readonly string[]];

const NAMED: readonly Case[] = [
  ['in the title', 'touch made', 'Run touch made?', ''],
  ['in the message', 'touch made', 'Sure?', 'touch made'],
  ['in an option', 'touch made', 'Which?', '', 'Nothing', 'Run: touch made'],
  ['in quotes', 'touch made', '“touch made”'],
  ['in Markdown', 'touch made', 'Run `touch made`.'],
  ['with other white space', 'touch   made\n', 'Run\n\n  touch\tmade\n'],
  ['in JSON', 'echo "a"\necho b', JSON.stringify({ command: 'echo "a"\necho b' }, null, 2)],
  ['by its first 40 characters', LONG, `${LONG.slice(0, 40)}…`],
  ['by its first 40 characters and three points', LONG, `${LONG.slice(0, 40)}... Run it?`],
  ['by more of its beginning', LONG, `Run ${LONG.slice(0, 60)}`],
  ['as a short word', 'ls', 'Run ls?'],
  ['between words that are not separated', 'touch made', '要运行touch made吗'],
  ['with a full stop behind', 'a.ts', 'Hookline writes a.ts.'],
  ['behind another path that contains it', 'a.ts', 'Not lib/a.ts, but a.ts'],
];

const NOT_NAMED: readonly Case[] = [
  ['nothing', 'touch made', '', ''],
  ['another question', 'touch made', 'Which color?', '', 'red', 'blue'],
  ['a paraphrase', 'rm -rf build', 'Delete the folder build?'],
  ['another command', 'rm -rf build', 'Run rm -rf dist?'],
  ['only a part of it', 'rm -rf build', 'Run rm -rf?'],
  ['less than 40 characters of it', LONG, `${LONG.slice(0, 39)}…`],
  ['another command with the same beginning', LONG, `${LONG.slice(0, 45)}other`],
  ['its parts in several texts', 'touch made', 'Run touch', 'made?'],
  ['a longer word', 'touch made', 'Run touch madeleine?'],
  ['a longer path behind', 'rm -r src', 'Run rm -r src/generated?'],
  ['another file of this name', 'a.ts', 'Write lib/a.ts?'],
  ['another extension', 'a.ts', 'Write a.ts.bak or a.tsx?'],
  ['another host', HOST, `Open ${HOST}.evil.test?`],
  ['another page', HOST, `Open ${HOST}/admin?`],
  ['a short word inside of another', 'ls', 'Which tools?'],
  ['a short word inside of another language', '文件', '文件夹'],
  ['it after more than anybody reads', 'touch made', `${'x '.repeat(60_000)}touch made`],
];

describe('a dialog of a hook', () => {
  const of = (command: string) => callTargets({ kind: 'executes', input: { command }, cwd: '/work' });

  for (const [title, target, ...texts] of NAMED) {
    it(`names a call ${title}`, () => assert.equal(isNamedInDialog(of(target), texts), true));
  }

  for (const [title, target, ...texts] of NOT_NAMED) {
    it(`does not name a call when it holds ${title}`, () => assert.equal(isNamedInDialog(of(target), texts), false));
  }

  it('names a file by its path in each usual form', () => {
    const targets = callTargets({ kind: 'writes', input: { path: 'src/a.ts' }, cwd: '/work' });
    const absolute = resolve('/work/src/a.ts');
    for (const text of [
      'Write src/a.ts?',
      'Write ./src/a.ts?',
      `Write ${absolute}?`,
      `Write ${join('src', 'a.ts')}?`,
    ]) {
      assert.equal(isNamedInDialog(targets, [text]), true, text);
    }
    for (const text of ['Write a.ts?', 'Write /other/src/a.ts?', 'Write ../src/a.ts?', 'Write src/b.ts?']) {
      assert.equal(isNamedInDialog(targets, [text]), false, text);
    }
  });

  it('does not name a call when it names one of two paths', () => {
    const targets = callTargets({ kind: 'foreign', input: { paths: ['one', 'another'] }, cwd: '/work' });
    assert.equal(isNamedInDialog(targets, ['Write one?', '']), false);
    assert.equal(isNamedInDialog(targets, ['Write one?', 'And another.']), true);
  });

  it('does not name a call that acts on nothing known', () => {
    assert.equal(isNamedInDialog(of(''), ['', 'Sure?']), false);
    assert.equal(isNamedInDialog([], ['Sure?']), false);
  });

  it('is read to its end when it repeats itself', () => {
    const text = `${'! '.repeat(400)}a `.repeat(120);
    assert.equal(isNamedInDialog(of('! '.repeat(500)), [text]), false);
  });
});
