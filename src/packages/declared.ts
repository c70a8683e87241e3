import { homedir } from 'node:os';
import type { PackageList } from '../agent/settings/pi-settings';
import type { Problem } from '../base/result';
import { PART_KINDS, type PartFilters } from './part-filter';
import {
  packageFolder,
  packageIdentity,
  ownFolder,
  parsePackageSource,
  type PackagePlaces,
  type PackageScope,
  type PackageSource,
} from './package-source';

/** A package as settings or a command line ask for it. */
export interface DeclaredPackage {
  /** The source as written. */
  readonly written: string;
  readonly source: PackageSource;
  /** See `packageIdentity`. */
  readonly identity: string;
  readonly scope: PackageScope;
  /** settings.json that declares it, absolute; absent: the command line does. */
  readonly from?: string;
  /** The folder that it is looked for in, or the file that it is. Absolute. */
  readonly folder: string;
  /** What is wanted of it; see {@link PackageChoice}. */
  readonly choice: PackageChoice;
}

/**
 * `all`: what the package offers; `filtered`: of each kind what its list lets through; `delta`: nothing but what a list
 * names, and where another entry declares the same package, only a word about the files that a list names.
 */
export type PackageChoice =
  | { readonly type: 'all' }
  | { readonly type: 'filtered'; readonly filters: PartFilters }
  | { readonly type: 'delta'; readonly filters: PartFilters };

/** Everything that is declared, in the order in which it counts, and what cannot be understood. */
export interface Declarations {
  readonly packages: readonly DeclaredPackage[];
  readonly problems: readonly Problem[];
}

/** What declarations are read from. */
export interface DeclarationSources {
  readonly places: PackagePlaces;
  /** `packages` of the project's settings, then of the user's. */
  readonly lists: readonly PackageList[];
  /** Sources that the command line names. */
  readonly temporary?: readonly string[];
  /** The user's home folder when absent. */
  readonly home?: string;
}

/**
 * Reads declarations as pi does. Of two of the same package the project's counts, at its place; one with
 * `autoload: false` is before the user's entry instead of taking its place, and means the package that is installed
 * for the user.
 */
export function readDeclarations({ places, lists, temporary = [], home }: DeclarationSources): Declarations {
  const problems: Problem[] = [];
  const read = (written: string, about: Omit<Read, 'written'>): DeclaredPackage[] => {
    const found = declaredPackage({ written, ...about }, { places, home, problems });
    return found === undefined ? [] : [found];
  };
  const fromSettings = lists.flatMap(({ entries, from, scope }) =>
    entries.flatMap((entry, index) => {
      const place = `"packages[${index}]"`;
      if (typeof entry === 'string') return read(entry, { scope, from, place, choice: { type: 'all' } });
      const { source, autoload, ...rest } = entry;
      if (source === undefined) {
        problems.push({ file: from, message: `Setting ${place}: "source" is missing.` });
        return [];
      }
      const filters = Object.fromEntries(PART_KINDS.flatMap(kind => (rest[kind] ? [[kind, rest[kind]]] : [])));
      return read(source, { scope, from, place, choice: { type: autoload === false ? 'delta' : 'filtered', filters } });
    }),
  );
  const byHand = temporary.flatMap(written => read(written, { scope: 'temporary', choice: { type: 'all' } }));
  return { packages: [...merged(fromSettings), ...merged(byHand)], problems };
}

interface Read {
  readonly written: string;
  readonly scope: PackageScope;
  readonly from?: string;
  /** The setting in words; absent: the command line. */
  readonly place?: string;
  readonly choice: PackageChoice;
}

function declaredPackage(
  { written, scope, from, place, choice }: Read,
  about: { readonly places: PackagePlaces; readonly home: string | undefined; readonly problems: Problem[] },
): DeclaredPackage | undefined {
  const { places, home = homedir(), problems } = about;
  const parsed = parsePackageSource(written, ownFolder(scope, places), home);
  if (!parsed.ok) {
    const where = place === undefined ? '' : `Setting ${place}: `;
    for (const { message } of parsed.problems) {
      problems.push({ message: where + message, ...(from === undefined ? {} : { file: from }) });
    }
    return undefined;
  }
  const source = parsed.value;
  const identity = packageIdentity(source);
  const folder = packageFolder(source, scope, places);
  return { written, source, identity, scope, ...(from === undefined ? {} : { from }), folder, choice };
}

function merged(declared: readonly DeclaredPackage[]): readonly DeclaredPackage[] {
  const kept: DeclaredPackage[] = [];
  for (const entry of declared) {
    const index = kept.findIndex(({ identity }) => identity === entry.identity);
    const first = kept[index];
    if (first === undefined) kept.push(entry);
    else if (entry.scope === 'project') kept[index] = entry;
    else if (entry.scope === 'user' && first.scope === 'project' && first.choice.type === 'delta') {
      if (kept.slice(index + 1).some(({ identity }) => identity === entry.identity)) continue;
      kept[index] = { ...first, source: entry.source, folder: entry.folder };
      kept.push(entry);
    }
  }
  return kept;
}
