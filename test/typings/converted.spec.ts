import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { convertHook } from '../../src/hook-authoring/convert/convert-hook';
import { babelFrom } from '../../src/hooks/load/compile/babel';
import { oldExamples, UNCONVERTIBLE, type OldHook } from '../support/converted-hooks';
import { typedHooks } from './editor';

const babel = babelFrom(resolve('node_modules/jiti/dist'));

function converted({ name, text, dialect }: OldHook): string {
  const result = convertHook({ file: `/${name}`, text, babel, dialect });
  assert.ok(result.ok);
  return result.value.text;
}

function pathOf(name: string): string {
  return `.pi/extensions/${name.replaceAll('/', '-').replace(/\.ts$/, '')}.ts`;
}

describe('the types for hook authors, about converted hooks', function () {
  this.timeout(120_000);
  const examples = oldExamples().filter(({ name }) => UNCONVERTIBLE[name] === undefined);
  const types = typedHooks(() => Object.fromEntries(examples.map(hook => [pathOf(hook.name), converted(hook)])));

  it('find nothing wrong with any converted example', async () => {
    const found = await types();
    for (const path of examples.map(({ name }) => pathOf(name))) {
      assert.deepEqual(found.problems(path), [], found.text(path));
    }
  });
});
