import assert from 'node:assert/strict';
import type { OwnedThing } from '../../../src/hook-load/ownership/resource-owner';
import { OwnershipScope } from '../../../src/hook-load/ownership/scope';

describe('OwnershipScope', () => {
  const reports: string[] = [];
  const scopeOf = (closeTimeoutMs?: number): OwnershipScope =>
    new OwnershipScope({
      owner: 'h.ts',
      onDidThrow: (error, where) => reports.push(`${where}: ${String(error)}`),
      ...(closeTimeoutMs === undefined ? {} : { closeTimeoutMs }),
    });
  const thing = (closed: string[], what: string, kind: OwnedThing['kind'] = 'work'): OwnedThing => ({
    what,
    kind,
    close: () => void closed.push(what),
  });
  beforeEach(() => (reports.length = 0));

  it('closes listeners first, once, and waits for all', async () => {
    const closed: string[] = [];
    const scope = scopeOf();
    scope.own(thing(closed, 'work'));
    scope.own(thing(closed, 'rest', 'rest'));
    scope.own({
      ...thing(closed, 'slow', 'listener'),
      close: async () => void (await Promise.resolve(), closed.push('slow')),
    });
    scope.own(thing(closed, 'listener', 'listener'));
    scope.own(thing(closed, 'gone')).dispose();
    assert.deepEqual(scope.open, ['work', 'rest', 'slow', 'listener']);
    const release = scope.release();
    assert.equal(scope.release(), release);
    await release;
    assert.deepEqual(closed, ['listener', 'work', 'rest', 'slow']);
  });

  it('reports what fails to close or takes too long, and closes the rest', async () => {
    const closed: string[] = [];
    const scope = scopeOf(20);
    scope.own({
      ...thing(closed, 'throws'),
      close: () => {
        throw new Error('stuck');
      },
    });
    scope.own({ ...thing(closed, 'hangs'), close: () => new Promise(() => undefined) });
    scope.own(thing(closed, 'last'));
    await scope.release();
    assert.deepEqual(closed, ['last']);
    assert.deepEqual(reports, ['closing throws: Error: stuck', 'closing hangs: Error: not closed within 20 ms']);
  });

  it('keeps what running handlers may wait for until they have ended', async () => {
    const closed: string[] = [];
    const scope = scopeOf();
    scope.own(thing(closed, 'before'));
    const first = scope.begin('tool_call');
    scope.own(thing(closed, 'during'));
    scope.own(thing(closed, 'server', 'listener'));
    scope.own(thing(closed, 'rest', 'rest'));
    await scope.release();
    assert.deepEqual(closed, ['server', 'before']);
    const second = scope.begin('tool_call');
    scope.own(thing(closed, 'later'));
    scope.own(thing(closed, 'late server', 'listener'));
    first.dispose();
    first.dispose();
    assert.deepEqual(closed, ['server', 'before', 'late server', 'during'].slice(0, 3).concat(closed.slice(3)));
    second.dispose();
    await Promise.resolve();
    assert.deepEqual([...closed].sort(), ['before', 'during', 'late server', 'later', 'rest', 'server']);
    scope.own(thing(closed, 'after all'));
    assert.ok(closed.includes('after all'));
  });
});
