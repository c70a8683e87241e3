import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildTypings } from '../../scripts/build/typings.ts';
import { OUT } from '../../scripts/support/paths.ts';

describe('the folder of declarations, all of which is packaged,', function () {
  this.timeout(120_000);

  it('holds declarations and their configuration, and nothing of the build', () => {
    const names = readdirSync(buildTypings({ outdir: join(OUT, 'typings') }), { recursive: true, encoding: 'utf8' });
    const others = names.filter(name => /\.[^/\\]*$/.test(name) && !/(?:\.d\.[cm]?ts|\.json)$/.test(name));
    assert.ok(names.length > 10);
    assert.deepEqual(
      others.filter(name => !/^packages[/\\].*[/\\]?[\w.-]+$/.test(name) || name.includes('.stamp')),
      [],
    );
  });
});
