import assert from 'node:assert/strict';
import { baseName, dollars, duration, place, tokens } from '../../webview/format';

describe('figures and names for people', () => {
  it('writes durations', () => {
    assert.deepEqual([0.2, 42, 420, 9_990, 61_000].map(duration), ['<1 ms', '42 ms', '0.4 s', '10.0 s', '1 min 1 s']);
  });

  it('writes token counts and sums', () => {
    assert.deepEqual([950, 12_345, 200_000, 1_200_000].map(tokens), ['950', '12.3k', '200k', '1.2M']);
    assert.deepEqual([0, 0.0123, 1.5].map(dollars), ['$0.0000', '$0.0123', '$1.50']);
  });

  it('writes places in files', () => {
    assert.deepEqual([place('a.ts'), place('a.ts', 3), place('a.ts', 3, 4)], ['a.ts', 'a.ts:3', 'a.ts:3:4']);
    assert.deepEqual(['/x/y.ts', 'C:\\x\\y.ts', 'y.ts', '/'].map(baseName), ['y.ts', 'y.ts', 'y.ts', '/']);
  });
});
