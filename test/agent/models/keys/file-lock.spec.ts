import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import { withFileLock } from '../../../../src/agent/models/keys/file-lock';

describe('the lock of auth.json', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-lock-'));
    file = join(folder, 'auth.json');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('lets one action run after the other, also for a file that is not there yet', async () => {
    const order: string[] = [];
    const action = (name: string) => async (): Promise<void> => {
      order.push(`${name} in`);
      await new Promise(resolve => setImmediate(resolve));
      order.push(`${name} out`);
    };
    await Promise.all([withFileLock(file, action('a')), withFileLock(file, action('b'))]);
    assert.deepEqual(
      order.map(step => step.split(' ')[1]),
      ['in', 'out', 'in', 'out'],
    );
    assert.ok(!existsSync(`${file}.lock`));
  });

  it('waits for the lock that pi takes', async () => {
    const order: string[] = [];
    const release = await lock(file, { realpath: false });
    const ours = withFileLock(file, () => Promise.resolve(order.push('ours')));
    await new Promise(resolve => setImmediate(resolve));
    order.push('pi');
    await release();
    await ours;
    assert.deepEqual(order, ['pi', 'ours']);
  });

  it('is one for all links to the file, as with pi', async () => {
    const real = join(folder, 'elsewhere.json');
    writeFileSync(real, '{}');
    symlinkSync(real, file);
    const order: string[] = [];
    const release = await lock(file);
    const ours = withFileLock(file, () => Promise.resolve(order.push('ours')));
    await new Promise(resolve => setTimeout(resolve, 30));
    order.push('pi');
    await release();
    await ours;
    assert.deepEqual(order, ['pi', 'ours']);
  });

  it('takes over the lock of a process that is gone', async () => {
    mkdirSync(`${file}.lock`);
    const long = new Date(Date.now() - 60_000);
    utimesSync(`${file}.lock`, long, long);
    assert.equal(await withFileLock(file, () => Promise.resolve('done')), 'done');
  });

  it('is released when the action throws', async () => {
    await assert.rejects(
      withFileLock(file, () => Promise.reject(new Error('no'))),
      /^Error: no$/,
    );
    assert.equal(await withFileLock(file, () => Promise.resolve('again')), 'again');
  });
});
