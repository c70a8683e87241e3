import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTestFile } from '../../../src/hook-insight/hook-tests/read-test-file';
import { putSpecial, SAID, SPECIAL_KINDS } from '../../support/special-files';
import { itOnPosix } from '../../support/platform';

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

  for (const kind of SPECIAL_KINDS.filter(each => each !== 'folder')) {
    itOnPosix(`has the error of a ${kind} in the place of the file, and keeps the tests that were known`, async () => {
      writeFileSync(file, `${HELPER}it('kept', () => {});`);
      const known = await readTestFile(file);
      rmSync(file);
      const remove = await putSpecial(file, kind);
      try {
        const read = await readTestFile(file, known);
        assert.match(read?.problem?.message ?? '', SAID[kind]);
        assert.equal(read?.tests[0]?.title, 'kept');
        assert.equal(await readTestFile(file, read), read, 'nothing has changed');
        assert.match((await readTestFile(file))?.problem?.message ?? '', SAID[kind]);
      } finally {
        await remove();
      }
    });
  }

  it('has the error of a file that is larger than 2 MB', async () => {
    writeFileSync(file, HELPER);
    truncateSync(file, 2 * 1024 * 1024 + 1);
    const read = await readTestFile(file);
    assert.deepEqual(read, {
      path: file,
      text: '',
      tests: [],
      problem: { message: `${file} is larger than 2 MB`, file },
    });
  });

  it('has the error of a file that is nested too deeply', async () => {
    writeFileSync(file, `${HELPER}a${'.b'.repeat(100_000)}`);
    assert.equal((await readTestFile(file))?.problem?.message, 'It is nested too deeply');
  });

  it('is none of a folder with such a name', async () => {
    mkdirSync(file);
    assert.equal(await readTestFile(file), undefined);
  });

  itOnPosix('opens no file of a package that is imported', async () => {
    const manifest = join(folder, 'node_modules', 'own-package', 'package.json');
    await putSpecial(manifest, 'named pipe');
    writeFileSync(file, `${HELPER}import 'own-package';\nimport 'own-package/part.js';\n`);
    const read = await readTestFile(file);
    assert.ok(read);
    assert.equal(read.problem, undefined);
  });

  it('names an import that can be no path', async () => {
    for (const specifier of ['file://:x', 'file:///%00', '//host/share.mjs']) {
      writeFileSync(file, `${HELPER}import '${specifier}';\n`);
      assert.equal((await readTestFile(file))?.problem?.message, `The import "${specifier}" cannot be found`);
    }
  });
});
