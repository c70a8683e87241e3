import assert from 'node:assert/strict';
import { changesOfSession, targetsFor } from '../../../src/agent/changes/net-changes';
import type { FileState } from '../../../src/agent/changes/file-state';
import type { ChangeRecord } from '../../../src/agent/changes/record';

const said = (letter: string): FileState => ({ kind: 'file', blob: letter.repeat(64), size: 1, mode: 0o644 });

let seq = 0;
function record(session: string, call: string, before: string, after: string, path = '/a'): ChangeRecord {
  seq += 1;
  const change = { at: seq, session, call, tool: 'edit', kind: 'tool', path } as const;
  return { ...change, seq, before: said(before), after: said(after) };
}

describe('the changes of a session', () => {
  it('are its own, and those that its ancestors made before it was forked off', () => {
    const parent = record('parent', 'x', 'a', 'b');
    const foreign = record('foreign', 'x', 'b', 'c');
    const own = record('own', 'y', 'c', 'd');
    const later = record('parent', 'x', 'd', 'e');
    const of = (ancestors?: ReadonlyMap<string, number>): readonly ChangeRecord[] =>
      changesOfSession([parent, foreign, own, later], 'own', new Set(['x', 'y']), ancestors);
    assert.deepEqual(of(), [own]);
    assert.deepEqual(of(new Map([['parent', own.at]])), [parent, own]);
  });

  it('say when undoing them takes more than they are', () => {
    const first = record('own', '1', 'a', 'b');
    const second = record('own', '2', 'b', 'c');
    const other = record('own', '2', 'x', 'y', '/b');
    const afterGap = record('own', '3', 'e', 'f');
    const takesMore = (undone: readonly ChangeRecord[], all: readonly ChangeRecord[]): boolean[] =>
      targetsFor(undone, all).map(target => target.takesMore);
    assert.deepEqual(takesMore([first, second, other], [first, second, other]), [false, false]);
    assert.deepEqual(takesMore([second], [first, second, other]), [false]);
    assert.deepEqual(takesMore([first], [first, second, other]), [true]);
    const all = [first, second, other, afterGap];
    assert.deepEqual(takesMore(all, all), [true, false]);
    assert.deepEqual(takesMore([afterGap], all), [false]);
  });
});
