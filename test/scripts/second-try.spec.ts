import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Counts } from '../../scripts/support/mocha-run';
import { closingLines, runMochaParts, withSecondTry, type SuiteResult } from '../../scripts/support/suite';

function counts(passed: number, ...failed: readonly string[]): Counts {
  return { passed, failed: failed.length, skipped: 0, failures: failed.map(title => ({ title, reason: 'broke' })) };
}

function resultOf(byFile: Readonly<Record<string, Counts>>): SuiteResult {
  const all = Object.values(byFile);
  const passed = all.reduce((sum, each) => sum + each.passed, 0);
  return { ...counts(passed, ...all.flatMap(each => each.failures.map(({ title }) => title))), byFile };
}

describe('a second try of what failed', () => {
  const files = ['a', 'b', 'c'];

  it('runs failed files alone, names what then passes, and still fails what fails again', async () => {
    const first = resultOf({ a: counts(3), b: counts(4, 'b: shaky', 'b: broken'), c: counts(1) });
    const asked: (readonly string[])[] = [];
    const result = await withSecondTry(first, files, again => {
      asked.push(again);
      return Promise.resolve(resultOf({ b: counts(5, 'b: broken') }));
    });
    assert.deepEqual(asked, [['b']]);
    assert.equal(
      closingLines([result]),
      'unsteady: b: shaky: broke\nfailed: b: broken: broke\n9 passed, 1 failed, 0 skipped',
    );
  });

  it('does not count as passed when the file ran no test this time', async () => {
    const first = resultOf({ a: counts(3, 'a: shaky'), b: counts(4) });
    const result = await withSecondTry(first, files, () => Promise.resolve(resultOf({})));
    assert.deepEqual([result.passed, result.failed], [4, 1]);
  });

  for (const [name, first] of Object.entries<SuiteResult>({
    'nothing failed': resultOf({ a: counts(3) }),
    'a failure belongs to no file': { ...resultOf({ a: counts(3, 'a') }), failed: 2 },
    'there is no result': { ...counts(0), failed: 1, problem: 'it was stopped' },
    'too many files failed': resultOf(Object.fromEntries('abcdefghi'.split('').map(name => [name, counts(0, name)]))),
  })) {
    it(`is not made where ${name}`, async () => {
      const result = await withSecondTry(first, 'abcdefghi'.split(''), () => assert.fail('ran again'));
      assert.equal(result, first);
    });
  }

  for (const triesOnce of [false, true]) {
    it(`is ${triesOnce ? 'not made in a suite that takes none' : 'made in a suite'}`, async () => {
      const root = mkdtempSync(join(tmpdir(), 'hookline-shaky-'));
      const file = join(root, 'shaky.mjs');
      const marker = JSON.stringify(join(root, 'ran'));
      writeFileSync(
        file,
        `import { existsSync, writeFileSync } from 'node:fs';
        it('shaky', () => { if (!existsSync(${marker})) { writeFileSync(${marker}, ''); throw new Error('broke'); } });`,
      );
      const output = openSync(join(root, 'log'), 'w');
      try {
        const result = await runMochaParts([[file]], [{}], { suite: 'suite-under-test', output, triesOnce });
        const counted = triesOnce
          ? 'failed: shaky: broke\n0 passed, 1 failed'
          : 'unsteady: shaky: broke\n1 passed, 0 failed';
        assert.equal(closingLines([result]), `${counted}, 0 skipped`);
      } finally {
        closeSync(output);
        rmSync(root, { recursive: true, force: true });
      }
    });
  }
});
