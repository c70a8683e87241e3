import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isExcluded, withheldBy } from '../../../src/vscode/editor-context/withheld';

describe('a text of the editor is sent by itself', () => {
  let root: string;
  let folder: string;

  const write = (path: string, text = 'x\n'): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const reason = (path: string, excludes: unknown = {}): Promise<string | undefined> =>
    withheldBy({ path: join(folder, path), folder, excludes });

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline withheld ü '));
    folder = join(root, 'work');
    write('.gitignore', '*.log\n/out/\n!keep.log\n');
    write('src/.gitignore', 'generated/\n!local.log\n');
    for (const path of ['src/a.ts', 'a.log', 'keep.log', 'out/b.js', 'src/out/c.js']) write(path);
    for (const path of ['src/generated/d.ts', 'src/local.log', '.env', 'docs/.env.example']) write(path);
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const EXPECTED = {
    'src/a.ts': undefined,
    'a.log': 'gitignore',
    'keep.log': undefined,
    'out/b.js': 'gitignore',
    'src/out/c.js': undefined,
    'src/generated/d.ts': 'gitignore',
    'src/local.log': undefined,
    'src/gone.log': 'gitignore',
    'gone/x.log': 'gitignore',
    'gone/x.ts': undefined,
    '.env': 'secret',
    'docs/.env.example': undefined,
  } as const;

  for (const place of ['a repository', 'a folder without one'] as const) {
    it(`unless .gitignore excludes it, in ${place}`, async () => {
      if (place === 'a repository') execFileSync('git', ['init', '-q'], { cwd: folder });
      for (const [path, expected] of Object.entries(EXPECTED)) assert.equal(await reason(path), expected, path);
    });
  }

  it('although a pattern fits it, if git tracks the file', async () => {
    execFileSync('git', ['init', '-q'], { cwd: folder });
    execFileSync('git', ['add', '-f', 'a.log'], { cwd: folder });
    assert.equal(await reason('a.log'), undefined);
  });

  it('unless it is outside of the workspace, also behind a link', async () => {
    writeFileSync(join(root, 'outside.ts'), 'x');
    symlinkSync(join(root, 'outside.ts'), join(folder, 'inside.ts'));
    const path = join(root, 'outside.ts');
    assert.equal(await withheldBy({ path, folder, excludes: {} }), 'outside');
    assert.equal(await withheldBy({ path, folder: undefined, excludes: {} }), 'outside');
    assert.equal(await reason('inside.ts'), 'outside');
  });

  it('unless a link leads to secrets', async () => {
    symlinkSync(join(folder, '.env'), join(folder, 'settings.txt'));
    assert.equal(await reason('settings.txt'), 'secret');
  });

  it('unless the workspace is a folder of secrets, is in one, or is named as one', async () => {
    const excludes = {};
    for (const place of ['.ssh', '.aws/sso']) {
      const secrets = join(root, place);
      mkdirSync(secrets, { recursive: true });
      writeFileSync(join(secrets, 'known'), 'x');
      assert.equal(await withheldBy({ excludes, path: join(secrets, 'known'), folder: secrets }), 'secret', place);
    }
    symlinkSync(join(root, '.ssh'), join(root, 'keys'));
    const linked = join(root, 'keys');
    assert.equal(await withheldBy({ excludes, path: join(linked, 'known'), folder: linked }), 'secret');
    symlinkSync(folder, join(root, '.kube'));
    const named = join(root, '.kube');
    assert.equal(await withheldBy({ excludes, path: join(named, 'src/a.ts'), folder: named }), 'secret');
  });

  for (const place of ['a repository', 'a folder without one'] as const) {
    it(`unless .gitignore excludes the link or what it leads to, in ${place}`, async () => {
      if (place === 'a repository') execFileSync('git', ['init', '-q'], { cwd: folder });
      symlinkSync(join(folder, 'a.log'), join(folder, 'notes.txt'));
      symlinkSync(join(folder, 'src/generated'), join(folder, 'linked'));
      symlinkSync(join(folder, 'src/a.ts'), join(folder, 'out/link.ts'));
      symlinkSync(join(folder, 'src/a.ts'), join(folder, 'same.ts'));
      assert.equal(await reason('notes.txt'), 'gitignore');
      assert.equal(await reason('linked/d.ts'), 'gitignore');
      assert.equal(await reason('out/link.ts'), 'gitignore');
      assert.equal(await reason('same.ts'), undefined);
    });
  }

  it('unless files.exclude hides the link or what it leads to', async () => {
    const excludes = { '**/notes': true, '**/*.js': { when: '$(basename).ts' }, shown: true };
    write('notes/guide.md');
    write('src/a.js');
    symlinkSync(join(folder, 'notes/guide.md'), join(folder, 'guide.md'));
    symlinkSync(join(folder, 'notes'), join(folder, 'manual'));
    symlinkSync(join(folder, 'src/a.js'), join(folder, 'made.txt'));
    symlinkSync(join(folder, 'src'), join(folder, 'shown'));
    for (const path of ['guide.md', 'manual/guide.md', 'made.txt', 'shown/a.ts']) {
      assert.equal(await reason(path, excludes), 'exclude', path);
    }
    assert.equal(await reason('src/a.ts', excludes), undefined);
  });

  it('from a folder that is a link itself', async () => {
    symlinkSync(folder, join(root, 'link'));
    const linked = join(root, 'link');
    assert.equal(await withheldBy({ path: join(linked, 'src/a.ts'), folder: linked, excludes: {} }), undefined);
  });

  it('unless files.exclude hides it', async () => {
    const excludes = { '**/docs': true, 'src/*.ts': false, '**/*.js': { when: '$(basename).ts' } };
    assert.equal(await reason('docs/.env.example', excludes), 'exclude');
    assert.equal(await reason('src/a.ts', excludes), undefined);
    write('src/a.js');
    write('src/alone.js');
    assert.equal(await reason('src/a.js', excludes), 'exclude');
    assert.equal(await reason('src/alone.js', excludes), undefined);
  });

  it('although patterns of files.exclude cannot be read', () => {
    for (const excludes of [undefined, null, 'x', { '{a': true }, { a: null }]) {
      assert.equal(
        isExcluded('a', excludes, () => true),
        false,
        JSON.stringify(excludes),
      );
    }
    assert.equal(
      isExcluded('a/b.txt', { 'a/': true }, () => true),
      true,
    );
    assert.equal(
      isExcluded('sub/b.txt', { '*.txt': true }, () => true),
      false,
    );
  });
});
