import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { ROOT } from '../../scripts/support/paths.ts';
import { packedPage } from '../../scripts/support/packed-page';
import { publishedManifest, repositoryAddress, type Manifest } from '../../scripts/support/published';
import { packVsix } from '../../scripts/support/vsix';

const REPOSITORY = 'https://git.example.org/owner/hook.line';

describe('what is published', () => {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

  it('has a manifest that leads to the repository, if there is one', () => {
    const manifest = publishedManifest(own, REPOSITORY);
    assert.deepEqual(manifest['repository'], { type: 'git', url: `${REPOSITORY}.git` });
    assert.equal(manifest['homepage'], `${REPOSITORY}#readme`);
    assert.deepEqual(manifest['bugs'], { url: `${REPOSITORY}/issues` });
    for (const name of ['repository', 'homepage', 'bugs']) assert.ok(!(name in publishedManifest(own)), name);
  });

  for (const [what, manifest] of [
    ['without a repository', publishedManifest(own)],
    ['with a repository', publishedManifest(own, REPOSITORY)],
  ] as const) {
    it(`holds nothing of development, but the script that VS Code runs after an uninstall, ${what}`, () => {
      for (const name of ['private', 'dependencies', 'devDependencies', 'optionalDependencies', 'overrides']) {
        assert.ok(name in own, `package.json has "${name}"`);
        assert.ok(!(name in manifest), name);
      }
      assert.deepEqual(manifest.scripts, { 'vscode:uninstall': 'node ./dist/uninstall.js' });
      assert.deepEqual(manifest.engines, { vscode: own.engines['vscode'] });
    });

    it(`keeps all that VS Code reads and the gallery shows, ${what}`, () => {
      for (const name of [
        ...['name', 'displayName', 'description', 'version', 'publisher', 'license', 'type', 'main', 'l10n'],
        ...['extensionKind', 'categories', 'keywords', 'icon', 'galleryBanner', 'activationEvents', 'capabilities'],
        'contributes',
      ]) {
        assert.deepEqual(manifest[name], own[name], name);
        assert.notEqual(own[name], undefined, name);
      }
    });
  }

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
});

describe('a page in a package', () => {
  const pages = ['README.md', 'CHANGELOG.md', 'docs/cli.md'];
  const linksOf = (text: string): readonly string[] =>
    [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const isRelative = (link: string): boolean => !/^(?:https?:|#)/.test(link);

  for (const page of pages) {
    const written = linksOf(readFileSync(join(ROOT, page), 'utf8'));

    it(`leads to files of the repository: ${page}`, () => {
      const links = linksOf(packedPage(page, REPOSITORY));
      assert.equal(links.length, written.length);
      assert.deepEqual(links.filter(isRelative), []);
      const ours = links.filter(link => link.startsWith(`${REPOSITORY}/`));
      assert.equal(ours.length, written.filter(isRelative).length);
      for (const link of ours) {
        const [, kind, path = ''] = /^\/(blob|raw)\/HEAD\/([^#]+)/.exec(link.slice(REPOSITORY.length)) ?? [];
        assert.ok(existsSync(join(ROOT, path)), link);
        assert.equal(kind, path.endsWith('.png') ? 'raw' : 'blob', link);
      }
    });

    it(`has no relative link without a repository, and the same other links: ${page}`, () => {
      assert.deepEqual(
        linksOf(packedPage(page)),
        written.filter(link => !isRelative(link)),
      );
    });
  }

  it('names the files of its links and pictures without a repository', () => {
    const text = packedPage('README.md');
    assert.match(text, /writing hooks \(docs\/hooks\.md\)/);
    assert.match(text, /\(docs\/guard\.md\)/);
    assert.match(text, /in the chat \(docs\/images\/question\.png\)/);
    assert.match(packedPage('docs/cli.md'), /`trust\.json` \(docs\/settings\.md\)\. Trust/);
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
