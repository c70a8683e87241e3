import assert from 'node:assert/strict';
import { readHostToLog, readLogFilter, readLogToHost, type LogRow } from '../../../src/protocol/pages/log';
import { lineDiff } from '../../../webview/output/value-diff';
import { hooksOf, NO_FILTER, shownRows, valuesOf, withRows, type LogState } from '../../../webview/log/log-page';

function row(seq: number, more: Partial<LogRow> = {}): LogRow {
  return {
    key: `r:${seq}`,
    at: seq,
    hookPath: '/h/gate.ts',
    hook: 'gate.ts',
    event: 'tool_call',
    registeredAs: 'tool_call',
    nth: 0,
    tool: 'bash',
    outcome: 'nothing',
    text: 'nothing',
    ms: 1,
    askedMs: 0,
    waits: [],
    conversation: 'r:c1',
    changed: false,
    earlier: false,
    ...more,
  };
}

const EMPTY: LogState = { rows: [], spans: [], filter: NO_FILTER, found: undefined };
const keys = (state: LogState): readonly string[] => shownRows(state).map(each => each.key);

describe('rows of the hook log', () => {
  const rows = [
    row(1),
    row(2, { outcome: 'blocked', text: 'blocked: no rm', agent: 'Codex' }),
    row(3, { hookPath: '/h/b.ts', hook: 'b.ts', registeredAs: 'session', event: 'session_start', tool: '' }),
  ];
  const state = withRows(EMPTY, rows, true);

  it('stand newest first, and newer ones come in on top', () => {
    assert.deepEqual(keys(state), ['r:3', 'r:2', 'r:1']);
    assert.deepEqual(keys(withRows(state, [row(4), row(5)], false)), ['r:5', 'r:4', 'r:3', 'r:2', 'r:1']);
    assert.deepEqual(keys(withRows(state, [row(9)], true)), ['r:9']);
  });

  it('stay bounded', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => row(index));
    assert.equal(withRows(EMPTY, many, true).rows.length, 4_000);
  });

  const filters: readonly (readonly [string, Partial<LogState['filter']>, readonly string[]])[] = [
    ['a hook', { hookPath: '/h/b.ts' }, ['r:3']],
    ['an event', { registeredAs: 'tool_call' }, ['r:2', 'r:1']],
    ['a tool', { tool: 'bash' }, ['r:2', 'r:1']],
    ['an outcome', { outcome: 'blocked' }, ['r:2']],
    ['a text of the row', { text: 'NO RM' }, ['r:2']],
    ['the name of another agent', { text: 'codex' }, ['r:2']],
    ['several', { tool: 'bash', outcome: 'nothing' }, ['r:1']],
  ];
  for (const [what, filter, expected] of filters) {
    it(`are filtered by ${what}`, () => {
      assert.deepEqual(keys({ ...state, filter: { ...NO_FILTER, ...filter } }), expected);
    });
  }

  it('are filtered by texts in their records once the host has searched for just that', () => {
    const filter = { ...NO_FILTER, text: 'deep' };
    assert.deepEqual(keys({ ...state, filter, found: { text: 'deep', keys: new Set(['r:1']) } }), ['r:1']);
    assert.deepEqual(keys({ ...state, filter, found: { text: 'other', keys: new Set(['r:1']) } }), []);
  });

  it('give the choices of the filters', () => {
    assert.deepEqual(
      hooksOf(rows).map(({ name }) => name),
      ['b.ts', 'gate.ts'],
    );
    assert.deepEqual(valuesOf(rows, 'tool'), ['bash']);
    assert.deepEqual(valuesOf(rows, 'outcome'), ['blocked', 'nothing']);
  });
});

describe('before and after', () => {
  it('shows removed and added lines with a little around, and folds the rest', () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const after = before.with(10, 'changed');
    assert.deepEqual(
      lineDiff(before.join('\n'), after.join('\n')).map(({ kind, text }) => `${kind} ${text}`),
      [
        'same ⋯ 7 same lines',
        'same line 7',
        'same line 8',
        'same line 9',
        'removed line 10',
        'added changed',
        'same line 11',
        'same line 12',
        'same line 13',
        'same ⋯ 6 same lines',
      ],
    );
  });

  it('finds the common lines of reordered text, and ends on any size', () => {
    assert.deepEqual(
      lineDiff('a\nb\nc', 'b\nc\nd').map(({ kind }) => kind),
      ['removed', 'same', 'same', 'added'],
    );
    const long = (mark: string): string => Array.from({ length: 5_000 }, (_, index) => `${mark}${index}`).join('\n');
    assert.equal(lineDiff(long('a'), long('b')).length, 10_000);
  });
});

describe('messages of the hook log', () => {
  it('are checked on both sides', () => {
    assert.ok(readHostToLog({ type: 'rows', rows: [row(1)], replace: true }));
    assert.ok(readLogToHost({ type: 'select', key: 'r:1' }));
    assert.ok(readLogFilter(NO_FILTER));
    for (const wrong of [null, 'rows', { type: 'rows', rows: [{}], replace: true }, { type: 'toString' }]) {
      assert.equal(readHostToLog(wrong), undefined);
    }
    for (const wrong of [undefined, { type: 'select' }, { type: 'openFile', path: 1 }, { type: '__proto__' }]) {
      assert.equal(readLogToHost(wrong), undefined);
    }
    assert.equal(readLogFilter({ text: 'x' }), undefined);
  });
});
