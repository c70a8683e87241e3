import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { convertHook } from '../../src/hook-authoring/convert/convert-hook';
import { babelFrom } from '../../src/hooks/load/babel';
import { OLD_SEEDS, oldExamples, oldSeed, UNCONVERTIBLE, type OldHook } from '../support/converted-hooks';
import { seedIt } from '../support/seeds';
import { HookWorkspace } from './editor';

const babel = babelFrom(resolve('node_modules/jiti/dist'));

/** Complaints that are right about the document's own text, before and after. */
const RIGHT: Readonly<Record<string, RegExp>> = {
  'tree-context-pruning': /'data' does not exist on type 'SessionEntry'|implicitly has an 'any' type/,
  'tree-custom-component': /Expected 0 arguments, but got 3/,
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
  const seeds = OLD_SEEDS.filter(({ id }) => UNCONVERTIBLE[id] === undefined);
  let workspace: HookWorkspace | undefined;

  const open = async (hooks: readonly OldHook[]): Promise<HookWorkspace> =>
    (workspace = await HookWorkspace.open(Object.fromEntries(hooks.map(hook => [pathOf(hook.name), converted(hook)]))));
  afterEach(() => {
    workspace?.close();
    workspace = undefined;
  });

  it('find nothing wrong with any converted example', async () => {
    const types = await open(examples);
    for (const hook of examples) assert.deepEqual(types.problems(pathOf(hook.name)), [], converted(hook));
  });

  seedIt('find nothing wrong with any converted hook of the documents', async () => {
    const hooks = seeds.map(({ id }): OldHook => ({
      name: `${id}.ts`,
      text: oldSeed(id).replace(/^export default function \(pi\)/m, 'export default function (pi: any)'),
    }));
    const types = await open(hooks);
    for (const hook of hooks) {
      const right = RIGHT[hook.name.replace(/\.ts$/, '')];
      const wrong = types.problems(pathOf(hook.name)).filter(problem => right?.test(problem) !== true);
      assert.deepEqual(wrong, [], converted(hook));
    }
  });
});
