import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkProviderConfig } from '../agent/models/provider-config';
import { checkNativeProvider } from '../agent/models/native-providers';
import type { ModelRegistry } from '../agent/models/registry';
import { checkVirtualModel } from '../agent/models/virtual-models';
import type { SettingPath } from '../agent/settings/pi-settings';
import { execCommand } from '../agent/tools/shell/exec';
import { DisposableStore, toDisposable, type Disposable } from '../base/disposable';
import type { Log } from '../base/log';
import { hasSessionsOf } from '../agent/session/library/has-sessions';
import { sessionDirFor } from '../agent/session/library/catalog';
import { BlackBox } from '../hooks/black-box/black-box';
import type { HookList } from '../hooks/held-changes/approval-record';
import { ApprovalStore } from '../hooks/held-changes/approval-store';
import type { KeptApprovals } from '../hooks/held-changes/hook-approvals';
import { resolveHookPath, type ConfiguredPath } from '../hooks/host/discover';
import type { DialectId } from '../hooks/hook';
import { HookHost } from '../hooks/host/host';
import { HookLoader } from '../hooks/load/hook-loader';
import { withInlineHooks } from '../hooks/load/inline-hooks';
import { modulesForFiles } from '../hooks/load/modules/modules-for-file';
import { shippedModules } from '../hooks/load/modules/shipped-modules';
import type { VirtualModules } from '../hooks/load/modules/virtual-modules';
import { LiveScope } from '../hooks/load/ownership/live-scope';
import { PiProgram } from '../hooks/load/ownership/pi-program';
import type { OwnershipOptions, OwnershipScope } from '../hooks/load/ownership/scope';
import { GATE_FILE } from '../hooks/built-in-gate/gate-file';
import type { ApprovalSettings } from '../hooks/built-in-gate/gate-hook';
import type { HookServices, ProviderPort } from '../hooks/api/services';
import { ThemeSwitch } from '../hooks/api/ui/theme';
import { checkServerConfig } from '../mcp/config/server-config';
import { OwnChildSessions, type ChildSetup, type OpenChild } from './child-sessions';
import { ParentServer } from './parent/parent-server';
import type { ConversationMode } from '../hooks/conversation-port';
import { discoverByTrust, type Discovered } from './trust/held-back-hooks';
import type { Packages } from '../packages/packages';
import { sessionDirFrom, sessionDirOf, type SettingsPlace, type SettingsSource } from './live-settings';

const TYPEBOX = '@sinclair/typebox';

/** Where this copy of Hookline lives, and where it may write. All paths absolute. */
export interface CodePlace {
  /** Holds the built files. */
  readonly distDir: string;
  /** Holds jiti.cjs and babel.cjs. */
  readonly jitiDir: string;
  /** For what can be made again; shared by all processes of its kind. */
  readonly storageDir: string;
  /** For what must not be lost; one for windows and command lines ({@link stateFolder}). */
  readonly stateDir: string;
  readonly version: string;
}

/** What the surroundings say about hooks. */
export interface HookOptions {
  /** Paths named in settings of the surroundings; loaded after `hooks` of pi's settings files. */
  readonly paths: readonly ConfiguredPath[];
  /** Path of a hook file, as written -> how it is to be read. */
  readonly dialects: Readonly<Record<string, DialectId>>;
  /** See `HookRuntimeSettings.confirmWithoutGates`. */
  readonly confirmWithoutGates: boolean;
  /** See `HookRuntimeSettings.approveChanges`. */
  readonly approveChanges?: 'agent' | 'all';
  /** Absolute paths of hooks that the user turned off. */
  readonly disabled?: readonly string[];
}

/** What a hook host is made from. */
export interface HookSetup {
  readonly place: SettingsPlace;
  readonly code: CodePlace;
  readonly settings: SettingsSource;
  readonly models: ModelRegistry;
  /** Read again at each reload. */
  readonly packages: Packages;
  /** Read again at each reload. */
  readonly hookOptions: () => HookOptions;
  /** Named by hand, loaded last. */
  readonly explicit?: readonly ConfiguredPath[];
  /** False: only what is named by hand is loaded. */
  readonly search?: boolean;
  readonly flagValue?: HookServices['flagValue'];
  /** Puts a text on the user's clipboard; a program of the system does when absent. */
  readonly copy?: (text: string) => Promise<void>;
  /** Names that commands of hooks cannot have, where a composer runs the product's own; none when absent. */
  readonly builtInCommands?: ReadonlySet<string>;
  /**
   * Whether what is approved of hooks is kept over the end of the process. `ask`: nothing is written, as where hooks are
   * only tried. Absent: it neither counts nor is written.
   */
  readonly keptHooks?: 'keep' | 'ask';
  /** See `HookHostOptions.heldBackReason`. */
  readonly heldBackReason?: () => string;
  /** The mode and the rules that the built-in gate uses; absent: there is none. */
  readonly approvals?: ApprovalSettings;
  /** For hooks that are only tried, whose providers are checked and not registered. Absent: they may do what they like. */
  readonly createScope?: (options: OwnershipOptions) => OwnershipScope;
  /** Makes sessions of an agent for hooks; absent: they can have none. */
  readonly openChild?: OpenChild;
  /** What makes hooks those of a session that a hook made; absent: they are not. */
  readonly child?: ChildSetup;
  /** See `HookHostOptions.mode`. */
  readonly mode: ConversationMode;
  readonly log: Log;
}

/** A hook host; nothing is loaded before the first `reload`. `dependencies` are what it works with, disposed after it. */
export function createHookHost(setup: HookSetup): {
  readonly host: HookHost<OwnershipScope>;
  readonly dependencies: Disposable;
} {
  const { place, code, settings, hookOptions, flagValue, child, log } = setup;
  const theme = new ThemeSwitch();
  const modules = shippedModules({
    agentDir: () => place.agentDir,
    theme: () => theme.current,
    cwd: () => place.cwd,
    packageDir: () => dirname(code.distDir),
    models: () => setup.models,
    sessions: () => sessions,
    ...(setup.copy === undefined ? {} : { copy: setup.copy }),
    log,
  });
  const loader = new HookLoader({
    cacheDir: join(code.storageDir, 'compiled-hooks'),
    jitiDir: code.jitiDir,
    extensionVersion: code.version,
    workerFile: join(code.distDir, 'transform-worker.js'),
    modules: modulesForFiles(modules, path => absoluteKeys(hookOptions().dialects, place.cwd)[path]),
    log,
  });
  const parent = new ParentServer({
    facts: () => ({
      cwd: place.cwd,
      hooks: host.runningFiles(),
      dialects: absoluteKeys(hookOptions().dialects, place.cwd),
      disabled: hookOptions().disabled ?? [],
    }),
    typedKey: provider => setup.models.typedKey(provider),
    decide: (call, asked, state, signal) => host.decideForChild(call, asked, state, signal),
    log,
  });
  // What is held, and what stopped, is known around the session.
  const keptHooks = child === undefined ? setup.keptHooks : undefined;
  const blackBox = keptHooks && blackBoxOf(setup);
  const files = { script: join(code.distDir, 'cli.js'), folder: join(code.distDir, '..', 'media', 'bin') };
  const pi = new PiProgram(files, isPi => parent.variables(isPi));
  const host: HookHost<OwnershipScope> = new HookHost<OwnershipScope>({
    discover: async () => {
      // oh-my-pi's `pi.typebox` is read without waiting, so it has to be there before any hook runs.
      await modules.load(TYPEBOX, () => true);
      if (child !== undefined) return child.files();
      await setup.packages.reload();
      return discoverFor(setup);
    },
    loader: child === undefined ? loader : withInlineHooks(loader, child.inline),
    ...(child === undefined ? {} : { loadsOnce: true, watchCalls: child.watchCalls }),
    createScope: (owner, onDidThrow) => {
      const { hookLoopLimit } = settings.current;
      const loopLimitMs = hookLoopLimit === 0 ? Number.POSITIVE_INFINITY : hookLoopLimit;
      const options = { owner, onDidThrow, loopLimitMs };
      const watch = blackBox?.watch(owner);
      return (
        setup.createScope?.(options) ??
        new LiveScope({ ...options, cwd: place.cwd, pi, ...(watch === undefined ? {} : { watch }) })
      );
    },
    settings: () => ({
      hookTimeout: settings.current.hookTimeout,
      dialects: absoluteKeys(hookOptions().dialects, place.cwd),
      confirmWithoutGates: hookOptions().confirmWithoutGates,
      ...approveChangesIn(hookOptions()),
    }),
    checkMcpServer: (name, config) => {
      const checked = checkServerConfig(name, config);
      return checked.ok ? undefined : checked.fault.message;
    },
    readLists: async () => settings.reload?.(),
    writtenSettings: () => settings.current.written,
    builtInCommands: setup.builtInCommands ?? new Set(),
    providers: providersFor(setup),
    theme,
    exec: (command, args, options) => {
      const env = { ...options.env, ...pi.variablesFor({ ...process.env, ...options.env }, command, args) };
      return execCommand(command, args, { ...options, env });
    },
    shipped: specifier => shippedModule(modules, specifier),
    cwd: place.cwd,
    mode: setup.mode,
    isProjectTrusted: place.includeProject,
    childCalls: parent.onDidCall,
    ...(setup.approvals === undefined
      ? {}
      : { gate: { path: join(code.distDir, 'approvals', GATE_FILE), settings: setup.approvals } }),
    ...(keptHooks === undefined ? {} : { approvals: keptApprovals(setup, keptHooks) }),
    ...(blackBox === undefined ? {} : { blackBox }),
    ...(setup.heldBackReason === undefined ? {} : { heldBackReason: setup.heldBackReason }),
    ...(flagValue === undefined ? {} : { flagValue }),
    log,
  });
  const sessions =
    setup.openChild &&
    new OwnChildSessions({
      ...setup,
      host,
      parent,
      open: setup.openChild,
      createHost: own => createHookHost({ ...setup, ...own }),
    });
  const dependencies = new DisposableStore();
  if (sessions !== undefined) dependencies.add(sessions);
  dependencies.add(loader);
  dependencies.add(parent);
  if (blackBox !== undefined) dependencies.add(blackBox);
  return { host, dependencies };
}

/** Hooks that are only tried are not watched; those that stopped a process before are not tried. */
function blackBoxOf({ code, settings, createScope, log }: HookSetup): BlackBox {
  return new BlackBox({
    dir: join(code.stateDir, 'stopped-hooks'),
    watchdog: createScope === undefined ? join(code.distDir, 'watchdog.js') : undefined,
    limitMs: () => settings.current.hookLoopLimit,
    log,
  });
}

function shippedModule(modules: VirtualModules, specifier: string): Readonly<Record<string, unknown>> | undefined {
  // A module's exports are an object, whose members are reached by name.
  return modules.has(specifier) ? (modules.get(specifier) as Readonly<Record<string, unknown>>) : undefined;
}

/** The hook files of this setup: those to load, and those that are held back. */
function discoverFor(setup: HookSetup): Discovered {
  const { agentDir, cwd, includeProject } = setup.place;
  const { explicit = [], search = true, packages } = setup;
  const settingsPaths = search ? configuredPaths(setup) : [];
  const { disabled = [] } = setup.hookOptions();
  const extensionLists = search ? setup.settings.current.extensions : [];
  const packageFiles = packages.filesToLoad('extensions').filter(file => search || file.package.scope === 'temporary');
  const options = {
    ...{ agentDir, cwd, settingsPaths, extensionLists, packageFiles, explicit, disabled },
    ...(search ? {} : { onlyNamed: true as const }),
  };
  return discoverByTrust(options, includeProject());
}

function approveChangesIn({ approveChanges }: HookOptions): Pick<HookOptions, 'approveChanges'> {
  return approveChanges === undefined ? {} : { approveChanges };
}

function keptApprovals(
  { place, code, settings, hookOptions, search = true }: HookSetup,
  use: 'keep' | 'ask',
): KeptApprovals {
  const { agentDir, cwd } = place;
  const sessionDirs = (): readonly string[] =>
    [sessionDirFrom(process.env, cwd), sessionDirOf(settings.current, cwd), sessionDirFor(agentDir, cwd)].flatMap(
      dir => dir ?? [],
    );
  const hasSessions = (): boolean => hasSessionsOf(cwd, sessionDirs());
  return {
    store: new ApprovalStore({ stateDir: code.stateDir, agentDir, cwd, hasSessions }),
    writes: use === 'keep',
    lists: () => hookListsIn(settings.current),
    search,
    lasting: hookOptions().paths.map(({ from }) => from),
  };
}

/** The lists of settings files that name hooks, or leave some out. */
function hookListsIn({ hooks, extensions }: SettingsSource['current']): readonly HookList[] {
  const paths = new Map<string, string[]>();
  for (const { path, from } of hooks) paths.set(from, [...(paths.get(from) ?? []), path]);
  return [
    ...[...paths].map(([file, entries]) => ({ file, key: 'hooks', entries })),
    ...extensions.map(({ from, entries }) => ({ file: from, key: 'extensions', entries: [...entries] })),
  ];
}

function configuredPaths({ settings, hookOptions }: HookSetup): readonly ConfiguredPath[] {
  const fromFile = (setting: SettingPath): ConfiguredPath => ({
    path: setting.path,
    from: `hooks in ${setting.from}`,
    group: 'hooks',
  });
  return [...settings.current.hooks.map(fromFile), ...hookOptions().paths];
}

function absoluteKeys(dialects: HookOptions['dialects'], cwd: string): HookOptions['dialects'] {
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
  registerNative: provider => {
    checkNativeProvider(provider);
    return toDisposable(() => undefined);
  },
  unregister: () => undefined,
  registerVirtual: definition => {
    checkVirtualModel(definition);
    return toDisposable(() => undefined);
  },
  unregisterVirtual: () => undefined,
};

function providersFor({ createScope, models, child }: HookSetup): ProviderPort {
  if (createScope !== undefined) return NO_PROVIDERS;
  return child === undefined ? providersOf(models) : providersOfChild(models, child.name);
}

function providersOf(models: ModelRegistry): ProviderPort {
  return {
    register: (name, config, { path, ...takes }) => {
      // Checked by the registry, which names provider and field in what it throws.
      models.registerProvider(name, config, path, takes);
      return toDisposable(() => models.unregisterProvider(name, path));
    },
    registerNative: (provider, { path }) => {
      models.registerNativeProvider(provider, path);
      const { id } = checkNativeProvider(provider);
      return toDisposable(() => models.unregisterProvider(id, path));
    },
    unregister: name => models.unregisterProvider(name),
    registerVirtual: (definition, { path }) => {
      models.registerVirtualModel(definition, path);
      const { provider, id } = checkVirtualModel(definition);
      return toDisposable(() => models.unregisterVirtualModel(provider, id, path));
    },
    unregisterVirtual: (provider, id) => models.unregisterVirtualModel(provider, id),
  };
}

/** The registry is that of the conversation: what the same files registered there stays when the session ends. */
function providersOfChild(models: ModelRegistry, childName: string): ProviderPort {
  const base = providersOf(models);
  const registered = new Map<string, Disposable>();
  const keep = (name: string, registration: Disposable): Disposable => {
    registered.set(name, registration);
    return registration;
  };
  const sourceOf = <O extends { readonly path: string }>(hook: O): O => ({
    ...hook,
    path: `${hook.path} ${childName}`,
  });
  return {
    register: (name, config, hook) => keep(name, base.register(name, config, sourceOf(hook))),
    registerNative: (provider, hook) => {
      const { id } = checkNativeProvider(provider);
      return keep(id, base.registerNative(provider, sourceOf(hook)));
    },
    unregister: name => registered.get(name)?.dispose(),
    registerVirtual: (definition, hook) => {
      const { provider, id } = checkVirtualModel(definition);
      // There is but one of a name.
      if (models.find(provider, id) !== undefined) return toDisposable(() => undefined);
      return keep(`${provider}/${id}`, base.registerVirtual(definition, sourceOf(hook)));
    },
    unregisterVirtual: (provider, id) => registered.get(`${provider}/${id}`)?.dispose(),
  };
}
