import assert from 'node:assert/strict';
import { DIALECTS, exampleHooks } from '../support/example-hooks';
import { typedHooks } from './editor';

describe('the types for hook authors', function () {
  this.timeout(120_000);
  const examples = DIALECTS.flatMap(dialect =>
    exampleHooks(dialect).map(({ name, path, text }) => ({
      source: path,
      text,
      // Where such a file would lie.
      path: `.pi/${dialect === 'ext' || dialect === 'pi' ? 'extensions' : 'hooks'}/${dialect}-${name}`,
    })),
  );
  const types = typedHooks(() => Object.fromEntries(examples.map(({ path, text }) => [path, text])));

  for (const { source, path } of examples) {
    it(`find nothing wrong with ${source}`, async () => assert.deepEqual((await types()).problems(path), []));
  }
});
