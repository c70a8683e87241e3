import assert from 'node:assert/strict';
import { readHostToReplay, readReplayToHost, type ReplayRow } from '../../../src/protocol/pages/replay';
import { countOf, listed, received, START, toggled, withMore } from '../../../webview/replay/replay-page';

const row = (key: string, status: ReplayRow['status']): ReplayRow => ({
  key,
  at: 1,
  subject: 'tool_call bash',
  brief: 'ls',
  status,
  before: 'nothing',
  after: 'nothing',
  handlers: [],
});
const report = {
  source: 'the hook log',
  rows: [row('r:1', 'same'), row('r:2', 'changed'), row('r:3', 'unsure'), row('r:4', 'skipped')],
  missing: [],
};

describe('the page of a replay', () => {
  it('lists what changed first, and other kinds on demand, in the order of the recording', () => {
    const state = received(received(START, { type: 'progress', done: 1, all: 4 }), { type: 'report', report });
    assert.equal(state.progress, undefined);
    const keys = (of: typeof state): readonly string[] => listed(of).map(({ key }) => key);
    assert.deepEqual(keys(state), ['r:2', 'r:3']);
    assert.deepEqual(keys(toggled(state, 'same')), ['r:1', 'r:2', 'r:3']);
    assert.deepEqual(keys(toggled(toggled(state, 'changed'), 'unsure')), []);
    assert.equal(countOf(state, 'skipped'), 1);
    assert.ok(withMore(state).most > state.most);
  });

  it('keeps the earlier result in sight while the run is repeated', () => {
    const state = received(received(START, { type: 'report', report }), { type: 'progress', done: 0, all: 4 });
    assert.equal(listed(state).length, 2);
    assert.deepEqual(state.progress, { done: 0, all: 4 });
  });

  it('shows nothing of another recording while a replay begins', () => {
    const state = toggled(received(START, { type: 'report', report }), 'same');
    const other = received(state, { type: 'begun', again: false });
    assert.deepEqual([other.report, other.progress], [undefined, { done: 0, all: 0 }]);
    assert.deepEqual(other.shown, state.shown, 'what you chose to see stays');
    const again = received({ ...state, failure: 'gone' }, { type: 'begun', again: true });
    assert.deepEqual([again.report, again.progress, again.failure], [report, { done: 0, all: 0 }, undefined]);
  });

  it('takes messages of the right shape only, on both sides', () => {
    assert.ok(readHostToReplay({ type: 'report', report }));
    assert.ok(readHostToReplay({ type: 'progress', done: 1, all: 2 }));
    assert.ok(readHostToReplay({ type: 'begun', again: true }));
    assert.equal(readHostToReplay({ type: 'begun' }), undefined);
    assert.equal(readHostToReplay({ type: 'report', report: { ...report, rows: [{ key: 'x' }] } }), undefined);
    assert.equal(
      readHostToReplay({ type: 'report', report: { ...report, rows: [{ ...row('x', 'same'), status: 'odd' }] } }),
      undefined,
    );
    assert.equal(readHostToReplay({ type: 'toString' }), undefined);
    assert.ok(readReplayToHost({ type: 'again' }));
    assert.ok(readReplayToHost({ type: 'openFile', path: '/a.ts', line: 2 }));
    assert.equal(readReplayToHost({ type: 'openFile', path: 1 }), undefined);
    assert.equal(readReplayToHost(null), undefined);
  });
});
