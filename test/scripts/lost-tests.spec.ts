import assert from 'node:assert/strict';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { findTests } from '../../scripts/bundle-tests.ts';
import { runMochaParts, SKIPS_FAIL, type SuiteResult } from '../../scripts/support/suite.ts';

const PASSES = `describe('a file', () => { it('passes', () => {}); });`;

describe('tests that are lost fail the run', () => {
  let root: string;

  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'hookline-lost-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const write = (name: string, text: string): string => {
    const file = join(root, `${name}.mjs`);
    writeFileSync(file, text);
    return file;
  };
  /** Runs test files in one process as a suite does. Resolves with its result and what it printed. */
  const run = async (files: readonly string[], grep?: string): Promise<SuiteResult & { readonly log: string }> => {
    const log = join(root, 'log');
    const output = openSync(log, 'w');
    try {
      const result = await runMochaParts([files], [{}], { suite: 'suite-under-test', grep, output });
      return { ...result, log: readFileSync(log, 'utf8') };
    } finally {
      closeSync(output);
    }
  };
  const failuresOf = ({ failures, failed }: SuiteResult): readonly string[] => {
    assert.equal(failed, failures.length);
    return failures.map(({ title, reason }) => `${basename(title)}: ${reason}`);
  };

  it('as does a suite without files', () => {
    assert.throws(() => findTests('unit', { root }), /the suite "unit" has no test file: none matches test\/\*\*/);
    mkdirSync(join(root, 'test'));
    writeFileSync(join(root, 'test', 'a.spec.ts'), '');
    assert.deepEqual(findTests('unit', { root }), { tests: [join('test', 'a.spec.ts')], support: [] });
    assert.deepEqual(findTests('unit', { root, file: 'other' }).tests, []);
  });

  it('as does a file without tests', async () => {
    const result = await run([write('full', PASSES), write('empty', `for (const row of []) it(row, () => {});`)]);
    assert.deepEqual(failuresOf(result), ['empty.mjs: none of its tests ran']);
    assert.equal(result.passed, 1);
  });

  it('as does a describe without tests', async () => {
    const inner = `describe('table', () => { for (const row of []) it(row, () => {}); });`;
    const file = write('part', `describe('whole', () => { it('passes', () => {}); ${inner} });`);
    assert.deepEqual(failuresOf(await run([file])), ['whole table: it has no tests']);
  });

  it('as does a test that is skipped, in whatever way', async () => {
    const files = [
      write('skips', `it.skip('one', () => {}); describe.skip('two', () => it('is', () => {})); it('three');`),
      write('stops', `describe('four', () => { before(function () { this.skip(); }); it('is', () => {}); });`),
      write('gives-up', `it('five', function () { this.skip(); });`),
    ];
    const all = ['one', 'three', 'two is', 'four is', 'five'];
    const result = await run(files);
    assert.equal(result.skipped, SKIPS_FAIL ? 0 : all.length);
    const failures = SKIPS_FAIL ? all.map(title => `${title}: it was skipped`) : [];
    assert.deepEqual([...failuresOf(result)].sort(), failures.sort());
  });

  it('as does "only"', async () => {
    const result = await run([write('only', `it.only('one', () => {}); it('two', () => {});`)]);
    assert.match(result.problem ?? '', /^suite-under-test: ended with exit code \d+ without a result$/);
    assert.match(result.log, /\.only.* forbidden/);
  });

  for (const [how, text] of [
    ['ends its process', 'process.exit(0)'],
    ['kills its process', "process.kill(process.pid, 'SIGKILL')"],
  ] as const) {
    it(`as does a test that ${how}, so that later files do not run`, async () => {
      const ends = write('ends', `describe('it', () => it('ends', () => ${text}));`);
      const result = await run([write('before', PASSES), ends, write('after', PASSES)]);
      assert.equal(result.failed, 1);
      assert.match(result.problem ?? '', /^suite-under-test: .+ without a result$/);
    });
  }

  it('but not the files and describes that --grep leaves out', async () => {
    const other = write('other', `describe('another', () => { it('file', () => {}); });`);
    const result = await run([write('full', PASSES), other], 'passes');
    assert.deepEqual([result.passed, result.failed, result.skipped], [1, 0, 0]);
  });
});
