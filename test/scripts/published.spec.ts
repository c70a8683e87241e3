import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { ROOT } from '../../scripts/support/paths.ts';
import { publishedManifest, repositoryAddress, type Manifest } from '../../scripts/support/published';
import { packVsix } from '../../scripts/support/vsix';

const REPOSITORY = 'https://git.example.org/owner/hook.line';

describe('what is published', () => {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

  it('has a manifest that leads to the repository and holds nothing of development', () => {
    const manifest = { ...publishedManifest(own, REPOSITORY) } as Manifest;
    assert.deepEqual(manifest['repository'], { type: 'git', url: `${REPOSITORY}.git` });
    assert.equal(manifest['homepage'], `${REPOSITORY}#readme`);
    assert.deepEqual(manifest['bugs'], { url: `${REPOSITORY}/issues` });
    for (const name of ['private', 'scripts', 'dependencies', 'devDependencies', 'optionalDependencies', 'overrides']) {
      assert.ok(name in own, `package.json has "${name}"`);
      assert.ok(!(name in manifest), name);
    }
  });

  it('keeps all that VS Code reads and the gallery shows', () => {
    const manifest = { ...publishedManifest(own, REPOSITORY) } as Manifest;
    for (const name of [
      ...['name', 'displayName', 'description', 'version', 'publisher', 'license', 'type', 'engines', 'main', 'l10n'],
      ...['extensionKind', 'categories', 'keywords', 'icon', 'galleryBanner', 'activationEvents', 'capabilities'],
      'contributes',
    ]) {
      assert.deepEqual(manifest[name], own[name], name);
      assert.notEqual(own[name], undefined, name);
    }
  });

  for (const given of [REPOSITORY, `${REPOSITORY}/`, `${REPOSITORY}.git`, `${REPOSITORY}.git/`]) {
    it(`takes the address ${given}`, () => assert.equal(repositoryAddress(given), REPOSITORY));
  }

  for (const given of [
    '',
    'owner/name',
    'http://git.example.org/owner/name',
    'https://git.example.org/name',
    'https://a/b/c?d',
  ]) {
    it(`refuses the address "${given}"`, () => {
      assert.throws(() => repositoryAddress(given), /--repository takes an address such as/);
    });
  }

  it('has pages whose links and pictures lead to the repository, and without one stay as written', function () {
    this.timeout(60_000);
    const folder = mkdtempSync(join(tmpdir(), 'hookline published '));
    try {
      mkdirSync(join(folder, 'x'));
      const manifest = { name: 'x', publisher: 'p', version: '1.0.0', engines: { vscode: '^1.106.0' }, license: 'MIT' };
      writeFileSync(join(folder, 'x', 'package.json'), JSON.stringify(manifest));
      writeFileSync(join(folder, 'x', 'README.md'), '![A](docs/images/a.png) [cli](docs/cli.md) [out](https://x.org/)');
      const vsix = join(folder, 'x.vsix');
      const page = (repository?: string): string => {
        packVsix({ folder: join(folder, 'x'), vsix, ...(repository === undefined ? {} : { repository }) });
        return fileInZip(readFileSync(vsix), 'extension/readme.md');
      };
      assert.equal(
        page(REPOSITORY),
        `![A](${REPOSITORY}/raw/HEAD/docs/images/a.png) [cli](${REPOSITORY}/blob/HEAD/docs/cli.md) [out](https://x.org/)`,
      );
      assert.equal(page(), '![A](docs/images/a.png) [cli](docs/cli.md) [out](https://x.org/)');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a VSIX', () => {
  for (const [version, isPreRelease] of [
    ['0.1.0', true],
    ['0.2.7', false],
    ['1.3.0', true],
  ] as const) {
    it(`of version ${version} is ${isPreRelease ? '' : 'not '}marked as a pre-release`, function () {
      this.timeout(60_000);
      const folder = mkdtempSync(join(tmpdir(), 'hookline vsix '));
      try {
        const manifest = { name: 'x', publisher: 'p', version, engines: { vscode: '^1.106.0' }, license: 'MIT' };
        writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
        writeFileSync(join(folder, 'README.md'), 'x');
        const vsix = join(folder, 'out', 'x.vsix');
        packVsix({ folder, vsix });
        const mark = 'Id="Microsoft.VisualStudio.Code.PreRelease" Value="true"';
        assert.equal(fileInZip(readFileSync(vsix), 'extension.vsixmanifest').includes(mark), isPreRelease);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});

/** The text of a file in a zip archive, found by the archive's directory. */
function fileInZip(zip: Buffer, path: string): string {
  let at = zip.readUInt32LE(zip.length - 22 + 16);
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const [compressed, name, extra, comment] = [
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
    ];
    if (zip.toString('utf8', at + 46, at + 46 + name) === path) {
      const local = zip.readUInt32LE(at + 42);
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const data = zip.subarray(start, start + compressed);
      return (zip.readUInt16LE(local + 8) === 0 ? data : inflateRawSync(data)).toString('utf8');
    }
    at += 46 + name + extra + comment;
  }
  throw new Error(`no ${path} in the archive`);
}
