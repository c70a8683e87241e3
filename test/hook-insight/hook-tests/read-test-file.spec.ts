import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTestFile } from '../../../src/hook-insight/hook-tests/read-test-file';

const HELPER = `import { fire } from './hookline-testing.mjs';\n`;

describe('reading a file of hook tests', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hook tests ü-'));
    file = join(folder, 'gate.test.mjs');
    writeFileSync(join(folder, 'hookline-testing.mjs'), '');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('reads only files that name the helper', async () => {
    writeFileSync(file, `it('of another tool', () => {});`);
    assert.equal(await readTestFile(file), undefined);
    assert.equal(await readTestFile(join(folder, 'gone.test.mjs')), undefined);
    writeFileSync(file, `${HELPER}it('of a hook', () => {});`);
    const read = await readTestFile(file);
    assert.deepEqual(
      read?.tests.map(({ title }) => title),
      ['of a hook'],
    );
    assert.equal(read.problem, undefined);
  });

  it('returns what it knows while nothing changed', async () => {
    writeFileSync(file, HELPER);
    const known = await readTestFile(file);
    assert.ok(known);
    assert.equal(await readTestFile(file, known), known);
    writeFileSync(file, `${HELPER}it('new', () => {});`);
    assert.notEqual(await readTestFile(file, known), known);
  });

  it('keeps the tests of a file that has a syntax error now, and says where the error is', async () => {
    writeFileSync(file, `${HELPER}it('kept', () => {});`);
    const known = await readTestFile(file);
    writeFileSync(file, `${HELPER}it('kept', ( => {});`);
    const broken = await readTestFile(file, known);
    assert.deepEqual(
      broken?.tests.map(({ title }) => title),
      ['kept'],
    );
    assert.deepEqual(broken.problem, { message: 'Unexpected token', file, line: 2, column: 14 });
  });

  it('names an import that leads nowhere, and the line', async () => {
    for (const specifier of ['./gone ü.mjs', 'no-such-package-here', '../gone.mjs']) {
      writeFileSync(file, `${HELPER}import assert from 'node:assert/strict';\nimport x from '${specifier}';\n`);
      const { problem } = (await readTestFile(file)) ?? {};
      assert.deepEqual(problem, { message: `The import "${specifier}" cannot be found`, file, line: 3, column: 15 });
    }
  });

  it('notices that a missing import is there now', async () => {
    rmSync(join(folder, 'hookline-testing.mjs'));
    writeFileSync(file, HELPER);
    const known = await readTestFile(file);
    assert.equal(known?.problem?.line, 1);
    writeFileSync(join(folder, 'hookline-testing.mjs'), '');
    assert.equal((await readTestFile(file, known))?.problem, undefined);
  });
});
