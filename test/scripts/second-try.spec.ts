import assert from 'node:assert/strict';
import { withSecondTry, type Counts, type SuiteResult } from '../../scripts/support/second-try.mjs';

const passed: Counts = { passed: 2, failed: 0, skipped: 1 };
const failed: Counts = { passed: 1, failed: 1, skipped: 1 };

/** Runs files whose n-th try ends as said, and notes which files were run. */
function suite(tries: Readonly<Record<string, readonly Counts[]>>, problem?: string): [typeof run, string[][]] {
  const asked: string[][] = [];
  const run = (files: readonly string[]): Promise<SuiteResult> => {
    const counts = files.map(file => [file, tries[file]?.[asked.length] ?? passed] as const);
    asked.push([...files]);
    const sum = (key: keyof Counts): number => counts.reduce((total, [, one]) => total + one[key], 0);
    const result = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
    return Promise.resolve({ ...result, files: Object.fromEntries(counts), ...(problem && { problem }) });
  };
  return [run, asked];
}

describe('a suite with a second try', () => {
  it('runs once when all passed', async () => {
    const [run, asked] = suite({});
    const { files, ...counts } = await withSecondTry('s', ['a', 'b'], run);
    assert.deepEqual([counts, asked], [{ passed: 4, failed: 0, skipped: 2 }, [['a', 'b']]]);
    assert.ok(files);
  });

  it('runs a failed file once more, whole, and says that it needed it', async () => {
    const [run, asked] = suite({ '/x/b': [failed, passed] });
    const result = await withSecondTry('s', ['/x/a', '/x/b'], run);
    assert.deepEqual(result, { passed: 4, failed: 0, skipped: 2, unsteady: 'b' });
    assert.deepEqual(asked, [['/x/a', '/x/b'], ['/x/b']]);
  });

  it('fails when the second try does, without a third', async () => {
    const [run, asked] = suite({ b: [failed, failed, passed] });
    const result = await withSecondTry('s', ['a', 'b'], run);
    assert.deepEqual([result, asked.length], [{ passed: 3, failed: 1, skipped: 2 }, 2]);
  });

  it('gives none to four files, nor to a suite that could not run to its end', async () => {
    const four = suite({ a: [failed], b: [failed], c: [failed], d: [failed] });
    assert.equal((await withSecondTry('s', ['a', 'b', 'c', 'd'], four[0])).failed, 4);
    const ended = suite({ a: [failed] }, 'was stopped after 1 minutes');
    assert.equal((await withSecondTry('s', ['a'], ended[0])).failed, 1);
    assert.deepEqual([four[1].length, ended[1].length], [1, 1]);
  });
});
