import { UserError } from './fail.mjs';

/** A package.json. */
export interface Manifest {
  readonly version: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Fields of package.json that only developers of Hookline need. */
const OF_DEVELOPMENT = ['private', 'dependencies', 'devDependencies', 'optionalDependencies', 'overrides', 'prettier'];

/** The manifest of a VSIX. VS Code runs its script `vscode:uninstall`. `repository` is the address of the repository that it is published from. */
export function publishedManifest(manifest: Manifest, repository?: string): Manifest {
  const fields = Object.entries(manifest).filter(([name]) => !OF_DEVELOPMENT.includes(name));
  return {
    ...Object.fromEntries(fields),
    version: manifest.version,
    engines: only('vscode', manifest.engines),
    scripts: only('vscode:uninstall', manifest.scripts),
    ...(repository === undefined ? {} : repositoryFields(repository)),
  };
}

function only(name: string, values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).filter(([each]) => each === name));
}

/** The fields of package.json that name the source, the homepage and the address for bug reports. */
export function repositoryFields(repository: string): Readonly<Record<string, object | string>> {
  return {
    repository: { type: 'git', url: `${repository}.git` },
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
  };
}

/**
 * The address of a repository without a `/` or `.git` at its end.
 * @throws {UserError} when it is not an https address of an owner and a name
 */
export function repositoryAddress(given: string): string {
  const address = given.replace(/\/+$/, '').replace(/\.git$/, '');
  if (/^https:\/\/[\w.-]+(?:\/[\w.-]+){2,}$/.test(address)) return address;
  throw new UserError(`--repository takes an address such as https://host/owner/name, not ${given}`);
}

/** Whether a version is a pre-release: those with an odd minor number are. */
export function isPreRelease(version: string): boolean {
  return Number(version.split('.')[1]) % 2 === 1;
}
