import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { isMark, newMark, withMark, withoutMarks } from '../../../src/base/ending/mark';
import {
  parseProcStat,
  parsePsTable,
  readProcessTable,
  readProcessTableNow,
} from '../../../src/base/ending/process-table';
import { namespaceArguments } from '../../support/bystanders';
import { itOnPosix } from '../../support/platform';

describe('a mark', () => {
  it('is 128 random bits behind a name, and passes the check of its form', () => {
    assert.match(newMark(), /^HOOKLINE_TREE_[0-9a-f]{32}$/);
    assert.notEqual(newMark(), newMark());
    assert.ok(isMark(newMark()));
    assert.ok(!['', 'HOOKLINE_TREE_', `${newMark()}0`, ` ${newMark()}`].some(isMark));
  });

  it('is taken out of an environment, and nothing else', () => {
    const env = { PATH: '/bin', HOOKLINE_TREE_: '1', HOOKLINE_CALL_0: '1' };
    assert.deepEqual(withoutMarks({ ...env, ...withMark(newMark()), ...withMark(newMark()) }), env);
  });
});

describe('the table of processes', () => {
  it('reads /proc/<pid>/stat whatever the name of the command', () => {
    const stat = (state: string): string =>
      `42 (a) b) ( c) ${state} 7 40 40 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 98765 1 1`;
    assert.deepEqual(parseProcStat(stat('S')), {
      pid: 42,
      parent: 7,
      group: 40,
      session: 40,
      name: 'a) b) ( c',
      startedAt: 98_765,
    });
    assert.equal(parseProcStat(stat('Z')), undefined);
    assert.equal(parseProcStat(''), undefined);
  });

  it('reads what ps prints', () => {
    const { rows, userOf, flagsOf } = parsePsTable(
      '    1     0     1     0 Ss   Mon Jan  1 10:00:00 2024\n' +
        '  501     1   500  1000 S+   Mon Jan  1 10:00:01 2024\n' +
        '  502   501   500  1000 Z    Mon Jan  1 10:00:01 2024\n 503 501 500 1000 S x\n\n',
    );
    const start = Date.parse('2024-01-01T10:00:00Z');
    assert.deepEqual(rows, [
      { pid: 1, parent: 0, group: 1, startedAt: start },
      { pid: 501, parent: 1, group: 500, startedAt: start + 1000 },
    ]);
    assert.deepEqual([rows.map(userOf), rows.flatMap(flagsOf)], [[0, 1000], []]);
  });

  itOnPosix('shows this process and its child with their flags, and no text that only looks like one', async () => {
    const mark = newMark();
    const env = { ...process.env, ...withMark(mark), LOOKS: `${mark}=1`, EMPTY: '', MORE: '11' };
    const child = spawn('sleep', ['100'], { env, stdio: 'ignore' });
    try {
      const tables = [await readProcessTable(), await readProcessTable({ flagsOfOlder: true }), readProcessTableNow()];
      for (const table of tables) {
        const of = (pid: number | undefined) => table!.rows.find(row => row.pid === pid)!;
        assert.equal(of(child.pid).parent, process.pid);
        assert.ok(of(child.pid).startedAt >= of(process.pid).startedAt);
        assert.equal(table!.userOf(of(child.pid)), process.getuid?.());
        if (process.platform === 'linux') assert.ok(table!.flagsOf(of(child.pid)).includes(mark));
        assert.ok(!table!.flagsOf(of(child.pid)).some(name => ['LOOKS', 'EMPTY', 'MORE'].includes(name)));
        assert.ok(!table!.flagsOf(of(process.pid)).includes(mark));
        assert.ok(table!.isStill(of(child.pid)));
        assert.ok(process.platform !== 'linux' || !table!.isStill({ ...of(child.pid), startedAt: 1 }));
      }
    } finally {
      child.kill('SIGKILL');
    }
  });

  itOnPosix('is not read from a /proc that shows other pids than this process sees', () => {
    const isOther = namespaceArguments()?.filter(argument => argument !== '--mount-proc');
    // Where no namespace can be made, a process can only see its own.
    const [file, ...args] = isOther === undefined ? [process.execPath] : ['unshare', ...isOther, process.execPath];
    const module = resolve('src/base/ending/process-table.ts');
    const program = `import(${JSON.stringify(module)}).then(async ({ readProcessTable, readProcessTableNow }) =>
      console.log(await readProcessTable() === undefined, readProcessTableNow() === undefined));`;
    const { stdout, stderr } = spawnSync(file, [...args, '-e', program], { encoding: 'utf8' });
    assert.equal(stdout, isOther === undefined ? 'false false\n' : 'true true\n', stderr);
  });
});
