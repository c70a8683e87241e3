import { lstat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { realPathIfThere } from '../base/files/on-disk';
import { fileKind } from '../agent/resources/resource-file';
import { defined } from '../base/defined';
import type { Problem } from '../base/result';
import { isWithin } from '../base/files/is-within';
import type { DeclaredPackage } from './declared';
import { readManifest, type PackageManifest } from './manifest';
import { filesOfEntries, filesOfPlace, ownEntries, type PackageFolder } from './part-files';
import { PART_KINDS, readDelta, readFilter, type PartKind } from './part-filter';

/** A file that a package adds. */
export interface PackagePart {
  readonly kind: PartKind;
  /** Absolute. */
  readonly path: string;
  /** Whether the part is on by the settings. */
  readonly isOn: boolean;
  /** The entry that turns it on or off. */
  readonly by: DeclaredPackage;
}

/** A package that exists in the folder of its declaration. */
export interface InstalledPackage {
  readonly declared: DeclaredPackage;
  readonly name: string;
  readonly version?: string;
  readonly manifest: PackageManifest;
  /** Absolute path of the changelog to show after an update. */
  readonly changelog?: string;
  /** All parts that it offers, whether on or off. */
  readonly parts: readonly PackagePart[];
  /** What is wrong with it; its other parts can be used anyway. */
  readonly problems: readonly Problem[];
}

/** A package that is declared but does not exist. */
export interface MissingPackage {
  readonly declared: DeclaredPackage;
  readonly problem: Problem;
}

/** Reads the package of a declaration. Never rejects: what is wrong becomes a problem that names the file and field. */
export async function readInstalled(declared: DeclaredPackage): Promise<InstalledPackage | MissingPackage> {
  const { folder, source, from } = declared;
  const kind = fileKind(folder);
  if (kind === 'none') {
    const message = (await isLink(folder)) ? `${folder} is a link whose target does not exist.` : howToGet(declared);
    const about = defined({ file: from });
    return { declared, problem: { ...about, message: `Package "${declared.written}" cannot be used: ${message}` } };
  }
  const parts = (files: readonly string[]): readonly PackagePart[] =>
    files.map(path => ({ kind: 'extensions', path, isOn: true, by: declared }));
  if (kind === 'file') {
    return { declared, name: basename(folder), manifest: { dependencies: [] }, parts: parts([folder]), problems: [] };
  }
  const problems: Problem[] = [];
  const manifest = await readManifest(folder, problems);
  const offered = await offeredBy(manifest, { path: folder, linksMayLeave: source.type === 'local' }, problems);
  const isBare = manifest.parts === undefined && declared.choice.type === 'all' && offered.length === 0;
  const own = isBare && source.type === 'local' ? parts(await ownEntries(folder)) : [];
  const changelog = changelogOf(manifest, folder);
  const { name = nameFor(declared), version } = manifest;
  return {
    declared,
    name,
    ...defined({ version }),
    manifest,
    ...defined({ changelog }),
    parts: own.length > 0 ? own : chosen(offered, declared, problems),
    problems,
  };
}

interface Offered {
  readonly kind: PartKind;
  readonly path: string;
}

/** The files that the manifest lists, or if it lists none, the files in the folders named for their kind. */
async function offeredBy(
  { parts }: PackageManifest,
  folder: PackageFolder,
  problems: Problem[],
): Promise<readonly Offered[]> {
  const kinds = PART_KINDS.map(async (kind): Promise<readonly Offered[]> => {
    const files =
      parts === undefined
        ? await filesOfPlace(folder.path, kind)
        : await filesOfEntries(parts[kind] ?? [], kind, folder, problems);
    return [...new Set(files)].map(path => ({ kind, path }));
  });
  return (await Promise.all(kinds)).flat();
}

/** Which files an entry turns on or off; files that a delta does not name are left out. */
function chosen(offered: readonly Offered[], declared: DeclaredPackage, problems: Problem[]): readonly PackagePart[] {
  const { choice, folder, from } = declared;
  if (choice.type === 'all') return offered.map(part => ({ ...part, isOn: true, by: declared }));
  return PART_KINDS.flatMap(kind => {
    const patterns = choice.filters[kind];
    const refuse = (_pattern: string, why: string): void => {
      problems.push({
        ...defined({ file: from }),
        message: `"${kind}" of "${declared.written}": ${why}`,
      });
    };
    const read = choice.type === 'delta' ? readDelta : readFilter;
    const everything = (): boolean => true;
    const none = (): undefined => undefined;
    const says = patterns === undefined ? (choice.type === 'delta' ? none : everything) : read(patterns, refuse);
    return offered.flatMap(part => {
      const isOn = part.kind === kind ? says(part.path, folder) : undefined;
      return isOn === undefined ? [] : [{ ...part, isOn, by: declared }];
    });
  });
}

function howToGet({ source, written, scope, folder }: DeclaredPackage): string {
  if (source.type === 'local') return `${folder} does not exist.`;
  return `it is not installed. Run "hookline install ${written}${scope === 'project' ? ' --local' : ''}".`;
}

function nameFor({ source, folder }: DeclaredPackage): string {
  if (source.type === 'npm') return source.name;
  return source.type === 'git' ? source.path : basename(folder);
}

function changelogOf({ changelogPath = 'CHANGELOG.md' }: PackageManifest, folder: string): string | undefined {
  if (changelogPath === '') return undefined;
  const path = resolve(folder, changelogPath);
  if (fileKind(path) !== 'file') return undefined;
  return isWithin(realPathIfThere(path), realPathIfThere(folder)) ? path : undefined;
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    info => info.isSymbolicLink(),
    () => false, // The path does not exist.
  );
}
