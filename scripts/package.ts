// `npm run package [-- --repository URL [--tag vX.Y.Z]]`: builds for production and packs out/hookline-<version>.vsix, and the
// command line for npm (.tgz), and writes the folder for the registry of the Agent Client Protocol. With `--repository`,
// manifest, pages and entry have the links to the repository that publishing needs. With `--tag`, it first checks that tag,
// package.json and CHANGELOG.md name the same version, prints the notes of the release, and writes out/release.json.
import { listFiles, PackageManager } from '@vscode/vsce';
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildForProduction } from './build.ts';
import { isMain, runMain, UserError } from './support/fail.mjs';
import { parseArgs } from 'node:util';
import { writeAcpRegistryFolder } from './support/acp-registry.ts';
import { packCommandLine } from './support/npm-package.ts';
import { OUT, ROOT, TYPESCRIPT_PLUGIN } from './support/paths.ts';
import { packedPage } from './support/packed-page.ts';
import { publishedManifest, repositoryAddress, type Manifest } from './support/published.ts';
import { packVsix } from './support/vsix.ts';
import { releaseOfClone, type DraftRelease } from './support/release.ts';
import { withFile } from './support/zip-append.ts';

const NEEDED = [
  'package.json',
  'README.md',
  'LICENSE',
  'dist/extension.js',
  'dist/extension.cjs',
  'dist/load-script.js',
  'dist/jiti/jiti.cjs',
  'dist/jiti/babel.cjs',
  'dist/image-worker.js',
  'dist/uninstall.js',
  'dist/helper.cjs',
  'dist/photon_rs_bg.wasm',
  'dist/ThirdPartyNotices.txt',
  'dist/typings/tsconfig.json',
  'dist/approvals/built-in-gate.ts',
  'dist/guard/client/client.sh',
  'dist/guard/client/client.mjs',
  'dist/guard/client/tools.sh',
  'dist/guard/client/tools.mjs',
  'dist/examples/permission-gate.ts',
  'dist/dialects.md',
];
const UNWANTED = /^(?:node_modules|src|webview|test|scripts|out|examples)\/|\.stamp$/;

/** Pages with links. */
const PAGES = ['README.md', 'CHANGELOG.md'];

interface Content {
  /** Paths relative to the root. */
  readonly files: readonly string[];
  readonly manifest: Manifest;
  readonly repository: string | undefined;
}

/**
 * Builds and packs the extension. Resolves with the absolute path of the VSIX.
 *
 * @param options.searchSecrets - refuses files that contain secrets; needed before publishing
 * @param options.repository - address of the repository it is published from
 * @throws {UserError} when the VSIX would not contain a needed file or contain an unwanted one
 */
export async function packageExtension({
  searchSecrets = false,
  repository,
}: { readonly searchSecrets?: boolean; readonly repository?: string | undefined } = {}): Promise<string> {
  await buildForProduction();
  const files = (await listFiles({ cwd: ROOT, packageManager: PackageManager.None })).map(file =>
    file.replaceAll('\\', '/'),
  );
  const missing = NEEDED.filter(file => !files.includes(file));
  if (missing.length > 0) throw new UserError(`the VSIX would not contain ${missing.join(', ')}`);
  const unwanted = files.filter(file => UNWANTED.test(file));
  if (unwanted.length > 0) throw new UserError(`the VSIX would contain ${unwanted.join(', ')}`);
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const vsix = join(OUT, `hookline-${manifest.version}.vsix`);
  packVsix({ folder: layOut({ files, manifest, repository }), vsix, searchSecrets });
  addTypeScriptPlugin(vsix);
  return vsix;
}

/** Copies what the VSIX contains into a new folder. Returns its absolute path. */
function layOut({ files, manifest, repository }: Content): string {
  const folder = join(OUT, 'vsix');
  rmSync(folder, { recursive: true, force: true });
  for (const file of files) cpSync(join(ROOT, file), join(folder, file));
  for (const page of PAGES) writeFileSync(join(folder, page), packedPage(page, repository));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(publishedManifest(manifest, repository), null, 2));
  return folder;
}

/** Adds the TypeScript plugin. VS Code looks for it in `node_modules`, which vsce does not pack. */
function addTypeScriptPlugin(vsix: string): void {
  let zip: Buffer = readFileSync(vsix);
  for (const file of ['package.json', 'index.js']) {
    const path = `extension/node_modules/${basename(TYPESCRIPT_PLUGIN)}/${file}`;
    zip = withFile(zip, path, readFileSync(join(TYPESCRIPT_PLUGIN, file)));
  }
  writeFileSync(vsix, zip);
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const { values } = parseArgs({ options: { repository: { type: 'string' }, tag: { type: 'string' } } });
    const repository = values.repository === undefined ? undefined : repositoryAddress(values.repository);
    const release = values.tag === undefined ? undefined : releaseFor(values.tag, repository);
    for (const file of [await packageExtension({ searchSecrets: true, repository }), packCommandLine(repository)]) {
      console.log(`${file} (${Math.round(statSync(file).size / 1024)} KB)`);
    }
    console.log(writeAcpRegistryFolder(repository));
    if (release === undefined) return;
    const file = join(OUT, 'release.json');
    writeFileSync(file, JSON.stringify(release, null, 2));
    console.log(`${file}\n\n${release.name}\n\n${release.body}`);
  });
}

function releaseFor(tag: string, repository: string | undefined): DraftRelease {
  if (repository === undefined) throw new UserError('--tag needs --repository, which the links of the notes lead to');
  return releaseOfClone(tag, repository);
}
