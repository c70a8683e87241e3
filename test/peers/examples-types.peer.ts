import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { typedHooks } from '../typings/editor';
import { describePeer, TODAY } from './peers';

/** What cannot compile here, by the file and what the compiler says of it. */
const EXPLAINED: readonly { readonly file: string; readonly says: RegExp; readonly because: string }[] = [
  {
    file: 'custom-provider-anthropic/index.ts',
    says: /Cannot find module '@anthropic-ai\/sdk(\/resources\/messages\.js)?'/,
    because: 'a dependency of the example, which its own package.json installs',
  },
  {
    file: 'gondolin/index.ts',
    says: /Cannot find module '@earendil-works\/gondolin'/,
    because: 'a dependency of the example, which its own package.json installs',
  },
  {
    file: 'with-deps/index.ts',
    says: /Cannot find module 'ms'/,
    because: 'a dependency of the example, which its own package.json installs',
  },
];

describePeer('the types for hook authors, about the examples of pi', TODAY, folder => {
  const examples = join(folder, 'examples', 'extensions');
  const files = globSync('**/*.ts', { cwd: examples, exclude: ['**/node_modules/**'] }).sort();
  const pathOf = (file: string): string => `.pi/extensions/${file}`;
  const types = typedHooks(() =>
    Object.fromEntries(files.map(file => [pathOf(file), readFileSync(join(examples, file), 'utf8')])),
  );
  let problems: readonly { readonly file: string; readonly text: string }[];

  before(async function () {
    this.timeout(240_000);
    const workspace = await types();
    problems = files.flatMap(file => workspace.problems(pathOf(file)).map(text => ({ file, text })));
  });

  it('see all of them', () => {
    assert.equal(readdirSync(examples).filter(name => name !== 'README.md').length, 78);
    assert.ok(files.includes('snake.ts') && files.includes('subagent/index.ts'));
  });

  it('find nothing wrong with them, as strictly as an editor checks, but what is explained', () => {
    const wrong = problems.filter(
      ({ file, text }) => !EXPLAINED.some(each => each.file === file && each.says.test(text)),
    );
    assert.deepEqual(wrong, []);
  });

  it('explain nothing that is no longer so', () => {
    const gone = EXPLAINED.filter(
      ({ file, says }) => !problems.some(problem => problem.file === file && says.test(problem.text)),
    );
    assert.deepEqual(gone, []);
  });
});
