import assert from 'node:assert/strict';
import { planWatches, type FolderWatch } from '../../../src/vscode/watch/watch-plan';

const folders =
  (...existing: string[]) =>
  (path: string) =>
    existing.includes(path);
const as = (folder: string, glob: string): FolderWatch => ({ folder, glob });

describe('planWatches', () => {
  it('watches all of a folder that is there, and its name in its parent', () => {
    const plan = planWatches({ folders: ['/h/.pi/agent'], files: [] }, folders('/', '/h', '/h/.pi', '/h/.pi/agent'));
    assert.deepEqual(plan, [as('/h/.pi/agent', '**'), as('/h/.pi', 'agent')]);
  });

  it('waits for a missing folder at its nearest parent, one name at a time, never with everything below', () => {
    const targets = { folders: ['/h/.pi/agent/hooks', '/h/.pi/agent/extensions'], files: [] };
    assert.deepEqual(planWatches(targets, folders('/', '/h')), [as('/h', '.pi')]);
    assert.deepEqual(planWatches(targets, folders('/', '/h', '/h/.pi')), [as('/h/.pi', 'agent')]);
    assert.deepEqual(planWatches(targets, folders('/', '/h', '/h/.pi', '/h/.pi/agent')), [
      as('/h/.pi/agent', 'hooks'),
      as('/h/.pi/agent', 'extensions'),
    ]);
  });

  it('watches a single file by its name in its folder', () => {
    assert.deepEqual(planWatches({ folders: [], files: ['/x/y.ts'] }, folders('/', '/x')), [as('/x', 'y.ts')]);
    assert.deepEqual(planWatches({ folders: [], files: ['/x/[y].ts'] }, folders('/', '/x')), [as('/x', '*')]);
  });

  it('names each watch once', () => {
    const plan = planWatches({ folders: [], files: ['/x/a.ts', '/x/a.ts'] }, folders('/', '/x'));
    assert.equal(plan.length, 1);
  });
});
