import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../scripts/support/paths.ts';
import { typedHooks } from './editor';

const DOCS = join(ROOT, 'docs');

describe('docs/hooks.md', function () {
  this.timeout(120_000);
  const text = readFileSync(join(DOCS, 'hooks.md'), 'utf8');
  const words = new Set(text.match(/[\w.]+/g));

  const files = codeBlocks();
  const types = typedHooks(() => Object.fromEntries(files));

  it('shows code that compiles, as all pages do', async () => {
    assert.ok(files.length > 3);
    const hooks = await types();
    for (const [path] of files) assert.deepEqual(hooks.problems(path), [], path);
  });

  it('names every event, and every member of pi, ctx and ctx.ui', () => {
    for (const [file, types] of Object.entries({
      'events/listening': ['HookEvents'],
      api: ['HookAPI', 'ExtensionAPI', 'OmpHookAPI', 'Persisting', 'Shared'],
      'context/context': [
        'CommonContext',
        'HookContext',
        'OmpHookContext',
        'ExtensionContext',
        'SessionCommands',
        'CommandText',
      ],
      'ui/ui': ['Dialogs', 'Marks', 'Surroundings', 'HookUIContext'],
      'session/session-manager': ['ReadonlySessionManager', 'ModelRegistry'],
    })) {
      const missing = membersIn(file, types).filter(name => !words.has(name));
      assert.deepEqual(missing, [], file);
    }
  });
});

/** The code in all pages, each block as the file of a hook. */
function codeBlocks(): readonly (readonly [path: string, code: string])[] {
  const pages = ['README.md', ...readdirSync(DOCS).map(name => join('docs', name))].filter(name =>
    name.endsWith('.md'),
  );
  return pages.flatMap(page => {
    const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g);
    return [...blocks].map(
      ([, code = ''], index) => [`.pi/hooks/${page.replace(/\W/g, '-')}-${index}.ts`, code] as const,
    );
  });
}

/** Names that interfaces of a file declare themselves. */
function membersIn(file: string, types: readonly string[]): string[] {
  const path = join(ROOT, 'src', 'hook-typings', `${file}.ts`);
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const found = source.statements
    .filter(statement => ts.isInterfaceDeclaration(statement))
    .filter(({ name }) => types.includes(name.text));
  assert.equal(found.length, types.length, `${file} declares ${types.join()}`);
  return found.flatMap(({ members }) =>
    members.flatMap(({ name }) => (name !== undefined && 'text' in name ? [name.text] : [])),
  );
}
