import assert from 'node:assert/strict';
import { titleWithoutKeys } from '../../src/modes/arguments/process-title';

describe('the title of a process', () => {
  it('hides each value of --api-key, and is left alone without one', () => {
    assert.equal(
      titleWithoutKeys(['node', 'cli.js', '--api-key', 'k', '-p', 'a']),
      'node cli.js --api-key [hidden] -p a',
    );
    assert.equal(titleWithoutKeys(['node', '--api-key=k', '--api-key']), 'node --api-key=[hidden] --api-key');
    assert.equal(titleWithoutKeys(['node', 'cli.js', '-p', 'api-key']), undefined);
  });
});
