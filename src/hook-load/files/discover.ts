import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { defined } from '../../base/defined';
import { readRegularTextSync } from '../../base/files/regular-file';
import { messageOf } from '../../base/errors';
import { realPathIfThere } from '../../base/files/on-disk';
import type { FileOfPackage, InactiveReason, PackageFile, PackageOrigin } from '../../agent/resources/package-origin';
import { readResourceList, type ResourceChoice } from '../../agent/resources/resource-list';
import type { ResourceList } from '../../agent/settings/pi-settings';
import type { Problem } from '../../base/result';
import type { HookOrigin, HookGroup } from '../../hook-contract/hook-info';
import { isWithin } from '../../base/files/is-within';

/** One file to load, in the order of loading. */
export interface HookFile {
  /** Absolute path with symbolic links resolved: identity of the file, and what is loaded. */
  readonly path: string;
  /** Absolute path under which it was found. */
  readonly entry: string;
  readonly origin: HookOrigin;
  readonly group: HookGroup;
  readonly package?: PackageOrigin;
  /** What decided about the package when the file was found. */
  readonly packaged?: FileOfPackage;
  /** Named in `disabled`, or of a package that is turned off: listed, but not to be loaded. */
  readonly disabled?: true;
  /** Why the package is not approved, for people: listed, but not to be loaded. */
  readonly unapproved?: string;
  /** An approved version of the package gates tools: this file counts as a gate, whatever its text says now. */
  readonly claimsGate?: true;
  /** Why this file is listed as a load error and never executed (docs/dialects.md, D29). */
  readonly unsupported?: string;
  /** What names it, as in {@link ConfiguredPath.from}; absent for files in folders that are always searched. */
  readonly from?: string;
  /** Absolute path of the `package.json` that names it, where one does. */
  readonly manifest?: string;
}

/**
 * A path from a settings file; `from` names the setting and its file in problems, such as `hooks in /x/settings.json`.
 */
export interface ConfiguredPath {
  readonly path: string;
  readonly from: string;
  /** Absent: `hooks`. */
  readonly group?: HookGroup;
}

export interface DiscoverOptions {
  /** `~/.pi/agent` or its override. */
  readonly agentDir: string;
  /** Workspace folder; absent when none is open. */
  readonly cwd?: string;
  readonly settingsPaths?: readonly ConfiguredPath[];
  /** `extensions` of settings files: paths, and filters for the files that are found. */
  readonly extensionLists?: readonly ResourceList[];
  /** Extensions of packages, in the order of loading; those that need trust count only with `includeProject`. */
  readonly packageFiles?: readonly (PackageFile & {
    readonly needsTrust?: boolean;
    readonly inactive?: InactiveReason;
    readonly state?: FileOfPackage;
  })[];
  /** See {@link Discovery.leftOut}. */
  readonly leftOut?: readonly string[];
  readonly explicit?: readonly (string | ConfiguredPath)[];
  /** False in Restricted Mode: nothing below `cwd` is read, even if settings name it, except files named by hand. */
  readonly includeProject: boolean;
  /** No folder is searched: only `settingsPaths` and `explicit` count. */
  readonly onlyNamed?: boolean;
  /** Paths of files the user switched off. */
  readonly disabled?: readonly string[];
  /** For `~`; the user's home folder when absent. */
  readonly home?: string;
}

export interface Discovery {
  readonly files: readonly HookFile[];
  readonly problems: readonly Problem[];
  /**
   * Absolute paths, as found, of folders and files that exist but cannot be read now: hooks loaded from there stay,
   * because a gate that cannot be read for a moment has not been removed.
   */
  readonly unreadable?: readonly string[];
  /** Real paths of extensions of the user's packages that are on elsewhere, and that the folder's settings leave out. */
  readonly leftOut?: readonly string[];
}

/**
 * Lists the files to load, in this order: hooks (global, workspace, settings, explicit), then extensions (workspace,
 * global, settings, packages, explicit); names inside a folder are sorted. The same file reached twice is listed once,
 * at its first place. Missing folders are skipped; those that cannot be read are problems and listed separately; a
 * configured path that does not exist is a problem that names the setting.
 */
export function discoverHooks(options: DiscoverOptions): Discovery {
  const search = new Search(options);
  if (options.onlyNamed === true) return onlyNamed(search);
  const project = options.includeProject && options.cwd !== undefined ? options.cwd : undefined;

  search.hookFolder(join(options.agentDir, 'hooks'), 'global');
  search.foreignHooks(join(search.home, '.omp', 'agent', 'hooks'), 'global', 'omp');
  search.foreignHooks(join(search.home, '.claude', 'hooks'), 'global', 'claude');
  if (project !== undefined) {
    search.hookFolder(join(project, '.pi', 'hooks'), 'workspace');
    search.foreignHooks(join(project, '.omp', 'hooks'), 'workspace', 'omp');
    search.foreignHooks(join(project, '.claude', 'hooks'), 'workspace', 'claude');
  }
  search.configured('hooks');

  if (project !== undefined) search.ownExtensions(join(project, '.pi'), 'workspace');
  search.ownExtensions(options.agentDir, 'global');
  search.configured('extensions');
  return search.discovery;
}

function onlyNamed(search: Search): Discovery {
  search.configured('hooks');
  search.configured('extensions');
  return search.discovery;
}

const UNICODE_SPACES = /[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g;

/** Expands `~`, turns Unicode spaces (as pasted from documents) into plain ones, and makes the path absolute. */
export function resolveHookPath(path: string, cwd: string | undefined, home: string): string {
  const plain = path.replace(UNICODE_SPACES, ' ').trim();
  if (plain === '~') return home;
  if (/^~[/\\]/.test(plain)) return join(home, plain.slice(2));
  return isAbsolute(plain) ? resolve(plain) : resolve(cwd ?? home, plain);
}

const IMPORTABLE = /\.[cm]?[jt]s$/;
const DECLARATION = /\.d\.[cm]?ts$/;

/** Whether settings leave a file in use. */
type Uses = (file: string) => boolean;

interface AboutFile {
  readonly unsupported?: string;
  readonly package?: PackageOrigin;
  readonly packaged?: FileOfPackage | undefined;
  readonly inactive?: InactiveReason | undefined;
  readonly uses?: Uses | undefined;
  readonly manifest?: string | undefined;
}

type Kind = 'file' | 'folder' | 'none' | 'unreadable';

class Search {
  readonly files: HookFile[] = [];
  readonly problems: Problem[] = [];
  readonly home: string;
  private readonly unreadable: string[] = [];
  /** What names the files that are read now; undefined in folders that are always searched. */
  private naming: string | undefined;
  /** Real path of the folder whose code must not run. */
  private readonly closed: string | undefined;
  private readonly seen = new Set<string>();
  private readonly disabled: ReadonlySet<string>;
  private readonly lists: readonly { readonly list: ResourceList; readonly choice: ResourceChoice }[];

  constructor(private readonly options: DiscoverOptions) {
    this.home = options.home ?? homedir();
    const { cwd, includeProject } = options;
    this.closed = includeProject || cwd === undefined ? undefined : realPathIfThere(cwd);
    const lists = (options.extensionLists ?? []).filter(list => includeProject || list.scope === 'user');
    this.lists = lists.map(list => ({ list, choice: readResourceList(list, this.problems, this.home) }));
    this.disabled = new Set((options.disabled ?? []).map(path => realPathIfThere(this.absolute(path))));
  }

  get discovery(): Discovery {
    const { files, problems, unreadable } = this;
    const { leftOut } = this.options;
    return { files, problems, ...(unreadable.length === 0 ? {} : { unreadable }), ...defined({ leftOut }) };
  }

  /** `*.ts` files and symbolic links to them, not recursive. */
  hookFolder(folder: string, origin: HookOrigin): void {
    for (const name of this.namesIn(folder)) {
      if (!name.endsWith('.ts') || DECLARATION.test(name)) continue;
      const entry = join(folder, name);
      const kind = this.entryKind(entry);
      if (kind === 'file') this.add(entry, origin, 'hooks');
      if (kind === 'none') this.pointsToNothing(entry);
    }
  }

  /** As {@link extensionFolder} for the folder of a scope, without the files that its settings leave out. */
  ownExtensions(parent: string, origin: 'workspace' | 'global'): void {
    const scope = origin === 'workspace' ? 'project' : 'user';
    const own = this.lists.filter(({ list }) => list.scope === scope);
    const uses = (file: string): boolean => own.every(({ choice }) => choice.keeps(file, parent));
    this.extensionFolder(join(parent, 'extensions'), origin, uses);
  }

  /** `*.ts` and `*.js`, and one level of folders with a manifest or an index file. */
  private extensionFolder(folder: string, origin: HookOrigin, uses?: Uses): void {
    for (const name of this.namesIn(folder)) {
      const entry = join(folder, name);
      const kind = this.entryKind(entry);
      if (kind === 'folder') this.extensionPackage(entry, origin, uses);
      if (!/\.[jt]s$/.test(name) || DECLARATION.test(name)) continue;
      if (kind === 'file') this.add(entry, origin, 'extensions', { uses });
      if (kind === 'none') this.pointsToNothing(entry);
    }
  }

  /** `pre/*` and `post/*` of other tools: modules of oh-my-pi are hooks, scripts are shown but never executed. */
  foreignHooks(folder: string, origin: HookOrigin, tool: 'omp' | 'claude'): void {
    if (tool === 'omp') this.misplacedModules(folder);
    for (const half of ['pre', 'post']) {
      for (const name of this.namesIn(join(folder, half))) {
        const entry = join(folder, half, name);
        if (DECLARATION.test(name)) continue;
        const kind = this.entryKind(entry);
        if (kind === 'none') this.pointsToNothing(entry);
        if (kind !== 'file') continue;
        if (tool === 'omp' && IMPORTABLE.test(name)) this.add(entry, origin, 'hooks');
        else this.add(entry, origin, 'hooks', { unsupported: foreignReason(tool, half) });
      }
    }
  }

  /** oh-my-pi loads nothing that is directly in its folder of hooks, so such a module is a problem. */
  private misplacedModules(folder: string): void {
    for (const name of this.namesIn(folder)) {
      if (!IMPORTABLE.test(name) || DECLARATION.test(name)) continue;
      const file = join(folder, name);
      if (this.entryKind(file) !== 'file' || this.isClosed(realPathIfThere(file), 'workspace')) continue;
      this.problems.push({
        message: 'This file is not loaded: oh-my-pi has its hooks in the folders pre and post. Move it to one of them.',
        file,
      });
    }
  }

  /** Files named by settings, then those named by hand. */
  configured(group: HookGroup): void {
    const explicit = (this.options.explicit ?? []).map(path => (typeof path === 'string' ? { path, from: '' } : path));
    const of = (paths: readonly ConfiguredPath[]): readonly ConfiguredPath[] =>
      paths.filter(path => (path.group ?? 'hooks') === group);
    for (const path of of(this.options.settingsPaths ?? [])) this.configuredPath(path, 'settings', group);
    if (group === 'extensions') {
      this.listed();
      this.packages();
    }
    for (const path of of(explicit)) this.configuredPath(path, 'explicit', group);
  }

  private listed(): void {
    for (const { list, choice } of this.lists) {
      const from = `extensions in ${list.from}`;
      for (const { path, written } of choice.named) {
        this.configuredPath({ path: written, from }, 'settings', 'extensions', { path, uses: choice.takes });
      }
    }
  }

  private packages(): void {
    const { packageFiles = [], includeProject } = this.options;
    for (const { path, package: owner, needsTrust, inactive, state } of packageFiles) {
      if (needsTrust === true && !includeProject) continue;
      this.add(path, owner.scope === 'temporary' ? 'explicit' : 'package', 'extensions', {
        package: owner,
        packaged: state,
        inactive,
      });
    }
  }

  private configuredPath(
    configured: ConfiguredPath,
    origin: HookOrigin,
    group: HookGroup,
    listed?: { readonly path: string; readonly uses: Uses },
  ): void {
    const entry = listed?.path ?? this.absolute(configured.path);
    const uses = listed?.uses;
    // Checked before anything of it is read: the manifest of a closed folder may name files anywhere.
    if (this.isClosed(realPathIfThere(entry), origin)) return;
    const kind = this.entryKind(entry);
    this.naming = origin === 'settings' ? configured.from : undefined;
    if (kind === 'file') this.add(entry, origin, group, { uses });
    else if (kind === 'none') this.problems.push({ message: missingPath(configured, entry, origin), file: entry });
    else if (kind === 'unreadable') return;
    else if (group === 'hooks') this.hookFolder(entry, origin);
    else if (!this.extensionPackage(entry, origin, uses)) this.extensionFolder(entry, origin, uses);
  }

  /** True when the folder itself is an extension: `pi.extensions` of its manifest, else `index.ts`, else `index.js`. */
  private extensionPackage(folder: string, origin: HookOrigin, uses?: Uses): boolean {
    const declared = this.declaredEntries(folder);
    const manifest = join(folder, 'package.json');
    for (const path of declared) {
      const entry = resolve(folder, path);
      const kind = this.entryKind(entry);
      if (kind === 'file') this.add(entry, origin, 'extensions', { uses, manifest });
      else if (kind === 'folder') this.extensionFolder(entry, origin, uses);
      else if (kind === 'none') {
        this.problems.push({
          message: `"pi.extensions" names a file that does not exist: ${path}`,
          file: manifest,
        });
      }
    }
    if (declared.length > 0) return true;
    const index = ['index.ts', 'index.js']
      .map(name => join(folder, name))
      .find(path => this.entryKind(path) === 'file');
    if (index !== undefined) this.add(index, origin, 'extensions', { uses });
    return index !== undefined;
  }

  private declaredEntries(folder: string): readonly string[] {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) return [];
    try {
      return extensionsOf(JSON.parse(readRegularTextSync(file)));
    } catch (error) {
      this.problems.push({ message: `package.json cannot be read: ${messageOf(error)}`, file });
      this.unreadable.push(folder);
      return [];
    }
  }

  private add(entry: string, origin: HookOrigin, group: HookGroup, about: AboutFile = {}): void {
    const { unsupported, uses, package: owner, packaged, inactive, manifest } = about;
    const path = realPathIfThere(entry);
    if (this.seen.has(path) || this.isClosed(path, origin)) return;
    this.seen.add(path);
    if (uses?.(entry) === false) return; // A file that is left out here is not loaded from elsewhere either.
    this.files.push({
      path,
      entry,
      origin,
      group,
      ...defined({ package: owner, packaged }),
      ...(this.disabled.has(path) || inactive?.type === 'off' ? { disabled: true as const } : {}),
      ...(inactive?.type === 'held' ? { unapproved: inactive.why, ...claimOf(inactive) } : {}),
      ...defined({ unsupported, manifest }),
      ...(origin !== 'settings' || this.naming === undefined ? {} : { from: this.naming }),
    });
  }

  /**
   * Whether Restricted Mode keeps this real path from being loaded. The user's own settings and links may point into
   * the folder, but its content is not the user's; pi's agent folder counts as the user's wherever it is.
   */
  private isClosed(path: string, origin: HookOrigin): boolean {
    if (this.closed === undefined || origin === 'explicit' || !isWithin(path, this.closed)) return false;
    return !['global', 'package'].includes(origin) || !isWithin(path, realPathIfThere(this.options.agentDir));
  }

  private namesIn(folder: string): readonly string[] {
    try {
      return readdirSync(folder).sort();
    } catch (error) {
      if (!isAbsence(error)) this.cannotRead(folder, error);
      else if (isBrokenLink(folder)) this.pointsToNothing(folder);
      return [];
    }
  }

  private entryKind(path: string): Kind {
    try {
      // A pipe or device with the name of a hook is listed too: loading it fails with the reason.
      return statSync(path).isDirectory() ? 'folder' : 'file';
    } catch (error) {
      if (isAbsence(error)) return 'none';
      this.cannotRead(path, error);
      return 'unreadable';
    }
  }

  private pointsToNothing(file: string): void {
    this.problems.push({ message: 'The symbolic link points to nothing.', file });
  }

  private cannotRead(path: string, error: unknown): void {
    if (this.unreadable.includes(path)) return;
    this.unreadable.push(path);
    this.problems.push({ message: `Hookline cannot look for hooks here: ${messageOf(error)}`, file: path });
  }

  private absolute(path: string): string {
    return resolveHookPath(path, this.options.cwd, this.home);
  }
}

function claimOf({ gatesTools }: Extract<InactiveReason, { type: 'held' }>): { readonly claimsGate?: true } {
  return gatesTools === true ? { claimsGate: true } : {};
}

/** ELOOP is a link to itself, which points to nothing as well. */
function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Whether a path at which nothing was found is a link, or leads through a link to itself. */
function isBrokenLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ELOOP';
  }
}

function extensionsOf(manifest: unknown): readonly string[] {
  if (typeof manifest !== 'object' || manifest === null || !('pi' in manifest)) return [];
  const { pi } = manifest;
  if (typeof pi !== 'object' || pi === null || !('extensions' in pi) || !Array.isArray(pi.extensions)) return [];
  return pi.extensions.filter((path: unknown): path is string => typeof path === 'string');
}

function missingPath(configured: ConfiguredPath, entry: string, origin: HookOrigin): string {
  if (origin === 'settings') return `${configured.from} names a path that does not exist: ${configured.path}`;
  return `${configured.from === '' ? '--hook' : configured.from} names a path that does not exist: ${entry}`;
}

function foreignReason(tool: 'omp' | 'claude', half: string): string {
  const owner = tool === 'omp' ? 'oh-my-pi' : 'Claude Code';
  return `Failed to load hook: ${owner}'s hooks/${half} scripts are not modules with a default export, so this file is never executed.`;
}
