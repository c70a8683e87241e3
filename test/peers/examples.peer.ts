import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describePeer, piToday, TODAY } from './peers';
import { UNLIKE } from './examples-allowed';
import { driveExample, type Driven } from './examples-drive';

describePeer('an example of pi behaves as it does there:', TODAY, folder => {
  const examples = join(folder, 'examples', 'extensions');

  for (const name of namesIn(examples)) {
    it(name, async function () {
      this.timeout(120_000);
      const path = join(examples, name);
      const [pi, ours] = await Promise.all([driveExample(path, piToday(folder)), driveExample(path, {})]);
      const reason = UNLIKE[name];
      if (reason === undefined) assert.deepEqual(ours, pi);
      else assert.notDeepEqual(ours, pi, `it is alike now: "${reason}" no longer holds`);
    });
  }

  it('no difference is named of an example that is not there', () => {
    const names = namesIn(examples);
    assert.deepEqual(
      Object.keys(UNLIKE).filter(name => !names.includes(name)),
      [],
    );
  });
});

/** The examples of a package: files, and folders with an entry or a manifest. */
function namesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => {
      if (!entry.isDirectory()) return entry.name.endsWith('.ts');
      return ['index.ts', 'package.json'].some(file => existsSync(join(folder, entry.name, file)));
    })
    .map(({ name }) => name)
    .sort();
}

export type { Driven };
