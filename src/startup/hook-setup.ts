import { url as inspectorUrl } from 'node:inspector';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { writeRecordsIn } from '../agent/tools/files/writing/write-records';
import { checkProviderConfig } from '../agent/models/provider-config';
import { checkNativeProvider } from '../agent/models/native-providers';
import type { ModelRegistry } from '../agent/models/registry';
import { checkVirtualModel } from '../agent/models/virtual-models';
import type { CodecOf } from '../agent/tools/files/text-codec';
import { execCommand } from '../agent/tools/shell/exec';
import { defined } from '../base/defined';
import { DisposableStore, toDisposable, type Disposable } from '../base/disposable';
import type { Log } from '../base/log';
import { BlackBox, stopsFolder } from '../hook-run/black-box/black-box';
import type { HookList } from '../gate/approval-store/approval-record';
import type { HeldFiles } from '../gate/held-changes/held-files';
import { ApprovalStore } from '../gate/approval-store/approval-store';
import type { KeptApprovals } from '../gate/held-changes/hook-approvals';
import { resolveHookPath, type ConfiguredPath } from '../hook-load/files/discover';
import type { DialectId } from '../hook-contract/dialect-id';
import { HookHost } from '../hook-run/host/host';
import type { HookHostOptions } from '../hook-run/host/host-options';
import { HookLoader } from '../hook-load/hook-loader';
import { withInlineHooks } from '../hook-run/host/inline-hooks';
import { modulesForFiles } from '../hook-load/modules/modules-for-file';
import { shippedModules } from '../hook-load/modules/shipped-modules';
import type { VirtualModules } from '../hook-load/modules/virtual-modules';
import { LiveScope } from '../hook-load/ownership/live-scope';
import { PiProgram } from '../hook-load/ownership/pi-program';
import type { OwnershipOptions, OwnershipScope } from '../hook-load/ownership/scope';
import { GATE_FILE } from '../hook-contract/conversation-approvals';
import type { ApprovalSettings } from '../gate/approval-settings';
import type { HookServices, ProviderPort } from '../hook-run/api/services';
import { ThemeSwitch } from '../hook-contract/ui/theme';
import { checkServerConfig } from '../mcp/config/server-config';
import { startHelper, type EarlyHelper } from './helper-thread/helper-thread';
import { OwnChildSessions, type ChildSetup, type OpenChild } from './child-sessions';
import { ParentServer } from './parent/parent-server';
import type { ConversationMode } from '../hook-contract/conversation-port';
import { discoverByTrust, hooksAwaitingTrust, type HookSearch } from './trust/held-back-hooks';
import type { HeldPackages } from '../packages/approval/held-packages';
import type { Packages } from '../packages/packages';
import type { SettingsPlace, SettingsSource } from './live-settings';
import { withholdProviderKeys } from './withheld-keys';
import { RUNTIME_EXPORTS } from '../hook-run/tool-call/runtime-exports';

const TYPEBOX = '@sinclair/typebox';

/** Where this copy of Hookline is, and where it can write. All paths are absolute. */
export interface CodePlace {
  /** Holds the built files. */
  readonly distDir: string;
  /** Holds jiti.cjs and babel.cjs. */
  readonly jitiDir: string;
  /** For files that can be made again; all processes of the same kind share it. */
  readonly storageDir: string;
  /** For files that must not be lost; windows and the command line share it ({@link stateFolder}). */
  readonly stateDir: string;
  readonly version: string;
}

/** Options about hooks from VS Code's settings or the command line. */
export interface HookOptions {
  /** Hook paths named there; they are loaded after `hooks` of pi's settings files. */
  readonly paths: readonly ConfiguredPath[];
  /** Path of a hook file, as the user wrote it -> the dialect in which it is to be read. */
  readonly dialects: Readonly<Record<string, DialectId>>;
  /** See `HookRuntimeSettings.confirmWithoutGates`. */
  readonly confirmWithoutGates: boolean;
  /** See `HookRuntimeSettings.approveChanges`. */
  readonly approveChanges?: 'agent' | 'all';
  /** Absolute paths of hooks that the user turned off. */
  readonly disabled: readonly string[];
}

/** What {@link createHookHost} needs. */
export interface HookSetup extends HookSearch {
  readonly place: SettingsPlace;
  readonly code: CodePlace;
  readonly settings: SettingsSource;
  readonly models: ModelRegistry;
  /** Reloaded each time the hooks are. */
  readonly packages: Packages;
  /** What holds changes of approved packages; when absent, only their files are compared. */
  readonly heldPackages?: HeldPackages;
  /** Is called again each time the hooks are reloaded. */
  readonly hookOptions: () => HookOptions;
  readonly flagValue: HookServices['flagValue'];
  /** Puts a text on the user's clipboard; when absent, a program of the operating system does. */
  readonly copy?: (text: string) => Promise<void>;
  /** The encodings of files that are not Unicode, as the editor has them; absent: not known. */
  readonly codecOf?: CodecOf;
  /** Names that commands of hooks cannot have because the composer runs built-in commands; none when absent. */
  readonly builtInCommands?: ReadonlySet<string>;
  /**
   * `readWrite`: approvals of hook changes are read from disk and written to it. `readOnly`: they are read, but not written, as
   * when hooks are only tried. Absent: they are neither read nor written.
   */
  readonly storedApprovals?: 'readWrite' | 'readOnly';
  /** Changes of settings files that are held as changes of hooks are; used with `storedApprovals`. */
  readonly heldFiles?: HeldFiles;
  /** See `HookHostOptions.heldBackReason`. */
  readonly heldBackReason?: () => string;
  /** The mode and the rules of the built-in gate; when absent, there is no such gate. */
  readonly approvals?: ApprovalSettings;
  /** For hooks that are only tried: limits what they can do. Their providers are then checked, but not registered. */
  readonly createScope?: (options: OwnershipOptions) => OwnershipScope;
  /** Opens agent sessions that hooks make; when absent, hooks cannot make any. */
  readonly openChild?: OpenChild;
  /** Set when the host is for a session that a hook made. */
  readonly child?: ChildSetup;
  /** A helper thread that runs already. */
  readonly earlyHelper?: EarlyHelper;
  /** See `HookHostOptions.mode`. */
  readonly mode: ConversationMode;
  /** See `OwnershipOptions.protectsStdio`. */
  readonly protectsStdio?: boolean;
  /** See `HookHostOptions.timeouts`. */
  readonly timeouts?: HookHostOptions['timeouts'];
  readonly log: Log;
}

/** Creates a hook host; it loads nothing before its first `reload`. Dispose `dependencies` after the host. */
export function createHookHost(setup: HookSetup): {
  readonly host: HookHost<OwnershipScope>;
  readonly dependencies: Disposable;
} {
  const { place, code, settings, hookOptions, flagValue, child, log } = setup;
  const theme = new ThemeSwitch();
  const modules = shippedModules({
    runtime: RUNTIME_EXPORTS,
    agentDir: () => place.agentDir,
    theme: () => theme.current,
    cwd: () => place.cwd,
    packageDir: () => dirname(code.distDir),
    models: () => setup.models,
    sessions: () => sessions,
    copy: setup.copy,
    writeRecords: writeRecordsIn(code.stateDir),
    codecOf: setup.codecOf,
    variables: place.variables,
    log,
  });
  const loader = new HookLoader({
    cacheDir: join(code.storageDir, 'compiled-hooks'),
    jitiDir: code.jitiDir,
    extensionVersion: code.version,
    // A command line that answers once has nothing else to do while its hooks are compiled.
    ...(setup.mode === 'print' || setup.mode === 'json'
      ? { mapsApart: inspectorUrl() === undefined }
      : { workerFile: join(code.distDir, 'transform-worker.js') }),
    modules: modulesForFiles(modules, {
      settingOf: path => absoluteKeys(hookOptions().dialects, place.cwd)[path],
      needsOf: path => {
        const original = setup.heldPackages?.originalOf(path) ?? path;
        return setup.packages.filesToLoad('extensions').find(file => file.path === original)?.package.needs;
      },
    }),
    log,
  });
  const parentServer = new ParentServer({
    facts: () => ({
      cwd: place.cwd,
      hooks: host.runningFiles(),
      dialects: absoluteKeys(hookOptions().dialects, place.cwd),
      disabled: hookOptions().disabled,
    }),
    typedKey: provider => setup.models.typedKey(provider),
    decide: (call, asked, state, signal) => host.decideForChild(call, asked, state, signal),
    log,
  });
  // For a session that a hook made, the host around it handles held changes and stopped hooks.
  const storedApprovals = child === undefined ? setup.storedApprovals : undefined;
  const blackBox = storedApprovals && blackBoxOf(setup);
  const files = { script: join(code.distDir, 'cli.js'), folder: join(code.distDir, '..', 'media', 'bin') };
  const pi = new PiProgram(files, isPi => ({ ...place.variables?.(), ...parentServer.variables(isPi) }));
  const host: HookHost<OwnershipScope> = new HookHost<OwnershipScope>({
    discover: async ({ packages }) => {
      // Hooks read oh-my-pi's `pi.typebox` synchronously, so it has to be loaded before any hook runs.
      await modules.load(TYPEBOX, () => true);
      if (child !== undefined) return child.files();
      if (packages) await setup.packages.reload();
      return discoverByTrust(setup);
    },
    untrustedHooks: async () => (child === undefined ? await hooksAwaitingTrust(setup) : []),
    loader: child === undefined ? loader : withInlineHooks(loader, child.inline),
    loadsOnce: child !== undefined,
    duringCall: child?.duringCall,
    createScope: (owner, onDidThrow) => {
      const { hookLoopLimit } = settings.current;
      const loopLimitMs = hookLoopLimit === 0 ? Number.POSITIVE_INFINITY : hookLoopLimit;
      const options = { owner, onDidThrow, loopLimitMs, ...defined({ protectsStdio: setup.protectsStdio }) };
      const watch = blackBox?.watch(owner);
      return setup.createScope?.(options) ?? new LiveScope({ ...options, cwd: place.cwd, pi, ...defined({ watch }) });
    },
    settings: () => ({
      hookTimeout: settings.current.hookTimeout,
      dialects: absoluteKeys(hookOptions().dialects, place.cwd),
      confirmWithoutGates: hookOptions().confirmWithoutGates,
      approveChanges: hookOptions().approveChanges,
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
    childCalls: parentServer.onDidCall,
    gate: setup.approvals && { path: join(code.distDir, 'approvals', GATE_FILE), settings: setup.approvals },
    approvals: storedApprovals && keptApprovals(setup, storedApprovals),
    blackBox,
    heldBackReason: setup.heldBackReason,
    timeouts: setup.timeouts,
    flagValue,
    log,
  });
  const sessions =
    setup.openChild &&
    new OwnChildSessions({
      ...setup,
      host,
      parentServer,
      open: setup.openChild,
      createHost: own => createHookHost({ ...setup, ...own }),
    });
  const dependencies = new DisposableStore();
  if (sessions !== undefined) dependencies.add(sessions);
  dependencies.add(loader);
  dependencies.add(parentServer);
  if (blackBox !== undefined) dependencies.add(blackBox);
  if (child === undefined) dependencies.add(withholdProviderKeys(settings, setup.models));
  return { host, dependencies };
}

/** Nothing watches hooks that are only tried; but hooks that stopped a process earlier are not tried. */
function blackBoxOf({ code, settings, createScope, earlyHelper, log }: HookSetup): BlackBox {
  const startThread = (): Worker => earlyHelper?.takeThread() ?? startHelper(code.distDir);
  return new BlackBox({
    dir: stopsFolder(code.stateDir),
    startThread: createScope === undefined ? startThread : undefined,
    limitMs: () => settings.current.hookLoopLimit,
    log,
  });
}

function shippedModule(modules: VirtualModules, specifier: string): Readonly<Record<string, unknown>> | undefined {
  // The exports of a module are always an object.
  return modules.has(specifier) ? (modules.get(specifier) as Readonly<Record<string, unknown>>) : undefined;
}

function keptApprovals(
  { place, code, settings, hookOptions, heldPackages: packages, heldFiles: files, search = true }: HookSetup,
  use: 'readWrite' | 'readOnly',
): KeptApprovals {
  const { agentDir, cwd } = place;
  return {
    store: new ApprovalStore({ stateDir: code.stateDir, agentDir, cwd }),
    writes: use === 'readWrite',
    files,
    lists: () => hookListsIn(settings.current),
    search,
    lasting: hookOptions().paths.map(({ from }) => from),
    ...defined({ packages }),
  };
}

/** The lists in settings files that name or exclude hooks. */
function hookListsIn({ hooks, extensions }: SettingsSource['current']): readonly HookList[] {
  const paths = new Map<string, string[]>();
  for (const { path, from } of hooks) paths.set(from, [...(paths.get(from) ?? []), path]);
  return [
    ...[...paths].map(([file, entries]) => ({ file, key: 'hooks', entries })),
    ...extensions.map(({ from, entries }) => ({ file: from, key: 'extensions', entries: [...entries] })),
  ];
}

function absoluteKeys(dialects: HookOptions['dialects'], cwd: string): HookOptions['dialects'] {
  const home = homedir();
  return Object.fromEntries(
    Object.entries(dialects).map(([path, dialect]) => [resolveHookPath(path, cwd, home), dialect]),
  );
}

/** Only checks providers: a hook with a wrong one does not load here either. */
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
      // The registry checks the provider, and its errors name the provider and the field.
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

/**
 * Providers for the hooks of a session. The registry is that of the conversation, so each registration gets a source of
 * its own: when the session ends, those that the same files made in the conversation stay.
 */
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
      // The registry has only one virtual model with this name: the one of the conversation stays.
      if (models.find(provider, id) !== undefined) return toDisposable(() => undefined);
      return keep(`${provider}/${id}`, base.registerVirtual(definition, sourceOf(hook)));
    },
    unregisterVirtual: (provider, id) => registered.get(`${provider}/${id}`)?.dispose(),
  };
}
