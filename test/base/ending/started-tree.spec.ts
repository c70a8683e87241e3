import assert from 'node:assert/strict';
import { newMark } from '../../../src/base/ending/mark';
import { endMarked, endNow, StartedTree } from '../../../src/base/ending/started-tree';
import { childWith, OURS, SELF, standing, systemWith, tableOf } from './support';

const MARK = newMark();

describe('the end of a started tree', () => {
  it('asks with SIGTERM, then kills, on Linux by parents, groups and marks', async () => {
    const rows = [
      ...OURS,
      standing(110, SELF),
      standing(111, 110),
      standing(112, 1, { group: 110 }),
      standing(113, 1, { flags: [MARK] }),
      standing(114, 1),
    ];
    const { system, done } = systemWith('linux', rows);
    await new StartedTree(childWith(110), MARK, system).end(1);
    const all = [110, 111, 112, 113];
    assert.deepEqual(done, [...all.map(pid => `SIGTERM ${pid}`), ...all.map(pid => `SIGKILL ${pid}`)]);
  });

  it('kills what lost its parents after the first look', async () => {
    const before = [...OURS, standing(110, SELF), standing(111, 110)];
    const after = [...OURS, standing(111, 1), standing(112, 111)];
    const child = childWith(110);
    const done: string[] = [];
    const { system } = systemWith('linux', []);
    const isLeft = (): boolean => !done.includes('SIGKILL 111');
    const tree = new StartedTree(child, MARK, {
      ...system,
      table: () => Promise.resolve(tableOf(done.length === 0 ? before : isLeft() ? after : OURS)),
      send: ({ pid }, signal) => {
        done.push(`${signal} ${pid}`);
        child.report();
      },
    });
    await tree.end(1);
    assert.deepEqual(done, ['SIGTERM 110', 'SIGTERM 111', 'SIGKILL 111', 'SIGKILL 112']);
  });

  it('ends only the marked once the end of the child was reported', async () => {
    const rows = [...OURS, standing(110, 1), standing(111, 110), standing(112, 1, { flags: [MARK] })];
    const { system, done } = systemWith('linux', rows);
    const child = childWith(110);
    const tree = new StartedTree(child, MARK, system);
    child.report();
    await tree.end();
    assert.deepEqual(done, ['SIGKILL 112']);
  });

  it('does nothing for a child that could not be started', async () => {
    for (const platform of ['linux', 'win32', 'freebsd'] as const) {
      const { system, done } = systemWith(platform, platform === 'linux' ? OURS : undefined);
      const tree = new StartedTree(childWith(undefined), MARK, system);
      await tree.end(1);
      endNow([tree], system);
      assert.deepEqual(done, []);
    }
  });

  describe('on Windows', () => {
    it('is left to taskkill, also where the tree may have time to end', async () => {
      for (const grace of [0, 5]) {
        const { system, done } = systemWith('win32', undefined);
        await new StartedTree(childWith(110), MARK, system).end(grace);
        assert.deepEqual(done, ['taskkill 110']);
      }
    });

    it('kills the child alone where taskkill is missing or refused', async () => {
      const { system, done } = systemWith('win32', undefined, { hasTaskkill: false });
      const tree = new StartedTree(childWith(110, done), MARK, system);
      await tree.end(5);
      endNow([tree], system);
      assert.deepEqual(done, ['taskkill 110', 'child SIGKILL', 'taskkill 110 now', 'child SIGKILL']);
    });

    it('does not use taskkill on a pid whose end was reported, nor for marks', async () => {
      const { system, done } = systemWith('win32', undefined);
      const child = childWith(110);
      const tree = new StartedTree(child, MARK, system);
      child.report();
      await tree.end(5);
      await endMarked(MARK, 5, system);
      endNow([tree], system);
      assert.deepEqual(done, []);
    });

    it('waits for taskkill at the end of this process', () => {
      const { system, done } = systemWith('win32', undefined);
      endNow([new StartedTree(childWith(110), MARK, system)], system);
      assert.deepEqual(done, ['taskkill 110 now']);
    });
  });

  describe('where the system lists no processes', () => {
    it('signals the child and its group', async () => {
      const { system, done } = systemWith('freebsd', undefined);
      await new StartedTree(childWith(110), MARK, system).end();
      assert.ok(done.length > 0 && done.every(each => each === 'SIGKILL group 110'), done.join());
      done.length = 0;
      endNow([new StartedTree(childWith(110), MARK, system)], system);
      assert.deepEqual(done, ['SIGKILL group 110']);
    });

    it('signals no group whose number may belong to somebody else', async () => {
      const { system, done } = systemWith('freebsd', undefined);
      const child = childWith(110);
      const tree = new StartedTree(child, MARK, system);
      child.report();
      await tree.end(1);
      endNow([tree], system);
      assert.deepEqual(done, []);
    });
  });

  describe('with this process', () => {
    it('kills open children with their descendants, and nothing for its mark', () => {
      const rows = [
        ...OURS,
        standing(110, SELF),
        standing(111, 110),
        standing(112, 1, { flags: [MARK] }),
        standing(120, SELF),
        standing(130, 1),
      ];
      const { system, done } = systemWith('linux', rows);
      const trees = [110, 120].map(pid => new StartedTree(childWith(pid), MARK, system));
      endNow(trees, system);
      assert.deepEqual(done, ['SIGKILL 110', 'SIGKILL 111', 'SIGKILL 120']);
    });

    it('does not look for processes where no child is open', () => {
      const { system, done } = systemWith('linux', [...OURS, standing(110, 1)]);
      const child = childWith(110);
      const tree = new StartedTree(child, MARK, system);
      child.report();
      endNow([tree], { ...system, tableNow: () => assert.fail('looked') });
      assert.deepEqual(done, []);
    });
  });
});
