import { homedir } from 'node:os';
import type { PackageList } from '../agent/settings/pi-settings';
import { defined } from '../base/defined';
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

/** A package that a settings file or a command line names. */
export interface DeclaredPackage {
  /** The source as written. */
  readonly written: string;
  readonly source: PackageSource;
  /** See `packageIdentity`. */
  readonly identity: string;
  readonly scope: PackageScope;
  /** Absolute path of the settings.json that declares it; absent when the command line does. */
  readonly from?: string;
  /** The folder in which the package should be, or the file that is the package. Absolute; need not exist. */
  readonly folder: string;
  /** Which of its parts are on. */
  readonly choice: PackageChoice;
}

/**
 * Which parts of a package an entry turns on. `all`: everything that the package offers. `filtered`: for each kind, the
 * files that pass its list. `delta`: only files that a list names; if another entry declares the same package, a delta
 * only changes these files of it.
 */
export type PackageChoice =
  | { readonly type: 'all' }
  | { readonly type: 'filtered'; readonly filters: PartFilters }
  | { readonly type: 'delta'; readonly filters: PartFilters };

/** All declared packages, in order of priority, and a problem for each declaration that cannot be read. */
export interface Declarations {
  readonly packages: readonly DeclaredPackage[];
  readonly problems: readonly Problem[];
}

/** The sources of declarations. */
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
 * Reads declarations as pi does. If the project and the user declare the same package, the project's entry replaces the
 * user's. A project's entry with `autoload: false` does not replace it: it comes before the user's entry, and applies
 * to the package that is installed for the user.
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
  /** The name of the setting for messages; absent for the command line. */
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
      problems.push({ message: where + message, ...defined({ file: from }) });
    }
    return undefined;
  }
  const source = parsed.value;
  const identity = packageIdentity(source);
  const folder = packageFolder(source, scope, places);
  return { written, source, identity, scope, ...defined({ from }), folder, choice };
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
