import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkProviderConfig } from '../agent/models/provider-config';
import type { ModelRegistry } from '../agent/models/registry';
import type { SettingPath } from '../agent/settings/pi-settings';
import { toDisposable, type Disposable } from '../base/disposable';
import type { Log } from '../base/log';
import { resolveHookPath, type ConfiguredPath } from '../hooks/host/discover';
import type { DialectId } from '../hooks/hook';
import { HookHost } from '../hooks/host/host';
import { HookLoader } from '../hooks/load/hook-loader';
import { shippedModules } from '../hooks/load/modules/shipped-modules';
import type { VirtualModules } from '../hooks/load/modules/virtual-modules';
import { LiveScope } from '../hooks/load/ownership/live-scope';
import type { OwnershipOptions, OwnershipScope } from '../hooks/load/ownership/scope';
import type { HookServices, ProviderPort } from '../hooks/api/services';
import { ThemeSwitch } from '../hooks/api/ui/theme';
import { discoverByTrust, type Discovered } from './trust/restricted-mode';
import { BUILT_IN_COMMANDS } from './built-in-commands';
import type { SettingsPlace, SettingsSource } from './live-settings';

const TYPEBOX = '@sinclair/typebox';

/** Where this copy of Hookline lives, and where it may write. All paths absolute. */
export interface CodePlace {
  /** Holds the built files. */
  readonly distDir: string;
  /** Holds jiti.cjs and babel.cjs. */
  readonly jitiDir: string;
  /** Shared by all processes. */
  readonly storageDir: string;
  readonly version: string;
}

/** What the surroundings say about hooks. */
export interface HookWishes {
  /** Paths named in settings of the surroundings; loaded after `hooks` of pi's settings files. */
  readonly paths: readonly ConfiguredPath[];
  /** Path of a hook file, as written -> how it is to be read. */
  readonly dialects: Readonly<Record<string, DialectId>>;
  /** See `HookRuntimeSettings.confirmWithoutGates`. */
  readonly confirmWithoutGates: boolean;
  /** Absolute paths of hooks that the person turned off. */
  readonly disabled?: readonly string[];
}

/** What a hook host is made from. */
export interface HookSetup {
  readonly place: SettingsPlace;
  readonly code: CodePlace;
  readonly settings: SettingsSource;
  readonly models: ModelRegistry;
  /** Read again at each reload. */
  readonly wishes: () => HookWishes;
  /** Named by hand, loaded last. */
  readonly explicit?: readonly ConfiguredPath[];
  /** False: only what is named by hand is loaded. */
  readonly search?: boolean;
  readonly flagValue?: HookServices['flagValue'];
  /** See `HookHostOptions.heldBackReason`. */
  readonly heldBackReason?: () => string;
  /** For hooks that are only tried, whose providers are checked and not registered. Absent: they may do what they like. */
  readonly createScope?: (options: OwnershipOptions) => OwnershipScope;
  readonly log: Log;
}

/** A hook host with the loader it works with; nothing is loaded before the first `reload`. */
export function createHookHost(setup: HookSetup): {
  readonly host: HookHost<OwnershipScope>;
  readonly loader: Disposable;
} {
  const { place, code, settings, wishes, flagValue, log } = setup;
  const theme = new ThemeSwitch();
  const modules = shippedModules({
    agentDir: () => place.agentDir,
    version: code.version,
    theme: () => theme.current,
    log,
  });
  const loader = new HookLoader({
    cacheDir: join(code.storageDir, 'compiled-hooks'),
    jitiDir: code.jitiDir,
    extensionVersion: code.version,
    workerFile: join(code.distDir, 'transform-worker.js'),
    modules: () => modules,
    log,
  });
  const host = new HookHost<OwnershipScope>({
    discover: async () => {
      // oh-my-pi's `pi.typebox` is read without waiting, so it has to be there before any hook runs.
      await modules.load(TYPEBOX, () => true);
      return discoverFor(setup);
    },
    loader,
    createScope: (owner, onDidThrow) =>
      setup.createScope?.({ owner, onDidThrow }) ?? new LiveScope({ owner, onDidThrow }),
    settings: () => ({
      hookTimeout: settings.current.hookTimeout,
      dialects: absoluteKeys(wishes().dialects, place.cwd),
      confirmWithoutGates: wishes().confirmWithoutGates,
    }),
    builtInCommands: new Set(BUILT_IN_COMMANDS),
    providers: setup.createScope === undefined ? providersOf(setup.models) : NO_PROVIDERS,
    theme,
    shipped: specifier => shippedModule(modules, specifier),
    cwd: place.cwd,
    isProjectTrusted: place.includeProject,
    ...(setup.heldBackReason === undefined ? {} : { heldBackReason: setup.heldBackReason }),
    ...(flagValue === undefined ? {} : { flagValue }),
    log,
  });
  return { host, loader };
}

function shippedModule(modules: VirtualModules, specifier: string): Readonly<Record<string, unknown>> | undefined {
  // A module's exports are an object, whose members are reached by name.
  return modules.has(specifier) ? (modules.get(specifier) as Readonly<Record<string, unknown>>) : undefined;
}

/** The hook files of this setup: those to load, and those that are held back. */
function discoverFor(setup: HookSetup): Discovered {
  const { agentDir, cwd, includeProject } = setup.place;
  const { explicit = [], search = true } = setup;
  const settingsPaths = search ? configuredPaths(setup) : [];
  const { disabled = [] } = setup.wishes();
  const extensionLists = search ? setup.settings.current.extensions : [];
  const options = {
    ...{ agentDir, cwd, settingsPaths, extensionLists, explicit, disabled },
    ...(search ? {} : { onlyNamed: true as const }),
  };
  return discoverByTrust(options, includeProject());
}

function configuredPaths({ settings, wishes }: HookSetup): readonly ConfiguredPath[] {
  const fromFile = (setting: SettingPath): ConfiguredPath => ({
    path: setting.path,
    from: `hooks in ${setting.from}`,
    group: 'hooks',
  });
  return [...settings.current.hooks.map(fromFile), ...wishes().paths];
}

function absoluteKeys(dialects: Readonly<Record<string, string>>, cwd: string): Readonly<Record<string, string>> {
  const home = homedir();
  return Object.fromEntries(
    Object.entries(dialects).map(([path, dialect]) => [resolveHookPath(path, cwd, home), dialect]),
  );
}

/** What is wrong with a provider keeps a hook from loading here too. */
const NO_PROVIDERS: ProviderPort = {
  register: (name, config) => {
    checkProviderConfig(name, config);
    return toDisposable(() => undefined);
  },
  unregister: () => undefined,
};

function providersOf(models: ModelRegistry): ProviderPort {
  return {
    register: (name, config, { path, ...takes }) => {
      // Checked by the registry, which names provider and field in what it throws.
      models.registerProvider(name, config, path, takes);
      return toDisposable(() => models.unregisterProvider(name, path));
    },
    unregister: name => models.unregisterProvider(name),
  };
}
