import { basename, dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { realPathIfThere } from '../base/files/on-disk';
import type { PackageFile, PackageOrigin, PackageState } from '../agent/resources/package-origin';
import { fileKind } from '../agent/resources/resource-file';
import type { PackageList, PiSettings } from '../agent/settings/pi-settings';
import { readSettingsFile } from '../agent/settings/settings-file';
import { defined } from '../base/defined';
import { DisposableStore, type Disposable } from '../base/disposable';
import { Emitter, type Event } from '../base/event';
import type { Problem } from '../base/result';
import { slashed } from '../base/files/slashed';
import { isWithin } from '../base/files/is-within';
import { readDeclarations, type DeclaredPackage } from './declared';
import { readInstalled, type InstalledPackage, type MissingPackage } from './installed';
import { openGate, type PackageGate } from './package-gate';
import { PART_KINDS, type PartKind } from './part-filter';
import type { FileToLoad, ListedPackage, ListedPart, PackageOverview } from './package-overview';
import { leftOutOf, lostGates, packageState, type Declaring } from './package-state';
import { ownFolder, type PackagePlaces } from './package-source';

const NO_PACKAGES: PackageOverview = { packages: [], parts: [], problems: [], leftOut: [] };

/** What {@link Packages} needs. */
export interface PackagesParts {
  readonly place: PackagePlaces & { readonly includeProject: () => boolean };
  readonly settings: { readonly current: Pick<PiSettings, 'packages'> };
  /** Sources named on the command line. */
  readonly temporary?: readonly string[];
  /** Every package may run when absent. */
  readonly gate?: PackageGate;
  /** The user's home folder when absent. */
  readonly home?: string;
}

/** The packages of one folder. Nothing is read before the first {@link reload}. No code of a package is run here. */
export class Packages implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());
  /** Fires when {@link reload} found something else than the time before. */
  readonly onDidChange = this.changeEmitter.event;
  /** Fires when verdicts of the gate may have changed: then the packages and all that uses them must be read again. */
  readonly onDidChangeGate: Event<void>;
  private readonly gate: PackageGate;
  private overview = NO_PACKAGES;
  private reads = 0;

  constructor(private readonly parts: PackagesParts) {
    this.gate = parts.gate ?? openGate;
    this.onDidChangeGate = this.gate.onDidChange;
  }

  get current(): PackageOverview {
    return this.overview;
  }

  /** The files of a kind that are on and may be used, in order of priority. */
  files(kind: PartKind): readonly PackageFile[] {
    return this.filesToLoad(kind).filter(file => !file.needsTrust && file.inactive === undefined);
  }

  /** Like {@link files}, but with files that may not be used yet. */
  filesToLoad(kind: PartKind): readonly FileToLoad[] {
    const listed = this.overview.parts
      .filter(part => part.kind === kind && part.isOn)
      .map(({ path, state, why, origin, identity, gatesTools }): FileToLoad => {
        const of = this.stateOf(identity);
        const about = {
          ...of,
          part: partName(origin.baseDir, path),
          folder: origin.baseDir,
          isUsers: origin.scope === 'user',
        };
        const file = { path, package: origin, needsTrust: state === 'untrusted', state: about };
        if (state === 'off') return { ...file, inactive: { type: 'off' } };
        return why === undefined ? file : { ...file, inactive: { type: 'held', why, ...defined({ gatesTools }) } };
      });
    return kind === 'extensions'
      ? [...listed, ...lostGates(this.overview, identity => this.stateOf(identity))]
      : listed;
  }

  /** What decides about a package now, as it was read last. */
  stateOf(identity: string): PackageState {
    return packageState(identity, this.overview.packages, this.declaring);
  }

  private get declaring(): Declaring {
    const { place, settings, home } = this.parts;
    return { places: place, lists: settings.current.packages, ...defined({ home }) };
  }

  /**
   * The folders and files to watch: changes in them can change the list of parts, or parts of local packages. Absolute.
   */
  get watched(): { readonly folders: readonly string[]; readonly files: readonly string[] } {
    const { packages, parts } = this.overview;
    const local = packages.filter(({ declared, state }) => declared.source.type === 'local' && state !== 'missing');
    const owned = parts.filter(({ by }) => by.source.type === 'local').map(({ path }) => path);
    return {
      folders: local.flatMap(({ declared }) => PART_KINDS.map(kind => join(declared.folder, kind))),
      files: [...packages.flatMap(({ declared: { folder } }) => [folder, join(folder, 'package.json')]), ...owned],
    };
  }

  /** Reads the declarations in the settings and the packages' folders again. Never rejects. */
  async reload(): Promise<void> {
    const mine = ++this.reads;
    const read = await this.readNow();
    if (mine !== this.reads) return; // A later call of `reload` has begun and will set the result.
    if (isDeepStrictEqual(read, this.overview)) return;
    this.overview = read;
    this.changeEmitter.fire();
  }

  dispose(): void {
    this.store.dispose();
  }

  private async readNow(): Promise<PackageOverview> {
    const { place, settings, temporary = [], home } = this.parts;
    const isTrusted = place.includeProject();
    const about = { places: place, ...defined({ home }) };
    const { packages: declared, problems } = readDeclarations({
      ...about,
      lists: settings.current.packages,
      temporary,
    });
    const waiting = isTrusted ? [] : readDeclarations({ ...about, lists: await projectList(place) }).packages;
    // In an untrusted folder, the project's entry for a package that the user declares does not count.
    const others = waiting.filter(({ identity }) => !declared.some(own => own.identity === identity));
    const found = [
      ...(await Promise.all(declared.map(readInstalled))),
      ...(await Promise.all(others.map(readInstalled))).filter(each => !('problem' in each)),
    ];
    const listed = await this.listed(found, isTrusted);
    const parts = partsOf(found, listed);
    const complaints = listed.flatMap(each => (each.state === 'missing' ? [each.problem] : problemsOf(each)));
    const leftOut = await leftOutOf(parts, this.declaring);
    return { packages: listed, parts, problems: [...problems, ...complaints], leftOut };
  }

  /** Makes one item per package; a delta becomes a member of the package that it changes. */
  private async listed(found: readonly Found[], isTrusted: boolean): Promise<readonly ListedPackage[]> {
    const isDelta = ({ declared }: Found): boolean =>
      declared.choice.type === 'delta' &&
      found.some(other => other.declared !== declared && other.declared.identity === declared.identity);
    const deltas = found.filter(isDelta).map(({ declared }) => declared);
    const complete = found.filter(each => !isDelta(each));
    return Promise.all(
      complete.map(async (each): Promise<ListedPackage> => {
        const { declared } = each;
        const delta = deltas.find(({ identity }) => identity === declared.identity);
        const about = { declared, ...defined({ delta }) };
        if ('problem' in each) {
          const gates = await this.gate.gatesTools(declared.identity);
          return { ...about, state: 'missing', problem: each.problem, ...(gates ? { gatesTools: true as const } : {}) };
        }
        if (!isTrusted && this.belongsToProject(declared)) {
          return { ...about, state: 'untrusted', installed: each };
        }
        const verdict = await this.gate.verdictOn(each);
        if (verdict.type === 'off') return { ...about, state: 'off', installed: each };
        if (verdict.type === 'held') {
          const { reason, why, gatesTools } = verdict;
          return { ...about, state: 'held', reason, why, installed: each, ...defined({ gatesTools }) };
        }
        return { ...about, state: 'runs', installed: each, ...defined({ content: verdict.content }) };
      }),
    );
  }

  /** True also if the user's settings name a package inside of the project: its content comes from the project. */
  private belongsToProject({ scope, folder }: DeclaredPackage): boolean {
    if (scope !== 'user') return scope === 'project';
    const { agentDir, cwd } = this.parts.place;
    const real = realPathIfThere(folder);
    return isWithin(real, realPathIfThere(cwd)) && !isWithin(real, realPathIfThere(agentDir));
  }
}

type Found = InstalledPackage | MissingPackage;

/** The path of a part in its package, with `/`; the name of a package that is a single file. */
function partName(folder: string, path: string): string {
  return slashed(relative(folder, path)) || basename(path);
}

function problemsOf(listed: Exclude<ListedPackage, { readonly state: 'missing' }>): readonly Problem[] {
  const { declared, installed } = listed;
  if (listed.state !== 'held') return installed.problems;
  const about = defined({ file: declared.from });
  return [{ ...about, message: `Package "${declared.written}" is skipped: ${listed.why}` }, ...installed.problems];
}

/**
 * What an untrusted folder declares, only to be shown. Problems of its settings are not reported before it is trusted.
 */
async function projectList(places: PackagePlaces): Promise<readonly PackageList[]> {
  const base = ownFolder('project', places);
  const from = join(base, 'settings.json');
  const { packages = [] } = await readSettingsFile(from, []);
  return packages.length === 0 ? [] : [{ entries: packages, from, base, scope: 'project' }];
}

/**
 * Lists each file once; the first entry for it counts. A delta comes before its package, the project before the user.
 */
function partsOf(found: readonly Found[], listed: readonly ListedPackage[]): readonly ListedPart[] {
  const seen = new Set<string>();
  const parts: ListedPart[] = [];
  for (const each of found) {
    if ('problem' in each) continue;
    const { declared: entry } = each;
    const owner = listed.find(({ declared, delta }) => declared === entry || delta === entry);
    if (owner === undefined || owner.state === 'missing') continue;
    const { state } = owner;
    const about =
      owner.state === 'held' ? { state, why: owner.why, ...defined({ gatesTools: owner.gatesTools }) } : { state };
    const origin = originOf(each);
    for (const part of each.parts) {
      const key = `${part.kind} ${realPathIfThere(part.path)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      parts.push({ ...part, ...about, identity: entry.identity, origin });
    }
  }
  return parts;
}

function originOf({ declared, name, version, changelog, manifest }: InstalledPackage): PackageOrigin {
  const { written: source, scope, folder } = declared;
  const isFile = fileKind(folder) === 'file';
  return {
    name,
    source,
    scope,
    baseDir: isFile ? dirname(folder) : folder,
    needs: [...manifest.dependencies, ...(manifest.peers ?? [])],
    ...defined({ version, changelogPath: changelog }),
  };
}
