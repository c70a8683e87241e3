import assert from 'node:assert/strict';
import type { LogSpan, LogRow } from '../../../src/protocol/pages/log';
import { barsOfGroup, barsOfRow, logLines, type ListLine } from '../../../webview/log/log-lines';
import { decisionText, groupTitle } from '../../../webview/log/group-view';

const ALL = { toggled: new Set<string>(), isFiltered: false };

function row(at: number, more: Partial<LogRow> = {}): LogRow {
  return {
    key: `r:${at}`,
    at,
    hookPath: '/h/gate.ts',
    hook: 'gate.ts',
    event: 'tool_call',
    registeredAs: 'tool_call',
    nth: 0,
    tool: '',
    outcome: 'nothing',
    text: 'nothing',
    ms: 5,
    askedMs: 0,
    waits: [],
    conversation: 'r:c1',
    changed: false,
    earlier: false,
    ...more,
  };
}

const call = (at: number, id: string, more: Partial<LogRow> = {}): LogRow =>
  row(at, { call: id, tool: 'bash', ...more });
const blocked = { outcome: 'blocked', text: 'blocked: no' };

function span(kind: LogSpan['kind'], at: number, ms: number, more: Partial<LogSpan> = {}): LogSpan {
  return { kind, conversation: 'r:c1', at, ms, ...more };
}

function told(lines: readonly ListLine[]): readonly string[] {
  return lines.map(line => {
    const indent = '  '.repeat(line.level - 1);
    if (line.type === 'row') return `${indent}${line.key}`;
    if (line.type === 'quiet') return `${indent}${line.isOpen ? '-' : '+'} ${line.rows.length} quiet`;
    return `${indent}${line.isOpen ? '-' : '+'} ${groupTitle(line.group)}: ${decisionText(line.group)}`;
  });
}

const newestFirst = (...rows: readonly LogRow[]): readonly LogRow[] => rows.toReversed();

describe('lines of the hook log', () => {
  const TURN = span('turn', 100, 100);
  const rows = newestFirst(
    row(10, { registeredAs: 'session_start' }),
    row(101, { registeredAs: 'context' }),
    call(120, 'a', { subject: 'rm -rf build' }),
    call(126, 'a', { hook: 'audit.ts' }),
    call(132, 'a', blocked),
    call(150, 'b', { subject: 'ls' }),
    call(170, 'b', { registeredAs: 'tool_result' }),
    row(300, { registeredAs: 'input' }),
  );

  it('are grouped by turn and call, newest group first and time running down inside', () => {
    assert.deepEqual(told(logLines(rows, [TURN], ALL)), [
      'r:300',
      '- Turn with 2 tool calls: gate.ts: blocked: no',
      '  r:101',
      '  - bash rm -rf build: gate.ts: blocked: no',
      '    + 2 quiet',
      '    r:132',
      '  + bash ls: no decision',
      'r:10',
    ]);
  });

  it('name the other agent whose call it was, beside those of Hookline itself', () => {
    const agent = 'Codex';
    const others = newestFirst(
      call(10, 'a', { subject: 'ls', agent }),
      call(20, 'b', { subject: 'rm -rf build', agent, ...blocked }),
      call(30, 'c', { subject: 'pwd' }),
    );
    assert.deepEqual(
      told(logLines(others, [], ALL)).filter(line => !line.includes('quiet') && !line.includes('r:')),
      [
        '+ bash pwd: no decision',
        '- Codex · bash rm -rf build: gate.ts: blocked: no',
        '+ Codex · bash ls: no decision',
      ],
    );
  });

  it('open and close, and a filter opens everything', () => {
    const lines = logLines(rows, [TURN], ALL);
    const key = (title: string): string => lines[told(lines).findIndex(line => line.includes(title))]?.key ?? '';
    const toggled = new Set([key('bash ls'), key('2 quiet')]);
    assert.deepEqual(told(logLines(rows, [TURN], { ...ALL, toggled })).slice(3), [
      '  - bash rm -rf build: gate.ts: blocked: no',
      '    - 2 quiet',
      '    r:120',
      '    r:126',
      '    r:132',
      '  - bash ls: no decision',
      '    + 2 quiet',
      'r:10',
    ]);
    const closed = logLines(rows, [TURN], { ...ALL, toggled: new Set([key('Turn')]) });
    assert.deepEqual(told(closed), ['r:300', '+ Turn with 2 tool calls: gate.ts: blocked: no', 'r:10']);
    const filtered = logLines(rows, [TURN], { ...ALL, isFiltered: true });
    assert.deepEqual(
      filtered.filter(({ type }) => type === 'row').map(line => line.key),
      ['r:300', 'r:101', 'r:120', 'r:126', 'r:132', 'r:150', 'r:170', 'r:10'],
    );
  });

  it('show the calls of a turn that goes on by themselves', () => {
    assert.deepEqual(told(logLines(rows, [], ALL)).slice(0, 4), [
      'r:300',
      '+ bash ls: no decision',
      '- bash rm -rf build: gate.ts: blocked: no',
      '  + 2 quiet',
    ]);
  });

  it('keep apart what other conversations and earlier turns did under the same id', () => {
    const others = newestFirst(call(20, 'a'), call(120, 'a'), call(125, 'a', { conversation: 'r:c2' }));
    const turns = [span('turn', 15, 50), span('turn', 100, 100)];
    assert.deepEqual(
      logLines(others, turns, ALL).map(({ key }) => key),
      ['call r:c2 a', 'turn r:c1 100', 'turn r:c1 15'],
    );
  });

  it('show by their bars what a hook blocked or changed, not what it let run', () => {
    const kinds = [row(0), row(0, { outcome: 'allowed' }), row(0, { changed: true }), row(0, blocked)].map(
      each => barsOfRow(each, { from: 0, total: 5 })[0]?.kind,
    );
    assert.deepEqual(kinds, ['hook', 'hook', 'decided', 'decided']);
  });

  it('have bars at their exact times: model, hooks, questions and tool on the axis of the turn', () => {
    const asked = call(130, 'a', { outcome: 'returned', ms: 40, askedMs: 30, waits: [{ at: 135, ms: 30 }] });
    const spans = [
      span('model', 102.5, 20),
      span('tool', 170, 12.25, { call: 'a', tool: 'bash' }),
      span('tool', 171, 3, { call: 'other', tool: 'ls' }),
      TURN,
    ];
    const lines = logLines([asked], spans, ALL);
    const groups = lines.flatMap(line => (line.type === 'group' ? [line.group] : []));
    const hook = [
      { kind: 'decided', from: 30, ms: 5 },
      { kind: 'asked', from: 35, ms: 30 },
      { kind: 'decided', from: 65, ms: 5 },
    ];
    const model = { kind: 'model', from: 2.5, ms: 20 };
    const tool = { kind: 'tool', from: 70, ms: 12.25 };
    assert.deepEqual(groups.map(barsOfGroup), [
      [model, tool, { kind: 'tool', from: 71, ms: 3 }, ...hook],
      [model, tool, ...hook],
    ]);
    assert.deepEqual(
      groups.map(({ axis }) => axis),
      [
        { from: 100, total: 100 },
        { from: 100, total: 100 },
      ],
    );
    assert.deepEqual(
      lines.flatMap(line => (line.type === 'row' ? barsOfRow(line.row, line.axis) : [])),
      hook,
    );
  });

  it('measure a call without a turn from its first hook to the end of its tool', () => {
    const spans = [span('tool', 5, 3, { call: 'a' }), span('tool', 130, 70, { call: 'a' })];
    const [line] = logLines([call(120, 'a', blocked)], spans, ALL);
    assert.ok(line?.type === 'group');
    assert.deepEqual(line.group.axis, { from: 120, total: 80 });
    assert.deepEqual(line.group.spans, [spans[1]]);
  });
});
