import assert from 'node:assert/strict';
import { diffCounts, diffRows, type DiffRow } from '../../../webview/output/diff-rows';

const shown = (row: DiffRow): string => {
  switch (row.kind) {
    case 'file':
      return `${row.change} ${row.was === undefined ? '' : `${row.was} > `}${row.path}${row.isBinary ? ' (binary)' : ''}`;
    case 'gap':
      return `… ${row.lines ?? '?'}`;
    case 'noLineEnd':
      return 'no line end';
    case 'added':
    case 'removed':
    case 'same':
      return `${row.kind} ${row.number ?? '-'} |${row.text}`;
  }
};
const rows = (...lines: readonly string[]): readonly string[] => diffRows(lines.join('\n')).map(shown);

describe('lines of a diff', () => {
  it('get their numbers from the header of their hunk, and say how many lines are left out', () => {
    assert.deepEqual(
      rows(
        '--- a/src/x.ts',
        '+++ b/src/x.ts',
        '@@ -3,3 +3,4 @@ f()',
        ' same',
        '-old',
        '+new',
        '+more',
        ' end',
        '@@ -20 +21 @@',
        '-a',
        '+b',
      ),
      [
        'changed src/x.ts',
        '… 2',
        'same 3 |same',
        'removed 4 |old',
        'added 4 |new',
        'added 5 |more',
        'same 5 |end',
        '… 14',
        'removed 20 |a',
        'added 21 |b',
      ],
    );
  });

  it('are read with the numbers of the edit tool', () => {
    const diff = '  ...\n 11 context\n-12 old\n+12 new\n+13 more\n 13 \n  ...\n 40 far\n  ...';
    assert.deepEqual(rows(diff), [
      '… 10',
      'same 11 |context',
      'removed 12 |old',
      'added 12 |new',
      'added 13 |more',
      'same 13 |',
      '… 26',
      'same 40 |far',
      '… ?',
    ]);
    assert.deepEqual(diffCounts(diff), { added: 2, removed: 1 });
  });

  it('may look like the header of a file', () => {
    assert.deepEqual(rows('@@ -1 +1 @@', '--- a comment', '+++ b comment'), [
      'removed 1 |-- a comment',
      'added 1 |++ b comment',
    ]);
  });

  it('are all shown when the header names too few or too many', () => {
    assert.deepEqual(rows('@@ -1,9 +1 @@', '-a', '+b', '+c'), ['removed 1 |a', 'added 1 |b', 'added 2 |c']);
  });

  it('have no numbers in a diff of signs only', () => {
    assert.deepEqual(rows('-old', '+new', ' 5 apples'), ['removed - |old', 'added - |new', 'same - |5 apples']);
  });

  it('name created, deleted, renamed and binary files, also without content', () => {
    assert.deepEqual(
      rows(
        'diff --git a/new.ts b/new.ts',
        'new file mode 100644',
        'index 000..111',
        '--- /dev/null',
        '+++ b/new.ts',
        '@@ -0,0 +1 @@',
        '+x',
        '\\ No newline at end of file',
        'diff --git a/old dir/a b.ts b/old dir/a b.ts',
        'deleted file mode 100644',
        'diff --git a/from.ts b/to.ts',
        'similarity index 100%',
        'rename from from.ts',
        'rename to to.ts',
        'diff --git a/logo.png b/logo.png',
        'GIT binary patch',
        'literal 12',
        'zcmZQzU',
      ),
      [
        'created new.ts',
        'added 1 |x',
        'no line end',
        'deleted old dir/a b.ts',
        'renamed from.ts > to.ts',
        'changed logo.png (binary)',
      ],
    );
    assert.deepEqual(
      rows(
        'Binary files a/x.bin and /dev/null differ',
        '--- a/y.txt\t2026-01-01',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-y',
      ),
      ['changed x.bin (binary)', 'deleted y.txt', 'removed 1 |y'],
    );
  });

  it('of several files without git each begin anew', () => {
    assert.deepEqual(
      rows('--- a/x', '+++ b/x', '@@ -1 +1 @@', '-1', '+2', '--- a/y', '+++ b/y', '@@ -1 +1 @@', '-3', '+4'),
      ['changed x', 'removed 1 |1', 'added 1 |2', 'changed y', 'removed 1 |3', 'added 1 |4'],
    );
  });
});
