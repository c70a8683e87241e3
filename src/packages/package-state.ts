import { basename } from 'node:path';
import type { PackageState } from '../agent/resources/package-origin';
import type { PackageList } from '../agent/settings/pi-settings';
import { defined } from '../base/defined';
import { isRecord } from '../base/json/is-record';
import { realPathIfThere } from '../base/files/on-disk';
import { readDeclarations, type DeclaredPackage } from './declared';
import { readInstalled } from './installed';
import { ownFolder, packageIdentity, parsePackageSource, type PackagePlaces } from './package-source';
import type { FileToLoad, ListedPackage, ListedPart, PackageOverview } from './package-overview';

/** The settings that declare packages. */
export interface Declaring {
  readonly places: PackagePlaces;
  readonly lists: readonly PackageList[];
  /** The user's home folder when absent. */
  readonly home?: string;
}

type Scope = 'user' | 'project';

/** The text by which entries of settings are compared. */
export function textOfEntry(entry: unknown): string {
  return entry === undefined ? '' : JSON.stringify(entry);
}

/** What decides about a package. */
export function packageState(identity: string, packages: readonly ListedPackage[], declaring: Declaring): PackageState {
  const listed = packages.find(({ declared }) => declared.identity === identity);
  const entryOf = (scope: Scope): string => {
    const entries = listsOf(scope, declaring).flatMap(list => list.entries);
    return textOfEntry(entries.find(entry => identityOf(entry, scope, declaring) === identity));
  };
  return {
    identity,
    entries: { user: entryOf('user'), project: entryOf('project') },
    ...(listed?.state === 'runs' ? defined({ content: listed.content }) : {}),
    ...(listed?.state === 'off' ? { off: true as const } : {}),
  };
}

/**
 * The folder of each package that gates tools by an approved version, and in which no extension is left: as a file that
 * counts as a gate and does not run.
 */
export function lostGates(
  { packages, parts }: Pick<PackageOverview, 'packages' | 'parts'>,
  stateOf: (identity: string) => PackageState,
): readonly FileToLoad[] {
  return packages.flatMap((listed): readonly FileToLoad[] => {
    const { declared } = listed;
    if ((listed.state !== 'missing' && listed.state !== 'held') || listed.gatesTools !== true) return [];
    const { folder, written: source, scope, identity } = declared;
    const hasOthers = parts.some(part => part.identity === identity && part.kind === 'extensions');
    if (hasOthers || !wantsExtensions(declared)) return [];
    const why = listed.state === 'held' ? listed.why : listed.problem.message;
    const name = listed.state === 'held' ? listed.installed.name : basename(folder);
    return [
      {
        path: folder,
        package: { name, source, scope, baseDir: folder },
        needsTrust: false,
        inactive: { type: 'held', why, gatesTools: true },
        state: { ...stateOf(identity), part: '', folder, isUsers: scope === 'user' },
      },
    ];
  });
}

/**
 * See `PackageOverview.leftOut`; `parts` are all that there are. Nothing is read if the project's settings name none of
 * the user's packages.
 */
export async function leftOutOf(parts: readonly ListedPart[], declaring: Declaring): Promise<readonly string[]> {
  const declaredBy = (scope: Scope): readonly DeclaredPackage[] =>
    readDeclarations({ ...declaring, lists: listsOf(scope, declaring) }).packages;
  const inProject = new Set(declaredBy('project').map(({ identity }) => identity));
  const shared = declaredBy('user').filter(({ identity }) => inProject.has(identity));
  const found = await Promise.all(shared.map(readInstalled));
  const on = new Set(parts.filter(({ isOn }) => isOn).map(({ path }) => realPathIfThere(path)));
  return found
    .flatMap(each => ('problem' in each ? [] : each.parts))
    .filter(({ kind, isOn }) => kind === 'extensions' && isOn)
    .map(({ path }) => realPathIfThere(path))
    .filter(path => !on.has(path));
}

function listsOf(scope: Scope, { lists }: Declaring): readonly PackageList[] {
  return lists.filter(list => list.scope === scope);
}

function identityOf(entry: unknown, scope: Scope, { places, home }: Declaring): string | undefined {
  const source = isRecord(entry) ? entry['source'] : entry;
  if (typeof source !== 'string') return undefined;
  const parsed = parsePackageSource(source, ownFolder(scope, places), home);
  return parsed.ok ? packageIdentity(parsed.value) : undefined;
}

/** Whether the settings can turn on an extension of a package. */
function wantsExtensions({ choice }: DeclaredPackage): boolean {
  if (choice.type === 'all') return true;
  const { extensions } = choice.filters;
  return extensions === undefined ? choice.type === 'filtered' : extensions.length > 0;
}
