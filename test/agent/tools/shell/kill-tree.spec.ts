import assert from 'node:assert/strict';
import {
  parseProcStat,
  parsePsTable,
  selectTree,
  taskkillArguments,
  type ProcessRow,
} from '../../../../src/agent/tools/shell/kill-tree';

const row = (pid: number, parent: number, extra: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent,
  group: pid,
  startedAt: `t${pid}`,
  marked: false,
  ...extra,
});
const pids = (rows: readonly ProcessRow[]): number[] => rows.map(({ pid }) => pid);

describe('kill-tree', () => {
  it('reads /proc/<pid>/stat whatever the name of the command', () => {
    const stat = (state: string): string =>
      `42 (a) b) ( c) ${state} 7 40 40 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 1`;
    assert.deepEqual(parseProcStat(stat('S')), {
      pid: 42,
      parent: 7,
      group: 40,
      session: 40,
      name: 'a) b) ( c',
      startedAt: '98765',
    });
    assert.equal(parseProcStat(stat('Z')), undefined);
    assert.equal(parseProcStat(''), undefined);
  });

  it('reads the table of ps', () => {
    const table =
      '    1     0     1 Ss   Mon Jan  1 10:00:00 2024\n  501     1   500 S+   Mon Jan  1 10:00:01 2024\n 502 501 500 Z x\n\n';
    assert.deepEqual(parsePsTable(table), [
      { pid: 1, parent: 0, group: 1, startedAt: 'Mon Jan  1 10:00:00 2024', marked: false },
      { pid: 501, parent: 1, group: 500, startedAt: 'Mon Jan  1 10:00:01 2024', marked: false },
    ]);
  });

  it('takes descendants, the group, the marked and the known, and no one else', () => {
    const rows = [
      row(1, 0),
      row(10, 1),
      row(13, 12),
      row(12, 10),
      row(20, 1, { group: 10 }),
      row(30, 1, { marked: true }),
      row(31, 30),
      row(40, 1),
      row(50, 1, { startedAt: 'again' }),
      row(60, 1),
    ];
    const known = new Map([
      [40, 't40'],
      [50, 't50'],
    ]);
    assert.deepEqual(pids(selectTree(rows, { pid: 10, alive: true }, known)), [10, 13, 12, 20, 30, 31, 40]);
  });

  it('does not trust the pid of a root that has ended', () =>
    assert.deepEqual(selectTree([row(10, 1), row(11, 10)], { pid: 10, alive: false }, new Map()), []));

  it('never takes this process', () =>
    assert.deepEqual(selectTree([row(process.pid, 1, { marked: true })], { pid: 10, alive: true }, new Map()), []));

  it('asks Windows for the whole tree, by force', () =>
    assert.deepEqual(taskkillArguments(5), ['/pid', '5', '/T', '/F']));
});
