import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { isRecord } from '../../base/json/is-record';

/** What a `package.json` says; empty if its text is not valid. */
export type Manifest = Readonly<Record<string, unknown>>;

/** What the resolution of a module reads. */
export interface ModuleDisk {
  /** The real path of a file; undefined if there is no file at `path`. */
  readonly fileAt: (path: string) => string | undefined;
  /** The `package.json` of a folder; undefined if there is none. */
  readonly manifestIn: (folder: string) => Manifest | undefined;
}

/** The conditions of `imports` and `exports` that hold for a request. */
export type Conditions = readonly string[];

/** Where a specifier leads. */
export interface Resolution {
  /** The real path; undefined if it leads to no file. */
  readonly file: string | undefined;
  /** Absolute paths of the `package.json` files that decided it. */
  readonly manifests: readonly string[];
}

/** Parses the text of a `package.json`. */
export function manifestFrom(text: string): Manifest {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {}; // Node refuses such a package, so nothing of it is found.
  }
}

/** The file that `main` of the package in this folder names, if it names one. `candidates`: which files a path may mean. */
export function mainOf(folder: string, disk: ModuleDisk, candidates: (path: string) => Iterable<string>): Resolution {
  const main = disk.manifestIn(folder)?.['main'];
  if (typeof main !== 'string') return NOWHERE;
  const path = resolve(folder, main);
  const file = firstFile([...candidates(path), ...candidates(join(path, 'index'))], disk);
  return { file, manifests: [join(folder, 'package.json')] };
}

/** Resolves a name: `#x` of the importer's package, the importer's package itself, or an installed package. */
export class PackageResolver {
  private readonly manifests = new Set<string>();

  private constructor(
    private readonly conditions: Conditions,
    readonly disk: ModuleDisk,
    readonly candidates: (path: string) => Iterable<string>,
  ) {}

  static resolve(
    specifier: string,
    importer: string,
    conditions: Conditions,
    { disk, candidates }: Pick<PackageResolver, 'disk' | 'candidates'>,
  ): Resolution {
    const resolver = new PackageResolver(conditions, disk, candidates);
    const file = resolver.fileFor(specifier, importer);
    return { file, manifests: [...resolver.manifests] };
  }

  private fileFor(specifier: string, importer: string): string | undefined {
    const scope = this.scopeOf(importer);
    if (specifier.startsWith('#')) {
      if (scope === undefined) return undefined;
      this.manifests.add(join(scope.folder, 'package.json'));
      const inside = join(scope.folder, 'package.json');
      return this.target(matchIn(scope.manifest['imports'], specifier), scope.folder, path =>
        path.startsWith('#') ? undefined : this.fileFor(path, inside),
      );
    }
    const { name, subpath } = parts(specifier);
    if (scope?.manifest['name'] === name && scope.manifest['exports'] !== undefined) {
      return this.exported(scope.folder, scope.manifest, subpath);
    }
    return this.installed(name, subpath, importer);
  }

  /** The nearest folder with a `package.json`, up to the folder of packages that the file is in. */
  private scopeOf(importer: string): { readonly folder: string; readonly manifest: Manifest } | undefined {
    for (let folder = dirname(importer); basename(folder) !== 'node_modules'; folder = dirname(folder)) {
      const manifest = this.disk.manifestIn(folder);
      if (manifest !== undefined) return { folder, manifest };
      if (dirname(folder) === folder) return undefined;
    }
    return undefined;
  }

  private installed(name: string, subpath: string, importer: string): string | undefined {
    for (const root of createRequire(importer).resolve.paths(name) ?? []) {
      const folder = join(root, name);
      const manifest = this.disk.manifestIn(folder);
      if (manifest?.['exports'] !== undefined) return this.exported(folder, manifest, subpath);
      const path = join(folder, subpath);
      const file =
        firstFile([...this.candidates(path)], this.disk) ??
        this.mainIn(path) ??
        firstFile([...this.candidates(join(path, 'index'))], this.disk);
      if (manifest !== undefined) this.manifests.add(join(folder, 'package.json'));
      if (file !== undefined) return file;
    }
    return undefined;
  }

  private mainIn(folder: string): string | undefined {
    const { file, manifests } = mainOf(folder, this.disk, this.candidates);
    for (const path of manifests) this.manifests.add(path);
    return file;
  }

  private exported(folder: string, { exports }: Manifest, subpath: string): string | undefined {
    this.manifests.add(join(folder, 'package.json'));
    const isOnlyMain = !isRecord(exports) || Object.keys(exports).every(key => !key.startsWith('.'));
    return this.target(matchIn(isOnlyMain ? { '.': exports } : exports, subpath), folder, () => undefined);
  }

  /** `elsewhere`: what a target that is no path inside of the folder means. */
  private target(
    { value, rest }: Match,
    folder: string,
    elsewhere: (path: string) => string | undefined,
    depth = 0,
  ): string | undefined {
    if (typeof value === 'string') {
      const path = rest === undefined ? value : value.replaceAll('*', () => rest);
      return path.startsWith('./') ? this.disk.fileAt(resolve(folder, path)) : elsewhere(path);
    }
    if (depth === MOST_DEPTH) return undefined;
    const options = Array.isArray(value) ? (value as readonly unknown[]) : this.chosen(value);
    for (const option of options) {
      const file = this.target({ value: option, rest }, folder, elsewhere, depth + 1);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  private chosen(value: unknown): readonly unknown[] {
    if (!isRecord(value)) return [];
    return Object.entries(value).flatMap(([key, option]) => (this.conditions.includes(key) ? [option] : []));
  }
}

/** How deep the conditions of a target may be nested. */
const MOST_DEPTH = 20;
const NOWHERE: Resolution = { file: undefined, manifests: [] };

/** The value of a key of `imports` or `exports`, and what its `*` stands for. */
interface Match {
  readonly value: unknown;
  readonly rest: string | undefined;
}

function matchIn(table: unknown, key: string): Match {
  if (!isRecord(table)) return { value: undefined, rest: undefined };
  if (Object.hasOwn(table, key) && !key.includes('*')) return { value: table[key], rest: undefined };
  const patterns = Object.keys(table).filter(pattern => pattern.includes('*'));
  const fitting = patterns.flatMap(pattern => {
    const [before = '', after = ''] = pattern.split('*');
    const isFitting = key.length >= pattern.length && key.startsWith(before) && key.endsWith(after);
    return isFitting ? [{ pattern, before, rest: key.slice(before.length, key.length - after.length) }] : [];
  });
  const [best] = fitting.sort((one, other) => other.before.length - one.before.length);
  return best === undefined ? { value: undefined, rest: undefined } : { value: table[best.pattern], rest: best.rest };
}

function parts(specifier: string): { readonly name: string; readonly subpath: string } {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  return { name, subpath: `.${specifier.slice(name.length)}` };
}

function firstFile(paths: readonly string[], disk: ModuleDisk): string | undefined {
  for (const path of paths) {
    const file = disk.fileAt(path);
    if (file !== undefined) return file;
  }
  return undefined;
}
