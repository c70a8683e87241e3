import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OUT, ROOT } from './paths.ts';

/** The icon of the entry: 16 × 16, in the color of the text around it, as the registry asks. */
export const ACP_REGISTRY_ICON = join(ROOT, 'scripts', 'acp-registry', 'icon.svg');

/** The fields of package.json that the entry takes. */
export interface NpmManifest {
  readonly name: string;
  readonly displayName: string;
  readonly version: string;
  readonly license: string;
}

/**
 * What the registry of the Agent Client Protocol keeps about us, by which editors install and start us: the npm package of
 * this version, with its argument. The registry also requires an address of the license, which only a repository has.
 *
 * @param repository - address of the repository that the package is published from
 */
export function acpRegistryEntry(manifest: NpmManifest, repository?: string) {
  const { name, displayName, version, license } = manifest;
  return {
    id: name,
    name: displayName,
    version,
    description: 'A coding agent that you control with small TypeScript files, called hooks.',
    ...(repository === undefined
      ? {}
      : {
          repository,
          website: `${repository}/blob/HEAD/docs/acp.md`,
          license_url: `${repository}/blob/HEAD/LICENSE`,
        }),
    license,
    distribution: { npx: { package: `${name}@${version}`, args: ['acp'] } },
  };
}

/** Writes the folder for the registry, named by the id of its entry, and replaces an earlier one. Returns its absolute path. */
export function writeAcpRegistryFolder(repository?: string): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as NpmManifest;
  const entry = acpRegistryEntry(manifest, repository);
  const folder = join(OUT, 'acp-registry', entry.id);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'agent.json'), `${JSON.stringify(entry, null, 2)}\n`);
  cpSync(ACP_REGISTRY_ICON, join(folder, 'icon.svg'));
  return folder;
}
