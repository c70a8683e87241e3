import { relative } from 'node:path';
import { slashed } from '../../base/files/slashed';
import { switchPart, type Declared } from '../../packages/install/settings-entries';
import { packageIdentity, parsePackageSource, type PackagePlaces } from '../../packages/package-source';
import type { ListedPackage, ListedPart, PackageOverview } from '../../packages/package-overview';
import { Packages } from '../../packages/packages';
import { loadSettings } from '../../agent/settings/load-settings';
import { UsageError } from '../arguments/usage-error';
import type { PartRequest } from './package-arguments';

/** Which packages' parts to list or switch, and in which settings file they are switched. */
export interface PartScope {
  /** The source as written; undefined for all packages. */
  readonly source: string | undefined;
  /** If true, parts are switched in the project's settings, which come over the user's. */
  readonly local: boolean;
}

/** What the functions here need. */
interface PartWork {
  readonly places: PackagePlaces;
  readonly isTrusted: boolean;
  readonly decisions: Declared['decisions'];
  readonly say: (line: string) => void;
}

interface PartRow {
  readonly listed: ListedPackage;
  readonly part: ListedPart;
  /** Path in the package, with `/`. */
  readonly path: string;
}

/** Prints every part of each package, and whether it is on. */
export async function listParts(scope: PartScope, work: PartWork): Promise<void> {
  const { overview, rows } = await readParts(scope, work);
  const { source } = scope;
  if (source !== undefined && !overview.packages.some(listed => isMeant(listed, scope, work))) {
    throw new UsageError(`No matching package found for ${source}`);
  }
  if (overview.packages.length === 0) work.say('No packages installed.');
  for (const listed of overview.packages) {
    if (!isMeant(listed, scope, work)) continue;
    const { written, scope: declaredIn } = listed.declared;
    work.say(`${written}${declaredIn === 'project' ? ' (project)' : ''}`);
    if (listed.state === 'missing') work.say('  is not installed');
    for (const row of rows.filter(each => each.listed === listed)) {
      work.say(`  [${row.part.isOn ? 'x' : ' '}] ${row.path}`);
    }
  }
}

/**
 * Turns parts on and off in the settings.
 * @throws {UsageError} that names a part that does not exist or is in several packages; nothing is changed then
 */
export async function switchParts(requests: readonly PartRequest[], scope: PartScope, work: PartWork): Promise<void> {
  if (requests.length === 0) return;
  const { rows } = await readParts(scope, work);
  const found = requests.map(request => ({ ...request, row: theRow(request, rows) }));
  for (const { row, to } of found) {
    const { declared } = row.listed;
    const about = {
      identity: declared.identity,
      scope: scope.local ? 'project' : 'user',
      places: work.places,
      decisions: work.decisions,
    } as const;
    await switchPart(about, declared, { kind: row.part.kind, path: row.path, to });
  }
}

function theRow({ part, to }: PartRequest, rows: readonly PartRow[]): PartRow {
  const [first, second] = rows.filter(({ path }) => path === part || path === `${part}/SKILL.md`);
  if (first === undefined) throw new UsageError(`--${to}: no package has a part "${part}".`);
  if (second === undefined) return first;
  const sources = `${first.listed.declared.written} and ${second.listed.declared.written}`;
  throw new UsageError(`--${to}: "${part}" is in ${sources}. Name the source, too.`);
}

async function readParts(
  scope: PartScope,
  work: PartWork,
): Promise<{ readonly overview: PackageOverview; readonly rows: readonly PartRow[] }> {
  const { places } = work;
  const includeProject = scope.local && work.isTrusted;
  const { settings } = await loadSettings({ ...places, includeProject });
  const packages = new Packages({
    place: { ...places, includeProject: () => includeProject },
    settings: { current: { packages: settings.packages } },
  });
  try {
    await packages.reload();
    const overview = packages.current;
    const shown = overview.packages.filter(({ declared }) => scope.local || declared.scope === 'user');
    const rows = shown.flatMap(listed => (isMeant(listed, scope, work) ? rowsOf(listed, overview.parts) : []));
    return { overview: { ...overview, packages: shown }, rows };
  } finally {
    packages.dispose();
  }
}

function rowsOf(listed: ListedPackage, parts: readonly ListedPart[]): readonly PartRow[] {
  const { identity, folder } = listed.declared;
  return parts
    .filter(part => part.identity === identity)
    .map(part => ({ listed, part, path: slashed(relative(folder, part.path)) }));
}

function isMeant({ declared }: ListedPackage, { source }: PartScope, { places }: PartWork): boolean {
  if (source === undefined) return true;
  const parsed = parsePackageSource(source, places.cwd);
  return parsed.ok && packageIdentity(parsed.value) === declared.identity;
}
