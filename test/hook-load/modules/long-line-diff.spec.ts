import assert from 'node:assert/strict';
import { diffReplacements } from '../../../src/agent/tools/files/editing/diff';
import { renderDiffWith } from '../../../src/hook-load/modules/root/terminal/diffs';
import type { ShippedTheme } from '../../../src/hook-load/modules/themes';

describe('the diff of a line of several megabytes', () => {
  const theme = { fg: (color: string, text: string) => `<${color}>${text}` } as unknown as ShippedTheme;
  const before = 'const a = 1; '.repeat(300_000);
  const after = 'let b2 = call(2); '.repeat(300_000);

  it('is made and drawn, with the whole line in its color', () => {
    const { diff } = diffReplacements(
      `first\n${before}\nlast`,
      [{ start: 6, end: 6 + before.length, inserted: after }],
      { path: 'a.js', countLines: (from, to) => `first\n${before}\nlast`.slice(from, to).split('\n').length - 1 },
    );
    assert.equal(diff, ` 1 first\n-2 ${before}\n+2 ${after}\n 3 last`);
    const lines = renderDiffWith(() => theme, diff).split('\n');
    assert.ok(lines[1] === `<toolDiffRemoved>-2 ${before}` && lines[2] === `<toolDiffAdded>+2 ${after}`);
    assert.equal(lines.length, 4);
  });
});
