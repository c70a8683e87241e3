import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../scripts/support/paths.mjs';
import { HookWorkspace } from './editor';

const DOCS = join(ROOT, 'docs');

describe('docs/hooks.md', function () {
  this.timeout(60_000);
  const text = readFileSync(join(DOCS, 'hooks.md'), 'utf8');
  const words = new Set(text.match(/[\w.]+/g));

  it('links only to files and headings that exist', () => {
    const headings = new Set(
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w\s-]/g, '')
          .trim()
          .replaceAll(' ', '-'),
      ),
    );
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    assert.ok(links.length > 30);
    for (const link of links) {
      if (link.startsWith('#')) assert.ok(headings.has(link.slice(1)), link);
      else assert.ok(existsSync(join(DOCS, link)), link);
    }
  });

  it('shows code that compiles', async () => {
    const blocks = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
    assert.ok(blocks.length > 0);
    const files = blocks.map((code, index) => [`.pi/hooks/${index}.ts`, code] as const);
    const workspace = await HookWorkspace.open(Object.fromEntries(files));
    try {
      for (const [path] of files) assert.deepEqual(workspace.problems(path), [], path);
    } finally {
      workspace.close();
    }
  });

  it('names every event, and every member of pi, ctx and ctx.ui', () => {
    for (const [file, types] of Object.entries({
      listening: ['HookEvents'],
      api: ['HookAPI', 'ExtensionAPI', 'OmpHookAPI', 'Persisting', 'Shared'],
      context: ['CommonContext', 'HookContext', 'OmpHookContext', 'ExtensionContext', 'SessionCommands', 'CommandText'],
      ui: ['Dialogs', 'Marks', 'Surroundings', 'HookUIContext'],
      'session-manager': ['ReadonlySessionManager', 'ModelRegistry'],
    })) {
      const missing = membersIn(file, types).filter(name => !words.has(name));
      assert.deepEqual(missing, [], file);
    }
  });
});

/** Names that interfaces of a file declare themselves. */
function membersIn(file: string, types: readonly string[]): string[] {
  const path = join(ROOT, 'src', 'hooks', 'typings', `${file}.ts`);
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest);
  const found = source.statements
    .filter(statement => ts.isInterfaceDeclaration(statement))
    .filter(({ name }) => types.includes(name.text));
  assert.equal(found.length, types.length, `${file} declares ${types.join()}`);
  return found.flatMap(({ members }) =>
    members.flatMap(({ name }) => (name !== undefined && 'text' in name ? [name.text] : [])),
  );
}
