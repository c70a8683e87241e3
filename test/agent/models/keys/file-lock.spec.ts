import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import { replaceLocked, withFileLock } from '../../../../src/agent/models/keys/file-lock';

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

  it('does not wait where no lock can be made', async () => {
    writeFileSync(file, '');
    const below = join(file, 'auth.json');
    await assert.rejects(
      withFileLock(below, () => Promise.resolve()),
      ({ message }: Error) => message.startsWith(`${below} cannot be locked: ENO`),
    );
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

  it('removes what a kill left of an earlier write, and nothing else', async () => {
    const others = ['.auth.json.swp', '.auth.json.0123456789ab.tmp.bak', '.models.json.0123456789ab.tmp'];
    for (const name of ['.auth.json.0123456789ab.tmp', ...others]) writeFileSync(join(folder, name), 'sk-left');
    await replaceLocked(file, '{}');
    assert.deepEqual(readdirSync(folder).sort(), [...others, 'auth.json'].sort());
    assert.equal(readFileSync(file, 'utf8'), '{}');
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('leads writes through a link, and refuses a link that leads to itself', async () => {
    const real = join(folder, 'elsewhere.json');
    writeFileSync(real, 'old');
    symlinkSync(real, file);
    await replaceLocked(file, 'new');
    assert.equal(readFileSync(real, 'utf8'), 'new');
    const circle = join(folder, 'circle.json');
    symlinkSync(circle, circle);
    await assert.rejects(replaceLocked(circle, 'new'), { code: 'ELOOP' });
  });
});
