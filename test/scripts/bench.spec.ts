import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { OUT, ROOT } from '../../scripts/support/paths.ts';

describe('the bench', function () {
  this.timeout(120_000);
  const out = join(OUT, `bench-under-test-${process.pid}`);
  after(() => rmSync(out, { recursive: true, force: true }));

  it('builds and loads all benchmarks, and names a row that none of them has', () => {
    const { status, stderr } = spawnSync(process.execPath, ['scripts/bench.ts', '--row', 'no such row'], {
      cwd: ROOT,
      env: { ...process.env, HOOKLINE_OUT: out },
      encoding: 'utf8',
    });
    assert.match(stderr, /no row has "no such row" in its name/);
    assert.equal(status, 1);
    const sources = readdirSync(join(ROOT, 'test', 'bench')).filter(name => name.endsWith('.bench.ts'));
    const built = readdirSync(join(out, 'bench'));
    for (const name of sources) assert.ok(built.includes(name.replace(/\.ts$/, '.js')), name);
  });
});
