import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { HostLog } from '../../../../src/modes/guard/serve/host-log';

describe('the log of the host of the guard', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-host-log-'));
  const path = join(folder, 'host.log');
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => [path, `${path}.1`].forEach(file => rmSync(file, { force: true })));

  it('is readable by its owner only, and has no secrets', () => {
    new HostLog(path).write('the key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 is used\n');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.ok(!readFileSync(path, 'utf8').includes('abcdefghijklmnop'));
  });

  it('begins a new file at its limit and keeps one before it', () => {
    const log = new HostLog(path, 100);
    for (const line of ['a', 'b', 'c']) log.write(`${line.repeat(59)}\n`);
    assert.match(readFileSync(`${path}.1`, 'utf8'), /^b+\n$/);
    assert.match(readFileSync(path, 'utf8'), /^c+\n$/);
    log.write(`${'d'.repeat(1000)}\n`);
    assert.equal(readFileSync(path).length, 100, 'of a text beyond the limit, the end is kept');
  });

  it('goes on with the size of an earlier host', () => {
    new HostLog(path, 100).write(`${'a'.repeat(59)}\n`);
    new HostLog(path, 100).write(`${'b'.repeat(59)}\n`);
    assert.ok(existsSync(`${path}.1`));
  });

  it('does not end the host when its folder is gone', () => {
    new HostLog(join(folder, 'missing', 'host.log')).write('text\n');
  });

  it('gets what a stream prints, which prints itself only where it is a terminal', async () => {
    for (const isTTY of [false, true]) {
      rmSync(path, { force: true });
      const stream = Object.assign(new PassThrough(), { isTTY });
      const printed: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => printed.push(chunk));
      new HostLog(path).takeOver(stream as unknown as NodeJS.WriteStream);
      await new Promise(resolve => stream.write('a line\n', resolve));
      assert.equal(readFileSync(path, 'utf8'), 'a line\n');
      assert.equal(Buffer.concat(printed).toString(), isTTY ? 'a line\n' : '');
    }
  });
});
