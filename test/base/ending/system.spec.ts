import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readProcessTable } from '../../../src/base/ending/process-table';
import { sendTo, taskkill } from '../../../src/base/ending/system';
import { itOnPosix } from '../../support/platform';

describe('how a process is ended', () => {
  itOnPosix('sends a signal to the process of a row, but not to a later one with its pid', async () => {
    const child = spawn('sleep', ['100'], { stdio: 'ignore' });
    try {
      const table = await readProcessTable();
      const row = table!.rows.find(({ pid }) => pid === child.pid)!;
      const sent: unknown[] = [];
      const sender = { platform: process.platform, kill: (...given: unknown[]) => sent.push(given) };
      sendTo(row, 'SIGTERM', sender);
      sendTo({ ...row, startedAt: row.startedAt - 1 }, 'SIGKILL', sender);
      const isKnown = process.platform === 'linux';
      assert.deepEqual(sent, [[child.pid, 'SIGTERM'], ...(isKnown ? [] : [[child.pid, 'SIGKILL']])]);
      const refuse = (): never => {
        throw new Error('EPERM');
      };
      sendTo(row, 'SIGTERM', { platform: process.platform, kill: refuse });
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('uses the system’s own taskkill for a tree on Windows, by force', () => {
    const args = ['/pid', '5', '/T', '/F'];
    assert.deepEqual(taskkill(5, { SystemRoot: 'D:\\W' }), ['D:\\W\\System32\\taskkill.exe', args]);
    assert.deepEqual(taskkill(5, {}), ['C:\\Windows\\System32\\taskkill.exe', args]);
  });
});
