import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { installTypings, type InstallTypingsOptions, type TypingsInstallation } from '../../src/hook-typings/install';

describe('installing the types for hooks', () => {
  let root: string;
  let workspace: string;
  let from: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline install ä '));
    workspace = join(root, 'work');
    from = join(root, 'extension-1', 'dist', 'typings');
    build(from, '1');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const install = (more: Partial<InstallTypingsOptions> = {}): Promise<TypingsInstallation> =>
    installTypings({ workspace, from, ...more });
  const pi = (path: string): string => join(workspace, '.pi', path);

  it('copies the types and writes two small files, and nothing the second time', async () => {
    const first = await install();
    assert.deepEqual(first.written, [pi('types/tsconfig.json'), pi('types/.gitignore'), pi('tsconfig.json')]);
    assert.deepEqual([first.kept, first.problems], [[], []]);
    assert.match(readFileSync(pi('types/.gitignore'), 'utf8'), /^\*$/m);
    assert.equal(readFileSync(pi('types/hookline/api.d.ts'), 'utf8'), 'export type Version = 1;\n');
    const before = statSync(pi('types/tsconfig.json')).mtimeMs;
    const second = await install();
    assert.deepEqual([second.written, second.kept, second.problems], [[], [], []]);
    assert.equal(statSync(pi('types/tsconfig.json')).mtimeMs, before);
  });

  it('names no place on this machine', async () => {
    const agentDir = join(root, 'home', '.pi', 'agent');
    for (const file of (await install({ agentDir })).written) {
      assert.ok(!readFileSync(file, 'utf8').includes(root.replaceAll('\\', '/')), file);
    }
  });

  it('follows an update of the extension, and leaves what the user changed', async () => {
    await install();
    rmSync(pi('types/.gitignore'));
    const mine = `${readFileSync(pi('tsconfig.json'), 'utf8')}// mine\n`;
    writeFileSync(pi('tsconfig.json'), mine);
    const moved = join(root, 'extension-2', 'dist', 'typings');
    build(moved, '2');
    const again = await install({ from: moved });
    assert.deepEqual(again.written, [pi('types/tsconfig.json')]);
    assert.equal(readFileSync(pi('types/hookline/api.d.ts'), 'utf8'), 'export type Version = 2;\n');
    assert.ok(!existsSync(pi('types/hookline/only-1.d.ts')), 'what is no longer there went');
    assert.ok(!existsSync(pi('types/.gitignore')), 'the types stay in git');
    assert.equal(readFileSync(pi('tsconfig.json'), 'utf8'), mine);
    assert.deepEqual(again.kept, []);
  });

  it('never writes over a tsconfig.json of the user, and says what to add', async () => {
    write(pi('tsconfig.json'), '{ "compilerOptions": {} }');
    write(pi('hooks/tsconfig.json'), '{}');
    const { written, kept } = await install();
    assert.deepEqual(written, [pi('types/tsconfig.json'), pi('types/.gitignore')]);
    assert.deepEqual(kept, [
      { file: pi('hooks/tsconfig.json'), advice: 'Add "extends": "../types/tsconfig.json" to it.' },
      { file: pi('tsconfig.json'), advice: 'Add "extends": "./types/tsconfig.json" to it.' },
    ]);
    assert.equal(readFileSync(pi('tsconfig.json'), 'utf8'), '{ "compilerOptions": {} }');
  });

  it('is content with a tsconfig.json that leads to the types', async () => {
    write(pi('tsconfig.json'), '{ "extends": ["./types/tsconfig.json", "../base.json"] }');
    assert.deepEqual((await install()).kept, []);
  });

  it('never writes over types/tsconfig.json of somebody else', async () => {
    write(pi('types/tsconfig.json'), '{}');
    const { kept } = await install();
    assert.equal(kept[0]?.file, pi('types/tsconfig.json'));
    assert.match(kept[0].advice, /move your file/);
    assert.equal(readFileSync(pi('types/tsconfig.json'), 'utf8'), '{}');
  });

  it('sets up the global hooks and those of oh-my-pi, too', async () => {
    const agentDir = join(root, 'home', '.pi', 'agent');
    mkdirSync(join(workspace, '.omp', 'hooks', 'pre'), { recursive: true });
    const { written } = await install({ agentDir });
    assert.ok(written.includes(join(agentDir, 'tsconfig.json')));
    assert.ok(written.includes(join(agentDir, 'types', 'tsconfig.json')));
    assert.match(readFileSync(join(workspace, '.omp', 'tsconfig.json'), 'utf8'), /"\.\.\/\.pi\/types\/tsconfig\.json"/);
  });

  it('replaces the pointer of an older version, and completes an interrupted copy', async () => {
    write(
      pi('types/tsconfig.json'),
      '// Written by Hookline (_Install Hook Types_).\n{ "extends": "/old/tsconfig.json" }',
    );
    assert.deepEqual((await install()).kept, []);
    assert.doesNotMatch(readFileSync(pi('types/tsconfig.json'), 'utf8'), /extends/);
    rmSync(pi('types/tsconfig.json'));
    rmSync(pi('types/hookline/api.d.ts'));
    await install();
    assert.ok(existsSync(pi('types/hookline/api.d.ts')));
  });

  it('says so when the installation lacks the types, and writes nothing', async () => {
    const { written, problems } = await install({ from: join(root, 'nowhere') });
    assert.deepEqual(written, []);
    assert.match(problems[0]?.message ?? '', /missing from this installation/);
  });

  it('tells of a folder that cannot be written, by name', async () => {
    write(join(workspace, '.pi'), 'a file, not a folder');
    const { problems } = await install();
    assert.equal(problems[0]?.file, join(workspace, '.pi'));
    assert.match(problems[0].message, /could not be set up: E/);
  });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Declarations as a version of the extension has them. */
function build(from: string, version: string): void {
  write(join(from, 'tsconfig.json'), '{}');
  write(join(from, '.stamp'), version);
  write(join(from, 'hookline', 'api.d.ts'), `export type Version = ${version};\n`);
  write(join(from, 'hookline', `only-${version}.d.ts`), '');
}
