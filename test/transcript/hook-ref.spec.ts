import assert from 'node:assert/strict';
import { join } from 'node:path';
import { hookRef } from '../../src/transcript/hook-ref';

const path = join('hooks', 'guard.ts');

describe('how a hook is named', () => {
  it('takes the file, or the folder of an index, and the line if there is one', () => {
    assert.deepEqual(hookRef(path), { path, name: 'guard.ts' });
    assert.deepEqual(hookRef(path, 7), { path, name: 'guard.ts', line: 7 });
    const index = join('hooks', 'guard', 'index.ts');
    assert.equal(hookRef(index).name, 'guard/index.ts');
  });

  it('is one object for all that name the same place, so that verdicts of a long session share it', () => {
    assert.equal(hookRef(path, 7), hookRef(path, 7));
    assert.notEqual(hookRef(path, 7), hookRef(path, 8));
    assert.notEqual(hookRef(path), hookRef(path, 7));
  });
});
