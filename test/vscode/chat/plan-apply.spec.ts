import assert from 'node:assert/strict';
import { pathIn, planApply, wholeText } from '../../../src/vscode/chat/plan-apply';

const FILE = `import { a } from './a';

export function one() {
  return 1;
}

export function two() {
  return a;
}
`;

describe('code of an answer, applied to a file', () => {
  it('is the file where there was none', () =>
    assert.deepEqual(planApply('', 'x = 1\n', 'python'), { text: 'x = 1\n', how: 'new' }));

  it('takes the place of the lines between its first and its last one', () => {
    const applied = planApply(FILE, 'export function one() {\n  return 2;\n}', 'ts');
    assert.deepEqual([applied?.how, applied?.text], ['part', FILE.replace('return 1', 'return 2')]);
  });

  it('is applied hunk by hunk when it is a diff, whatever its line numbers say', () => {
    const diff =
      '--- a/x.ts\n+++ b/x.ts\n@@ -90,3 +90,3 @@\n export function two() {\n-  return a;\n+  return a + 1;\n }';
    const applied = planApply(FILE, diff, 'diff');
    assert.deepEqual([applied?.how, applied?.text], ['patch', FILE.replace('return a;', 'return a + 1;')]);
  });

  it('is refused when it is a diff of something else', () =>
    assert.equal(planApply(FILE, '@@ -1 +1 @@\n-nowhere\n+somewhere', 'diff'), undefined));

  it('replaces the file when it is a new version of it', () => {
    const fresh = FILE.replace("import { a } from './a';", "import { a } from './b';").replace('return 1', 'return 3');
    assert.deepEqual(planApply(FILE, fresh, 'ts'), { text: fresh, how: 'whole' });
  });

  it('comes to the end when nothing of it is there', () =>
    assert.deepEqual(planApply('a\nb\nc\nd\n', 'new line', ''), { text: 'a\nb\nc\nd\n\nnew line\n', how: 'end' }));

  it('keeps the file’s line ends, and its missing last one', () => {
    const applied = planApply('a {\r\n  1\r\n}', 'a {\n  2\n}\n', '');
    assert.equal(applied?.text, 'a {\r\n  2\r\n}');
  });

  it('replaces all of the file where it is to, whatever it shares with it', () => {
    assert.equal(wholeText('a;\r\nb;\r\n', 'a;\nc;\n'), 'a;\r\nc;\r\n');
    assert.equal(wholeText('a;', 'b;\n'), 'b;');
  });

  it('goes to the file that is named near it', () =>
    assert.deepEqual(
      ['src/a.ts', '`src/a.ts:12`', 'C:\\x', 'npm test', 'a b/c.md', 'Makefile', '"x.json"'].map(pathIn),
      ['src/a.ts', 'src/a.ts', undefined, undefined, 'a b/c.md', undefined, 'x.json'],
    ));
});
