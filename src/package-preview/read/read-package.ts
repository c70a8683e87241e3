import { readFileSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { slashed } from '../../base/files/slashed';
import { detectDialect, evidenceIn } from '../../hook-contract/dialects/detect';
import type { BabelTransform } from '../../hook-load/compile/compile';
import { mergedClaims, type Claim } from '../../packages/approval/claim';
import { dependencyFolders, type DependencyFolder } from '../../packages/approval/dependency-folders';
import { compatibilityOf, hooklineModules } from './compatibility';
import { manifestSummary } from './manifest-summary';
import { isBinary, isCodeFile, packageFiles, type PackageFiles } from './package-files';
import type { PackagePreview, PreviewRequest, UnreadFile } from './preview';
import { ExtensionReader, type ReadExtensions, type ParseLimits } from './read-extensions';
import { searchText } from './text-search';

/** Options of {@link readPackage}. */
export interface ReadOptions {
  readonly babel: BabelTransform;
  readonly limits?: Partial<ParseLimits>;
}

/** Parsing takes some hundred milliseconds per megabyte of text, and a hundred times its memory. */
const LIMITS = { file: 1_500_000, total: 12_000_000 };
/** How long parsing and searching take at most, in ms. */
const TIME = 60_000;
/** How many bytes are searched as text at most, in the package and its dependencies together. */
const MOST_SEARCHED = 60_000_000;

/**
 * Finds out from the files of a package what it would do. Runs none of its code; no content of a file makes it reject.
 */
export async function readPackage(request: PreviewRequest, options: ReadOptions): Promise<PackagePreview> {
  const limits: ParseLimits = { ...LIMITS, until: Date.now() + TIME, ...options.limits };
  const isFolder = await stat(request.folder).then(
    info => info.isDirectory(),
    () => false, // The preview then lists its files as unreadable.
  );
  const folder = await real(isFolder ? request.folder : dirname(request.folder));
  const entries = await Promise.all(request.extensions.map(real));
  const files = isFolder ? await packageFiles(folder) : await loneFile(request.folder);
  const manifest = await manifestSummary(folder);
  const modules = hooklineModules();
  const extensions = await new ExtensionReader(folder, options.babel, modules, limits).read(entries);
  const dependencies = isFolder ? await dependencyFolders(folder, manifest.dependencies) : [];
  const search = new TextSearch(limits.until);
  search.own(folder, files, extensions);
  for (const dependency of dependencies) await search.dependency(folder, dependency);
  const { used, unsupported } = await compatibilityOf(extensions.used, modules);
  const unread = [...unreadManifest(manifest.problem), ...extensions.unread, ...search.unread];
  return {
    about: manifest.about,
    folder: request.folder,
    size: { ...sizeOf(files), isCut: files.isCut },
    claims: mergedClaims([
      ...extensions.claims,
      ...search.claims,
      ...manifest.scripts,
      ...fileClaims(files),
      ...resourceClaims(request, folder),
      ...unsupported,
    ]),
    compatibility: { used, dialect: dialectOf(extensions, manifest.about.asksFor) },
    read: { parsed: extensions.parsed, searched: search.searched, unread },
  };
}

async function real(path: string): Promise<string> {
  return await realpath(path).catch(() => path); // Reading the file later reports the problem.
}

async function loneFile(path: string): Promise<PackageFiles> {
  const bytes = (await stat(path).catch(() => undefined))?.size ?? 0; // Reading the file reports the problem.
  return { files: [{ file: basename(path), bytes }], outside: [], isCut: false };
}

function unreadManifest(problem: string | undefined): readonly UnreadFile[] {
  return problem === undefined ? [] : [{ file: 'package.json', why: { type: 'unreadable', message: problem } }];
}

function sizeOf({ files }: PackageFiles): { readonly files: number; readonly bytes: number } {
  return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function fileClaims({ files, outside }: PackageFiles): readonly Claim[] {
  const binaries = files.filter(({ file }) => isBinary(file));
  return [
    ...binaries.map(({ file }): Claim => ({ kind: 'binary', name: file, places: [{ file }] })),
    ...outside.map((file): Claim => ({ kind: 'hidden', name: 'outsideLink', places: [{ file }] })),
  ];
}

function resourceClaims({ resources }: PreviewRequest, folder: string): readonly Claim[] {
  return resources.map(({ kind, path }) => {
    const file = slashed(relative(folder, path));
    const name = kind === 'skill' && /^skill\.md$/i.test(basename(file)) ? basename(dirname(file)) : basename(file);
    return { kind, name: name.replace(/\.(?:md|json)$/i, ''), places: [{ file }] };
  });
}

/** `asksFor` has a range after each name. */
function dialectOf(
  { texts, used, methods }: ReadExtensions,
  asksFor: readonly string[] = [],
): PackagePreview['compatibility']['dialect'] {
  const needs = asksFor.map(each => each.split(' ')[0] ?? each);
  const events = new Set(used.events.map(({ name }) => name));
  return detectDialect({ text: evidenceIn(texts), events, methods, group: 'extensions', needs });
}

/** Searches the text of files that no extension imports by path: the package's other files and its dependencies. */
class TextSearch {
  readonly claims: Claim[] = [];
  readonly unread: UnreadFile[] = [];
  searched = 0;
  private bytes = 0;
  private isOver = false;

  constructor(private readonly until: number) {}

  own(folder: string, { files }: PackageFiles, { reached }: ReadExtensions): void {
    for (const { file, bytes } of files) {
      if (isCodeFile(file) && !reached.has(file)) this.search(join(folder, file), file, bytes);
    }
  }

  /** Searches a dependency. Each module that it loads is listed only with the first place that loads it. */
  async dependency(folder: string, { name, version, folder: place }: DependencyFolder): Promise<void> {
    const from = slashed(relative(folder, place));
    this.claims.push({
      kind: 'dependency',
      name: version === undefined ? name : `${name} ${version}`,
      places: [{ file: `${from}/package.json` }],
    });
    const { scripts } = await manifestSummary(place);
    this.claims.push(
      ...scripts.flatMap((script): readonly Claim[] => {
        if (!/install$/.test(script.name)) return []; // `prepare` is not run for dependencies.
        const whose = { kind: 'script', name: `${script.name} of ${name}` } as const;
        return [{ ...script, ...whose, places: [{ file: `${from}/package.json` }] }];
      }),
    );
    const { files } = await packageFiles(place);
    const before = this.claims.length;
    for (const { file, bytes } of files) {
      const binary: Claim = { kind: 'binary', name: `${name}/${file}`, places: [{ file: `${from}/${file}` }] };
      if (isBinary(file)) this.claims.push(binary);
      if (isCodeFile(file)) this.search(join(place, file), `${from}/${file}`, bytes);
    }
    const kept = mergedClaims(this.claims.splice(before)).map(claim => ({
      ...claim,
      places: claim.places.slice(0, 1),
    }));
    this.claims.push(...kept.filter(({ kind }) => kind !== 'hidden'));
  }

  private search(path: string, file: string, bytes: number): void {
    if (this.bytes + bytes > MOST_SEARCHED || Date.now() > this.until) {
      if (!this.isOver) this.unread.push({ file, why: { type: 'tooMuch' } });
      this.isOver = true;
      return;
    }
    this.bytes += bytes;
    this.searched += 1;
    this.claims.push(...searchText(file, textOf(path), { hosts: false }));
  }
}

/** Synchronous, as awaiting thousands of small files is slower, and the worker has nothing else to do. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // The file was deleted in the meantime, or cannot be read, which is the same for the package.
  }
}
