import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths.ts';
import { typedHooks } from './editor';

const DIALECTS = ['v1', 'v2', 'tree', 'omp', 'ext', 'pi'];

describe('the types for hook authors', function () {
  this.timeout(120_000);
  const examples = DIALECTS.flatMap(dialect =>
    readdirSync(join(ROOT, 'examples', dialect)).map(name => ({
      source: join('examples', dialect, name),
      // Where such a file would lie.
      path: `.pi/${dialect === 'ext' || dialect === 'pi' ? 'extensions' : 'hooks'}/${dialect}-${name}`,
    })),
  );
  const types = typedHooks(() =>
    Object.fromEntries(examples.map(({ source, path }) => [path, readFileSync(join(ROOT, source), 'utf8')])),
  );

  for (const { source, path } of examples) {
    it(`find nothing wrong with ${source}`, async () => assert.deepEqual((await types()).problems(path), []));
  }
});
