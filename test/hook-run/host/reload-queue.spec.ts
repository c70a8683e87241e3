import assert from 'node:assert/strict';
import { ForcedReload, ReloadQueue } from '../../../src/hook-run/host/reload-queue';
import { deferred } from '../../../src/base/async/wait';

describe('requests of reloads', () => {
  const request = (path: string, packages: boolean): ForcedReload => new ForcedReload(false, new Set([path]), packages);

  it('during a reload give exactly one more, with what all of them ask for', async () => {
    const gate = deferred();
    const runs: ForcedReload[] = [];
    const queue = new ReloadQueue(async fresh => {
      runs.push(fresh);
      await gate.promise;
    });
    const first = queue.request(request('a', false));
    const more = [request('b', false), request('c', true), request('d', false)].map(each => queue.request(each));
    assert.equal(runs.length, 1);
    gate.resolve();
    await Promise.all([first, ...more]);
    assert.equal(runs.length, 2);
    assert.deepEqual(
      runs.map(run => ['a', 'b', 'c', 'd'].filter(path => run.has(path))),
      [['a'], ['b', 'c', 'd']],
    );
    assert.deepEqual(
      runs.map(({ packages }) => packages),
      [false, true],
    );
  });
});
