import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  declarePackage,
  forgetPackage,
  switchPart,
  type Declared,
  type PartSwitch,
} from '../../../src/packages/install/settings-entries';
import { packageIdentity, parsePackageSource } from '../../../src/packages/package-source';

describe('declarations of packages', () => {
  let root: string;
  let file: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'hookline-declare-'));
    file = join(root, '.pi', 'settings.json');
    mkdirSync(join(root, '.pi'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const sourceOf = (written: string) => {
    const parsed = parsePackageSource(written, root);
    assert.ok(parsed.ok);
    return parsed.value;
  };
  const about = (written: string): Declared => ({
    identity: packageIdentity(sourceOf(written)),
    scope: 'project',
    places: { agentDir: join(root, 'agent'), cwd: root },
  });
  const declare = (written: string): Promise<void> => declarePackage(about(written), sourceOf(written), written);
  const tools = () => ({ source: sourceOf('npm:tools'), written: 'npm:tools' });
  const turn = (part: Partial<PartSwitch>): Promise<void> =>
    switchPart(about('npm:tools'), tools(), { kind: 'extensions', path: 'extensions/a.ts', to: 'off', ...part });
  const text = (): string => readFileSync(file, 'utf8');
  const entries = (): unknown => (JSON.parse(text()) as { packages: unknown }).packages;
  const begin = (packages: unknown): void => writeFileSync(file, JSON.stringify({ packages }, undefined, 2));

  it('are put at the end, once for each package, with the filters that are there', async () => {
    await declare('npm:tools');
    await declare('npm:tools');
    await declare('git:github.com/team/repo@v1');
    await declare('./local');
    assert.deepEqual(entries(), ['npm:tools', 'git:github.com/team/repo@v1', '../local']);
    begin([{ source: 'npm:tools@1.0.0', skills: [], ofSomebody: true }, 'https://github.com/team/repo']);
    await declare('npm:tools@2.0.0');
    await declare('git:git@github.com:team/repo');
    assert.deepEqual(entries(), [
      { source: 'npm:tools@2.0.0', skills: [], ofSomebody: true },
      'git:git@github.com:team/repo',
    ]);
  });

  it('leave everything else as it is written', async () => {
    writeFileSync(file, '{\r\n  "a": { "b": [1,2] },\r\n  "packages": [ "npm:one" ],\r\n  "z": 1\r\n}\r\n');
    await declare('npm:two');
    await forgetPackage(about('npm:one'));
    assert.deepEqual(entries(), ['npm:two']);
    assert.match(text(), /^\{\r\n {2}"a": \{ "b": \[1,2\] \},\r\n {2}"packages": \[[^]*\],\r\n {2}"z": 1\r\n\}\r\n$/);
    const before = text();
    await forgetPackage(about('npm:three'));
    assert.equal(text(), before);
  });

  it('turn parts off and on by filters, as pi writes them', async () => {
    begin(['npm:other', 'npm:tools']);
    await turn({});
    assert.deepEqual(entries(), ['npm:other', { source: 'npm:tools', extensions: ['-extensions/a.ts'] }]);
    await turn({ path: 'extensions/b.ts' });
    await turn({ to: 'on' });
    assert.deepEqual(entries(), [
      'npm:other',
      { source: 'npm:tools', extensions: ['-extensions/b.ts', '+extensions/a.ts'] },
    ]);
    await turn({ path: 'extensions/a.ts' });
    await turn({ path: 'extensions/a.ts', to: 'on' });
    begin(['npm:other', { source: 'npm:tools', extensions: ['-extensions/a.ts'] }]);
    await turn({ to: 'on' });
    assert.deepEqual(entries(), ['npm:other', 'npm:tools'], 'what has no filter left is a text again');
  });

  it('keep what a list chooses when a part is turned', async () => {
    begin([{ source: 'npm:tools', extensions: [], prompts: ['prompts/*.md'] }]);
    await turn({ to: 'on' });
    await turn({ kind: 'prompts', path: 'prompts/x.md' });
    assert.deepEqual(entries(), [
      { source: 'npm:tools', extensions: ['extensions/a.ts'], prompts: ['prompts/*.md', '-prompts/x.md'] },
    ]);
    await turn({});
    assert.deepEqual((entries() as { extensions: unknown }[])[0]?.extensions, ['extensions/a.ts', '-extensions/a.ts']);
    begin([{ source: 'npm:tools', autoload: false, skills: ['-skills/x/SKILL.md'] }]);
    await turn({ kind: 'skills', path: 'skills/x/SKILL.md', to: 'on' });
    assert.deepEqual(entries(), [{ source: 'npm:tools', autoload: false, skills: ['+skills/x/SKILL.md'] }]);
  });

  it('of a project say only what it wants otherwise than the person', async () => {
    begin([]);
    await turn({});
    assert.deepEqual(entries(), [{ source: 'npm:tools', autoload: false, extensions: ['-extensions/a.ts'] }]);
    const own: Declared = { ...about('npm:tools'), scope: 'user' };
    await assert.rejects(
      switchPart(own, tools(), { kind: 'skills', path: 'x', to: 'off' }),
      /npm:tools is not declared/,
    );
  });
});
