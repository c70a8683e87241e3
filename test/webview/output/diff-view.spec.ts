import assert from 'node:assert/strict';
import { diffCounts, diffLines } from '../../../webview/output/diff-view';

const kinds = (diff: string): string =>
  diffLines(diff)
    .map(({ kind }) => kind)
    .join(' ');

describe('inline diff', () => {
  it('tells the lines of a unified diff apart', () => {
    assert.equal(
      kinds('diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n same\n-old\n+new\n'),
      'file file file file hunk same removed added',
    );
  });

  it('takes removed and added lines that look like file headers for what they are', () => {
    assert.equal(kinds('@@ -1 +1 @@\n--- a comment\n+++ b comment'), 'hunk removed added');
  });

  it('reads the numbered lines of the edit tool', () => {
    const diff = ' ...\n 11 context\n-12 old\n+12 new\n+13 more';
    assert.equal(kinds(diff), 'same same removed added added');
    assert.deepEqual(diffCounts(diff), { added: 2, removed: 1 });
  });
});
