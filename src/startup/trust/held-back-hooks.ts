import { loadSettings } from '../../agent/settings/load-settings';
import type { PiSettings, SettingPath } from '../../agent/settings/pi-settings';
import {
  discoverHooks,
  type ConfiguredPath,
  type DiscoverOptions,
  type Discovery,
  type HookFile,
} from '../../hook-load/files/discover';
import type { Packages } from '../../packages/packages';

/** The hook files to load, and those that load only after the user trusts the folder or approves their package. */
export type Discovered = Discovery & { readonly heldBack: readonly HookFile[] };

/** Where hooks are searched for. */
export interface HookSearch {
  readonly place: { readonly agentDir: string; readonly cwd: string; readonly includeProject: () => boolean };
  readonly settings: { readonly current: HookLists };
  readonly packages: Pick<Packages, 'filesToLoad' | 'current'>;
  readonly hookOptions: () => { readonly paths: readonly ConfiguredPath[]; readonly disabled: readonly string[] };
  /** Hook paths that the user named for this start; they are loaded last. */
  readonly explicit?: readonly ConfiguredPath[];
  /** False: only `explicit` paths and temporary packages are loaded. */
  readonly search?: boolean;
}

type HookLists = Pick<PiSettings, 'hooks' | 'extensions'>;

/**
 * Finds hook files. In a folder that is not trusted (Restricted Mode), its hooks are held back: they are listed so that
 * they can be shown, but never run. Files of packages that the user did not approve are held back as well.
 */
export function discoverByTrust(search: HookSearch): Discovered {
  const options = optionsFor(search, search.settings.current);
  const isTrusted = search.place.includeProject();
  const all = discoverHooks({ ...options, includeProject: isTrusted });
  const unapproved = all.files.filter(file => file.unapproved !== undefined);
  const found = { ...all, files: all.files.filter(file => file.unapproved === undefined) };
  return { ...found, heldBack: [...unapproved, ...(isTrusted ? [] : untrusted(options, all.files))] };
}

/**
 * The files that wait for trust in the folder and for nothing else. Its settings are read for those that they name, and used for
 * nothing more.
 */
export async function hooksAwaitingTrust(search: HookSearch): Promise<readonly HookFile[]> {
  const { agentDir, cwd } = search.place;
  const { settings } = await loadSettings({ agentDir, cwd, includeProject: true });
  const { files } = discoverHooks({ ...optionsFor(search, search.settings.current), includeProject: false });
  return untrusted(optionsFor(search, settings), files).filter(({ unapproved }) => unapproved === undefined);
}

function untrusted(options: Omit<DiscoverOptions, 'includeProject'>, files: readonly HookFile[]): readonly HookFile[] {
  const known = new Set(files.map(file => file.path));
  const all = discoverHooks({ ...options, includeProject: true }).files;
  return all.filter(file => !known.has(file.path));
}

function optionsFor(
  { place, packages, hookOptions, explicit = [], search = true }: HookSearch,
  { hooks, extensions }: HookLists,
): Omit<DiscoverOptions, 'includeProject'> {
  const { agentDir, cwd } = place;
  const { disabled, paths } = hookOptions();
  const packageFiles = packages.filesToLoad('extensions').filter(file => search || file.package.scope === 'temporary');
  return {
    agentDir,
    cwd,
    settingsPaths: search ? [...hooks.map(ofSettings), ...paths] : [],
    extensionLists: search ? extensions : [],
    packageFiles,
    leftOut: packages.current.leftOut,
    explicit,
    disabled,
    onlyNamed: !search,
  };
}

function ofSettings({ path, from }: SettingPath): ConfiguredPath {
  return { path, from: `hooks in ${from}`, group: 'hooks' };
}
