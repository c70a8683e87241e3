import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DeclaredPackage } from '../../../src/packages/declared';
import { readInstalled, type InstalledPackage } from '../../../src/packages/installed';
import { claimsOf } from '../../../src/packages/approval/approval-file';
import type { PackagePreview } from '../../../src/package-preview/read/preview';
import type { Previewer } from '../../../src/package-preview/previewer';
import {
  approvePreviewed,
  approveStaged,
  previewInstalled,
  type PreviewedPackage,
} from '../../../src/package-preview/review';
import type { Releases } from '../../../src/packages/install/release-facts';
import type { EarlyLook } from '../../../src/packages/approval/early-looks';
import { packageContent } from '../../../src/packages/approval/package-content';
import { approvable, PackageApproval } from '../../../src/packages/approval/package-approval';
import type { Claim } from '../../../src/packages/approval/claim';
import { claimChanges, mergedClaims } from '../../../src/packages/approval/claim';

const CLAIMS: readonly Claim[] = [{ kind: 'tool', name: 'draw', places: [{ file: 'index.ts', line: 1 }] }];

describe('approval of packages', () => {
  let root = '';
  let approval: PackageApproval;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'approval-'));
    approval = new PackageApproval({ agentDir: join(root, 'agent'), howTo: 'run with --approve-packages' });
    await write('npm/node_modules/acme/package.json', JSON.stringify({ version: '1.0.0', dependencies: { dep: '1' } }));
    await write('npm/node_modules/acme/extensions/index.ts', 'export default () => undefined;\n');
    await write('npm/node_modules/dep/package.json', JSON.stringify({ version: '1.0.0' }));
    await write('npm/node_modules/dep/index.js', '');
  });
  afterEach(async () => {
    approval.dispose();
    await rm(root, { recursive: true, force: true });
  });

  async function write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }

  async function installed(type: 'npm' | 'local' = 'npm', name = 'acme'): Promise<InstalledPackage> {
    const folder = join(root, 'npm/node_modules', name);
    const declared: DeclaredPackage = {
      written: type === 'npm' ? `npm:${name}` : folder,
      source: type === 'npm' ? { type, name } : { type, path: folder },
      identity: `${type}:${name}`,
      scope: 'user',
      folder,
      choice: { type: 'all' },
    };
    const read = await readInstalled(declared);
    assert.ok(!('problem' in read));
    return read;
  }

  async function verdict(type: 'npm' | 'local' = 'npm'): Promise<string> {
    const told = await approval.verdictOn(await installed(type));
    return told.type === 'held' ? `${told.reason}: ${told.why}` : told.type;
  }

  async function approve(): Promise<void> {
    await approval.approve(approvable(await installed()), CLAIMS);
  }

  it('holds a package until it is approved, and says how', async () => {
    assert.equal(await verdict(), 'new: it is not approved yet; run with --approve-packages');
    let changes = 0;
    approval.onDidChange(() => changes++);
    await approve();
    assert.equal(await verdict(), 'runs');
    assert.equal(changes, 1);
  });

  it('uses an early look only when that found approved files', async () => {
    const looks: EarlyLook[] = [];
    const early = new PackageApproval({
      agentDir: join(root, 'agent'),
      howTo: '',
      takeEarlyLook: () => Promise.resolve(looks.shift()),
    });
    const verdict = async (look: EarlyLook | undefined): Promise<string> => {
      if (look !== undefined) looks.push(look);
      return (await early.verdictOn(await installed())).type;
    };
    await approve();
    const { folder } = (await installed()).declared;
    const dependencies = ['dep'];
    const at = 0;
    const { signature } = await packageContent(folder, dependencies);
    await write('npm/node_modules/acme/extensions/index.ts', 'changed');
    assert.equal(await verdict({ folder, dependencies, signature, at }), 'runs', 'the look was made before the change');
    assert.equal(await verdict({ folder, dependencies: [], signature, at }), 'held', 'not all dependencies');
    assert.equal(await verdict({ folder, dependencies, signature: 'other', at }), 'held');
    assert.equal(await verdict(undefined), 'held');
    await write('npm/node_modules/acme/extensions/index.ts', 'export default () => undefined;\n');
    assert.equal(
      await verdict({ folder, dependencies, signature: 'other', at }),
      'runs',
      'a look now finds the same bytes',
    );
    early.dispose();
  });

  it('lets local packages run: they follow the rules of hook files', async () => {
    assert.equal(await verdict('local'), 'runs');
  });

  const changes: readonly (readonly [what: string, change: () => Promise<void>])[] = [
    ['a file', () => write('npm/node_modules/acme/extensions/index.ts', 'export default () => 1;\n')],
    ['a new file', () => write('npm/node_modules/acme/extensions/more.ts', '')],
    ['a file of a dependency', () => write('npm/node_modules/dep/index.js', 'globalThis.x = 1;')],
    ['its version', () => write('npm/node_modules/acme/package.json', JSON.stringify({ version: '1.0.1' }))],
    [
      'a file that got its old time back',
      async () => {
        const old = new Date(1_000_000_000_000);
        const file = 'npm/node_modules/acme/extensions/index.ts';
        await write(file, 'export default () => undefinec;\n');
        await utimes(join(root, file), old, old);
      },
    ],
    [
      'a renamed file',
      () =>
        rename(
          join(root, 'npm/node_modules/acme/extensions/index.ts'),
          join(root, 'npm/node_modules/acme/extensions/index2.ts'),
        ),
    ],
  ];
  for (const [what, change] of changes) {
    it(`holds it again after a change of ${what}`, async () => {
      const old = new Date(1_000_000_000_000);
      await utimes(join(root, 'npm/node_modules/acme/extensions/index.ts'), old, old);
      await approve();
      assert.equal(await verdict(), 'runs');
      await change();
      assert.match(
        await verdict(),
        what === 'its version' ? /^changed: this version is not/ : /^changed: its files were/,
      );
    });
  }

  it('holds it again after a change of a package that it needs if that is there', async () => {
    const manifest = { version: '1.0.0', optionalDependencies: { dep: '1' } };
    await write('npm/node_modules/acme/package.json', JSON.stringify(manifest));
    await approval.approve(approvable(await installed()), CLAIMS);
    assert.equal(await verdict(), 'runs');
    await write('npm/node_modules/dep/index.js', 'changed();\n');
    assert.match(await verdict(), /its files were changed since it was approved/);
  });

  it('holds it again after a change of any of the many files in a folder', async () => {
    const names = Array.from({ length: 1200 }, (_each, index) => `npm/node_modules/acme/many/${index}.js`);
    await Promise.all(names.map(name => write(name, '')));
    await write('npm/node_modules/acme/many/last/deep.js', '');
    await approve();
    for (const name of [names[0]!, names[600]!, names[1199]!, 'npm/node_modules/acme/many/last/deep.js']) {
      assert.equal(await verdict(), 'runs', name);
      await write(name, 'changed();');
      assert.match(await verdict(), /^changed/, name);
      await write(name, '');
    }
  }).timeout(180_000);

  it('holds a package that needs too many others to look at', async () => {
    const names = Array.from({ length: 2001 }, (_each, index) => `many-${index}`);
    const dependencies = Object.fromEntries(names.map(name => [name, '1']));
    await write('npm/node_modules/acme/package.json', JSON.stringify({ version: '1.0.0', dependencies }));
    for (const name of names) await write(`npm/node_modules/${name}/index.js`, '');
    assert.match(await verdict(), /its files cannot be read: .*acme needs more than 2000 packages/);
  });

  it('knows files that were written again, and a version that comes back', async () => {
    await approve();
    const before = await readFile(approval.file.path, 'utf8');
    await write('npm/node_modules/acme/extensions/index.ts', 'export default () => undefined;\n');
    assert.equal(await verdict(), 'runs');
    assert.notEqual(await readFile(approval.file.path, 'utf8'), before, 'the new state of the files is remembered');
    await write('npm/node_modules/acme/extensions/index.ts', 'export default () => 2;\n');
    assert.match(await verdict(), /^changed/);
    await approve();
    await write('npm/node_modules/acme/extensions/index.ts', 'export default () => undefined;\n');
    assert.equal(await verdict(), 'runs');
  });

  it('approves only what the preview showed', async () => {
    const found = await installed();
    const preview = { folder: found.declared.folder, claims: CLAIMS } as unknown as PackagePreview;
    const previewer = {
      preview: async () => {
        await write('npm/node_modules/acme/extensions/index.ts', 'export default () => 2;\n');
        return preview;
      },
    } as unknown as Previewer;
    const releases = { factsOf: () => Promise.resolve({}) } as unknown as Releases;
    const look = (): Promise<PreviewedPackage> =>
      previewInstalled(found, { previewer, releases }, new AbortController().signal);
    const changed = { message: 'acme was changed while you looked at its preview. Review it again.' };
    await assert.rejects(approvePreviewed(await look(), approval), changed);
    assert.match(await verdict(), /^new/);
    previewer.preview = () => Promise.resolve(preview);
    await approvePreviewed(await look(), approval);
    assert.equal(await verdict(), 'runs');
  });

  it('approves a downloaded package as it is then, and not what has its place meanwhile', async () => {
    await rename(join(root, 'npm'), join(root, 'staged'));
    await write('npm/node_modules/acme/package.json', JSON.stringify({ version: '1.0.0' }));
    const folder = join(root, 'staged/node_modules/acme');
    const source = { type: 'npm', name: 'acme' } as const;
    const staged = { written: 'npm:acme', source, scope: 'user', folder, replaces: undefined, scripts: [] } as const;
    await approveStaged([staged], new Map(), approval);
    assert.match(await verdict(), /^new/);
    await write('staged/node_modules/acme/built.js', '1');
    const agreed = new Map([[folder, CLAIMS]]);
    await approveStaged([staged], agreed, approval);
    assert.equal(agreed.size, 0);
    assert.match(await verdict(), /^changed/);
    await rm(join(root, 'npm'), { recursive: true });
    await rename(join(root, 'staged'), join(root, 'npm'));
    assert.equal(await verdict(), 'runs');
    await write('npm/node_modules/acme/built.js', '2');
    assert.match(await verdict(), /^changed/);
  });

  it('approves everything where that was asked for, with what the preview says', async () => {
    const asked: string[] = [];
    const generous = new PackageApproval({
      agentDir: join(root, 'agent'),
      howTo: '',
      approvesWith: ({ name }) => {
        asked.push(name);
        return Promise.resolve(CLAIMS);
      },
    });
    assert.equal((await generous.verdictOn(await installed())).type, 'runs');
    generous.dispose();
    assert.deepEqual([asked, await verdict()], [['acme'], 'runs']);
    const before = await approval.approvedBefore('npm:acme');
    assert.deepEqual(
      before?.claims.map(({ kind, name }) => `${kind} ${name}`),
      ['tool draw'],
    );
  });

  it('turns a package off whether approved or local, for all who share the file', async () => {
    await approve();
    await approval.turn('npm:acme', 'off');
    await approval.turn('local:acme', 'off');
    assert.deepEqual([await verdict(), await verdict('local')], ['off', 'off']);
    const other = new PackageApproval({ agentDir: join(root, 'agent'), howTo: '' });
    assert.deepEqual(await other.verdictOn(await installed()), { type: 'off' });
    other.dispose();
    await approval.turn('npm:acme', 'on');
    assert.equal(await verdict(), 'runs');
  });

  it('lets nothing run while the file is damaged, names it, and keeps every byte of it', async () => {
    await approve();
    await approval.turn('local:acme', 'off');
    const { path } = approval.file;
    const whole = await readFile(path, 'utf8');
    const damages: readonly (readonly [text: string, message: RegExp])[] = [
      ['{"approved": {', /packages\.json cannot be used.*not JSON/],
      ['{"approved": {"npm:acme": [{"hash": 1}]}}', /packages\.json cannot be used.*approved\.npm:acme\.0/],
      ['[]', /packages\.json cannot be used/],
    ];
    for (const [text, message] of damages) {
      await writeFile(path, text);
      for (const type of ['npm', 'local'] as const) {
        assert.match(await verdict(type), /^unreadable: it is not known whether you turned it off.*packages\.json/);
      }
      assert.match(approval.problems[0]?.message ?? '', message);
      await assert.rejects(approve(), message);
      await assert.rejects(approval.turn('npm:acme', 'off'), message);
      assert.equal(await readFile(path, 'utf8'), text);
    }
    assert.deepEqual(await readdir(dirname(path)), ['packages.json']);
    await writeFile(path, whole);
    assert.deepEqual([await verdict(), await verdict('local')], ['runs', 'off']);
    assert.deepEqual(approval.problems, []);
  });

  it('lets nothing run that may be off when everything would be approved', async () => {
    await write('agent/hookline/packages.json', '{');
    const generous = new PackageApproval({
      agentDir: join(root, 'agent'),
      howTo: '',
      approvesWith: () => Promise.resolve(CLAIMS),
    });
    assert.equal((await generous.verdictOn(await installed())).type, 'held');
    generous.dispose();
  });

  it('keeps what newer versions wrote', async () => {
    await write(
      'agent/hookline/packages.json',
      JSON.stringify({
        later: { x: 1 },
        approved: { 'npm:other': [{ hash: 'a', approvedAt: '', claims: [{ kind: 'aura', name: 'x' }], more: true }] },
      }),
    );
    await approve();
    const content = JSON.parse(await readFile(approval.file.path, 'utf8')) as Record<string, unknown>;
    assert.deepEqual(content['later'], { x: 1 });
    assert.match(JSON.stringify(content), /"kind":"aura".*"more":true/);
    assert.deepEqual((await approval.approvedBefore('npm:other'))?.claims, []);
  });
});

describe('claims of an approved version', () => {
  it('are read under the names of today', () => {
    const stored = (name: string, kind = 'hidden') => ({ kind, name });
    const claims = claimsOf({
      hash: 'a',
      approvedAt: '',
      claims: [
        stored('runs text as code'),
        stored('outsideLink'),
        stored('puts together the name of a module: net'),
        stored('something of a later version'),
        stored('net', 'module'),
      ],
    });
    assert.deepEqual(
      claims.map(({ kind, name }) => `${kind} ${name}`),
      ['hidden codeFromText', 'hidden outsideLink', 'piecedModule net', 'module net'],
    );
  });
});

describe('claims of packages', () => {
  const claim = (kind: Exclude<Claim['kind'], 'hidden'>, name: string, line: number, detail?: string): Claim => ({
    ...{ kind, name },
    places: [{ file: 'a.ts', line }],
    ...(detail === undefined ? {} : { detail }),
  });

  it('says what an update adds and takes away, wherever it stands now', () => {
    const before = [claim('host', 'a.test', 1), claim('module', 'fs', 2), claim('event', 'input', 3)];
    const after = [claim('host', 'b.test', 1), claim('module', 'fs', 9, 'rm'), claim('gate', 'input', 3)];
    const { added, removed } = claimChanges(before, after);
    const names = (claims: readonly Claim[]): readonly string[] => claims.map(({ kind, name }) => `${kind} ${name}`);
    assert.deepEqual(
      [names(added), names(removed)],
      [
        ['host b.test', 'gate input'],
        ['host a.test', 'event input'],
      ],
    );
  });

  it('joins what is said several times, gates first', () => {
    const merged = mergedClaims([
      claim('module', 'fs', 1, 'readFile'),
      claim('module', 'fs', 1, 'rm; readFile'),
      claim('module', 'fs', 4),
      claim('gate', 'tool_call', 2),
    ]);
    assert.deepEqual(merged, [
      claim('gate', 'tool_call', 2),
      {
        kind: 'module',
        name: 'fs',
        detail: 'readFile; rm',
        places: [
          { file: 'a.ts', line: 1 },
          { file: 'a.ts', line: 4 },
        ],
      },
    ]);
  });
});
