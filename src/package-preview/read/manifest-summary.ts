import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import type { Claim } from '../../packages/approval/claim';

/** The author's description of a package and who published it. */
export interface PackageAbout {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly license?: string;
  readonly author?: string;
  readonly homepage?: string;
  /** Who published this version in the registry. */
  readonly publisher?: string;
  /** When this version was published, in ISO 8601. */
  readonly published?: string;
  /** The packages of pi that it depends on, each as name and version range. */
  readonly asksFor?: readonly string[];
}

/** What the package.json of a package says. */
export interface ManifestSummary {
  readonly about: PackageAbout;
  readonly scripts: readonly Claim[];
  /** Names of the dependencies that are installed with the package. */
  readonly dependencies: readonly string[];
  /** Why package.json cannot be read; absent when it can or does not exist. */
  readonly problem?: string;
}

/** Scripts that npm runs while it installs a package from the registry, a folder or git. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];

/**
 * Reads the package.json of a folder; ignores members of the wrong type. `file` is its path in claims. Never rejects.
 */
export async function manifestSummary(folder: string, file = 'package.json'): Promise<ManifestSummary> {
  let manifest: unknown;
  try {
    manifest = JSON.parse((await readFile(join(folder, 'package.json'), 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const nothing: ManifestSummary = { about: {}, scripts: [], dependencies: [] };
    return isAbsent ? nothing : { ...nothing, problem: messageOf(error) };
  }
  const facts = isRecord(manifest) ? manifest : {};
  return {
    about: aboutOf(facts),
    scripts: scriptClaims(facts, file),
    dependencies: [...namesIn(facts['dependencies']), ...namesIn(facts['optionalDependencies'])],
  };
}

function aboutOf(facts: Readonly<Record<string, unknown>>): PackageAbout {
  const { author, license } = facts;
  const asksFor = [facts['peerDependencies'], facts['dependencies']].flatMap(list =>
    Object.entries(isRecord(list) ? list : {}).flatMap(([name, range]) =>
      /^@(?:mariozechner|oh-my-pi|gsd|earendil-works)\/pi-/.test(name) ? [`${name} ${String(range)}`] : [],
    ),
  );
  const about = defined({
    name: textIn(facts['name']),
    version: textIn(facts['version']),
    description: textIn(facts['description']),
    license: textIn(license) ?? textIn(isRecord(license) ? license['type'] : undefined),
    author: textIn(author) ?? textIn(isRecord(author) ? author['name'] : undefined),
    homepage: textIn(facts['homepage']) ?? repositoryOf(facts['repository']),
  });
  return { ...about, ...(asksFor.length > 0 ? { asksFor } : {}) };
}

function repositoryOf(repository: unknown): string | undefined {
  return textIn(repository) ?? textIn(isRecord(repository) ? repository['url'] : undefined);
}

function scriptClaims(facts: Readonly<Record<string, unknown>>, file: string): readonly Claim[] {
  const scripts = isRecord(facts['scripts']) ? facts['scripts'] : {};
  return INSTALL_SCRIPTS.flatMap((name): readonly Claim[] => {
    const script = textIn(scripts[name]);
    return script === undefined ? [] : [{ kind: 'script', name, detail: script, places: [{ file }] }];
  });
}

function namesIn(list: unknown): readonly string[] {
  return Object.keys(isRecord(list) ? list : {});
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
