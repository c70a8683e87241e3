import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ModelRegistry } from '../agent/models/registry';
import type { SettingPath } from '../agent/settings';
import { toDisposable, type Disposable } from '../base/disposable';
import type { Log } from '../base/log';
import type { SettingsSource } from '../conversation/ports';
import { BUILT_IN_NAMES } from '../conversation/slash-commands';
import { discoverHooks, resolveHookPath, type ConfiguredPath, type Discovery, type HookFile } from '../hooks/discover';
import { HookHost } from '../hooks/host';
import { HookLoader } from '../hooks/loader/hook-loader';
import { shippedModules } from '../hooks/modules/shipped-modules';
import type { VirtualModules } from '../hooks/modules/virtual-modules';
import { OwnershipScope } from '../hooks/ownership/scope';
import type { ProviderPort } from '../hooks/services';
import { ThemeSwitch } from '../hooks/theme';
import type { Ground } from './ground';
import { SETTINGS_SECTION } from './ids';
import type { Settings } from './settings';
import type { ExtensionPlace } from './surface';

const TYPEBOX = '@sinclair/typebox';

/** The part of a window's ground that its hooks depend on. */
export type HookGround = Pick<Ground, 'place' | 'models'> & {
  readonly settings: SettingsSource;
  readonly vscodeSettings: { readonly value: Pick<Settings, 'hooks'> };
};

/** What a window's hooks are made from. */
export interface WindowHooksParts {
  readonly ground: HookGround;
  readonly extension: ExtensionPlace;
  readonly log: Log;
}

/** A hook host with the loader it works with; nothing is loaded before the first `reload`. */
export function createHooks(parts: WindowHooksParts): {
  readonly host: HookHost<OwnershipScope>;
  readonly loader: Disposable;
} {
  const { extension, log } = parts;
  const { place, settings, vscodeSettings, models } = parts.ground;
  const theme = new ThemeSwitch();
  const modules = shippedModules({
    agentDir: () => place.agentDir,
    version: extension.version,
    theme: () => theme.current,
  });
  const loader = new HookLoader({
    cacheDir: join(extension.storageDir, 'compiled-hooks'),
    jitiDir: extension.jitiDir,
    extensionVersion: extension.version,
    workerFile: join(extension.dir, 'dist', 'transform-worker.js'),
    modules: () => modules,
    log,
  });
  const host = new HookHost<OwnershipScope>({
    discover: async () => {
      // oh-my-pi's `pi.typebox` is read without waiting, so it has to be there before any hook runs.
      await modules.load(TYPEBOX, () => true);
      return discoverFor(parts.ground);
    },
    loader,
    createScope: (owner, onDidThrow) => new OwnershipScope({ owner, onDidThrow }),
    settings: () => ({
      hookTimeout: settings.current.hookTimeout,
      dialects: absoluteKeys(vscodeSettings.value.hooks.dialects, place.cwd),
      confirmWithoutGates: vscodeSettings.value.hooks.askWhileBroken,
    }),
    builtInCommands: new Set(BUILT_IN_NAMES),
    providers: providersOf(models),
    theme,
    shipped: specifier => shippedModule(modules, specifier),
    log,
  });
  return { host, loader };
}

function shippedModule(modules: VirtualModules, specifier: string): Readonly<Record<string, unknown>> | undefined {
  // A module's exports are an object, whose members are reached by name.
  return modules.has(specifier) ? (modules.get(specifier) as Readonly<Record<string, unknown>>) : undefined;
}

/** The files to load now. In Restricted Mode those of the folder are named, so that they can be shown, and no more. */
function discoverFor(ground: HookGround): Discovery & { readonly heldBack: readonly HookFile[] } {
  const { agentDir, cwd, includeProject } = ground.place;
  const options = { agentDir, cwd, settingsPaths: configuredPaths(ground) };
  const found = discoverHooks({ ...options, includeProject: includeProject() });
  if (includeProject()) return { ...found, heldBack: [] };
  const known = new Set(found.files.map(file => file.path));
  const all = discoverHooks({ ...options, includeProject: true }).files;
  return { ...found, heldBack: all.filter(file => file.origin === 'workspace' && !known.has(file.path)) };
}

function configuredPaths({ settings, vscodeSettings }: HookGround): readonly ConfiguredPath[] {
  const fromFile =
    (key: 'hooks' | 'extensions') =>
    (setting: SettingPath): ConfiguredPath => ({
      path: setting.path,
      from: `${key} in ${setting.from}`,
      group: key,
    });
  const fromVsCode = vscodeSettings.value.hooks.paths.map((path): ConfiguredPath => ({
    path,
    from: `${SETTINGS_SECTION}.hooks.paths`,
  }));
  const { hooks, extensions } = settings.current;
  return [...hooks.map(fromFile('hooks')), ...fromVsCode, ...extensions.map(fromFile('extensions'))];
}

function absoluteKeys(dialects: Readonly<Record<string, string>>, cwd: string): Readonly<Record<string, string>> {
  const home = homedir();
  return Object.fromEntries(
    Object.entries(dialects).map(([path, dialect]) => [resolveHookPath(path, cwd, home), dialect]),
  );
}

function providersOf(models: ModelRegistry): ProviderPort {
  return {
    register: (name, config, hookPath) => {
      // Checked by the registry, which names provider and field in what it throws.
      models.registerProvider(name, config, hookPath);
      return toDisposable(() => {
        models.unregisterProvider(name, hookPath);
      });
    },
    unregister: name => {
      models.unregisterProvider(name);
    },
  };
}
