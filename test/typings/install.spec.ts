import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
    write(join(from, 'tsconfig.json'), '{}');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const install = (more: Partial<InstallTypingsOptions> = {}): Promise<TypingsInstallation> =>
    installTypings({ workspace, from, ...more });
  const pi = (path: string): string => join(workspace, '.pi', path);

  it('writes three small files, and nothing the second time', async () => {
    const first = await install();
    assert.deepEqual(first.written, [pi('types/tsconfig.json'), pi('types/.gitignore'), pi('tsconfig.json')]);
    assert.deepEqual([first.kept, first.problems], [[], []]);
    assert.equal(readFileSync(pi('types/.gitignore'), 'utf8'), '*\n');
    const before = statSync(pi('types/tsconfig.json')).mtimeMs;
    const second = await install();
    assert.deepEqual([second.written, second.kept, second.problems], [[], [], []]);
    assert.equal(statSync(pi('types/tsconfig.json')).mtimeMs, before);
  });

  it('follows the extension when that moves, and leaves what the user changed', async () => {
    await install();
    const mine = `${readFileSync(pi('tsconfig.json'), 'utf8')}// mine\n`;
    writeFileSync(pi('tsconfig.json'), mine);
    const moved = join(root, 'extension-2', 'dist', 'typings');
    write(join(moved, 'tsconfig.json'), '{}');
    const again = await install({ from: moved });
    assert.deepEqual(again.written, [pi('types/tsconfig.json')]);
    assert.match(readFileSync(pi('types/tsconfig.json'), 'utf8'), /extension-2/);
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
    assert.match(kept[0].advice, /move yours away/);
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
