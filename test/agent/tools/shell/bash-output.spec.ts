import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeOldOutputs } from '../../../../src/agent/tools/full-output-file';
import { BashOutput, type BashSnapshot } from '../../../../src/agent/tools/shell/bash-output';

const KB = 1024;

describe('output of a command that does not stop', () => {
  let files: string[] = [];
  afterEach(() => {
    for (const file of files.splice(0)) rmSync(file);
    files = [];
  });

  /** Lines of 8 bytes with their number, so that a cut in a wrong place shows. */
  const lines = (first: number, count: number): string =>
    Array.from({ length: count }, (_, index) => `${String(first + index).padStart(7, '0')}\n`).join('');
  const printed = async (bytes: number, mostSavedBytes: number): Promise<[BashOutput, BashSnapshot]> => {
    const output = new BashOutput({ mostSavedBytes });
    for (let line = 0; line < bytes / 8; line += KB) await output.append(Buffer.from(lines(line, KB)));
    const snapshot = await output.finish();
    files.push(snapshot.fullOutputPath ?? '');
    return [output, snapshot];
  };

  it('fills its file up to the limit only, and says how much is there', async () => {
    const [output, snapshot] = await printed(1024 * KB, 300 * KB);
    const saved = readFileSync(snapshot.fullOutputPath ?? '', 'utf8');
    assert.equal(saved.length, 300 * KB);
    assert.equal(saved, lines(0, (300 * KB) / 8));
    assert.equal(
      output.notice(snapshot),
      `[Showing lines 129073-131072 of 131072. The first 300.0KB of the output: ${snapshot.fullOutputPath ?? ''}]`,
    );
    assert.ok(snapshot.text.endsWith(lines(131_071, 1)));
  });

  it('gives programs the beginning from the file and the end as it was', async () => {
    const [output] = await printed(1024 * KB, 300 * KB);
    const { text, isWhole } = await output.whole(1024 * KB);
    assert.equal(isWhole, false);
    const [head = '', tail = ''] = text.split(`\n\n[... ${(1024 - 300 - 128) * KB} bytes omitted ...]\n\n`);
    assert.equal(head, lines(0, (300 * KB) / 8));
    assert.equal(tail, lines(131_072 - (128 * KB) / 8, (128 * KB) / 8));
  });

  it('is whole where file and end meet', async () => {
    const [output] = await printed(400 * KB, 300 * KB);
    assert.deepEqual(await output.whole(1024 * KB), { text: lines(0, (400 * KB) / 8), isWhole: true });
  });
});

describe('output that ends in one very long line', () => {
  for (const [name, end] of [
    ['without a line end', ''],
    ['with a line end', '\n'],
  ] as const) {
    it(`shows the end of that line, ${name}`, async () => {
      const output = new BashOutput();
      await output.append(Buffer.from(`first\nsecond\n${'x'.repeat(200 * KB)}end${end}`));
      const snapshot = await output.finish();
      const file = snapshot.fullOutputPath ?? '';
      assert.ok(snapshot.text === `${'x'.repeat(50 * KB - 3)}end`);
      assert.equal(output.notice(snapshot), `[Showing last 50.0KB of line 3 (line is 200.0KB). Full output: ${file}]`);
      rmSync(file);
    });
  }
});

describe('files with full outputs', () => {
  it('go when nobody wrote to them for seven days, and no others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookline-outputs-'));
    try {
      const old = new Date(Date.now() - 8 * 24 * 3600 * 1000);
      const file = (name: string, isOld: boolean): void => {
        writeFileSync(join(folder, name), '');
        if (isOld) utimesSync(join(folder, name), old, old);
      };
      file('pi-bash-0123456789abcdef.log', true);
      file('pi-mcp-0123456789abcdef.txt', true);
      file('pi-bash-fedcba9876543210.log', false);
      file('pi-bash-mine.log', true);
      file('notes.log', true);
      await removeOldOutputs(folder);
      assert.deepEqual(readdirSync(folder).sort(), ['notes.log', 'pi-bash-fedcba9876543210.log', 'pi-bash-mine.log']);
      await removeOldOutputs(join(folder, 'missing'));
      assert.ok(!existsSync(join(folder, 'missing')));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('output that is kept although models could see all of it', () => {
  it('is in a file that stays, which is not larger than files may be', async () => {
    const output = new BashOutput({ mostSavedBytes: 10 });
    await output.append(Buffer.from('first\n'));
    output.saveAll();
    await output.append(Buffer.from('second\n'));
    const { fullOutputPath = '', savedBytes, truncation } = await output.finish();
    assert.equal(readFileSync(fullOutputPath, 'utf8'), 'first\nseco');
    assert.deepEqual([savedBytes, truncation.truncated], [10, false]);
    rmSync(fullOutputPath);
  });
});
