import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { convertHook } from '../../src/hook-authoring/convert/convert-hook';
import { babelFrom } from '../../src/hooks/load/compile/babel';
import { OLD_SEEDS, oldExamples, oldSeed, UNCONVERTIBLE, type OldHook } from '../support/converted-hooks';
import { seedIt } from '../support/seeds';
import { typedHooks } from './editor';

const babel = babelFrom(resolve('node_modules/jiti/dist'));

/** Complaints that are right about the document's own text, before and after. */
const RIGHT: Readonly<Record<string, RegExp>> = {
  'documents/tree-context-pruning.ts': /'data' does not exist on type 'SessionEntry'|implicitly has an 'any' type/,
  'documents/tree-custom-component.ts': /Expected 0 arguments, but got 3/,
};

function converted({ name, text, dialect }: OldHook): string {
  const result = convertHook({ file: `/${name}`, text, babel, ...(dialect === undefined ? {} : { dialect }) });
  assert.ok(result.ok);
  return result.value.text;
}

function pathOf(name: string): string {
  return `.pi/extensions/${name.replaceAll('/', '-').replace(/\.ts$/, '')}.ts`;
}

describe('the types for hook authors, about converted hooks', function () {
  this.timeout(120_000);
  const examples = oldExamples().filter(({ name }) => UNCONVERTIBLE[name] === undefined);
  const typesOfExamples = typedHooks(() => files(examples));
  const typesOfSeeds = typedHooks(() => files(convertibleSeeds()));

  it('find nothing wrong with any converted example', async () => {
    const types = await typesOfExamples();
    for (const path of examples.map(({ name }) => pathOf(name))) {
      assert.deepEqual(types.problems(path), [], types.text(path));
    }
  });

  seedIt('find nothing wrong with any converted hook of the documents', async () => {
    const types = await typesOfSeeds();
    for (const { name } of convertibleSeeds()) {
      const right = RIGHT[name];
      const wrong = types.problems(pathOf(name)).filter(problem => right?.test(problem) !== true);
      assert.deepEqual(wrong, [], types.text(pathOf(name)));
    }
  });
});

function files(hooks: readonly OldHook[]): Record<string, string> {
  return Object.fromEntries(hooks.map(hook => [pathOf(hook.name), converted(hook)]));
}

function convertibleSeeds(): readonly OldHook[] {
  return OLD_SEEDS.filter(({ id }) => UNCONVERTIBLE[id] === undefined).map(({ id }) => ({
    name: `documents/${id}.ts`,
    text: oldSeed(id).replace(/^export default function \(pi\)/m, 'export default function (pi: any)'),
  }));
}
