import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { COMMAND_LINE_ADVICE } from '../../agent/models/keys/missing-key';
import { noKeys, type ApiKeySource } from '../../agent/models/keys/api-key-source';
import { createStreamFn } from '../../agent/models/requests/stream';
import { createBuiltinTools } from '../../agent/tools';
import { writeRecordsIn, type WriteRecords } from '../../agent/tools/files/writing/write-records';
import type { AnyTool } from '../../agent/tools/tool';
import { demoModel } from '../../demo-model/demo-model';
import { ModelRegistry } from '../../agent/models/registry';
import { editSettings } from '../../agent/settings/write-setting';
import { defined } from '../../base/defined';
import { DisposableStore } from '../../base/disposable';
import { rememberLast } from '../../base/remember-last';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { Problem } from '../../base/result';
import { previewRequest, type Previewer } from '../../package-preview/previewer';
import type { Claim } from '../../packages/approval/claim';
import { HeldPackages } from '../../packages/approval/held-packages';
import {
  approvable,
  openPackageMemory,
  PackageApproval,
  type PackageMemory,
} from '../../packages/approval/package-approval';
import { readDeclarations } from '../../packages/declared';
import { createInstaller } from '../../packages/install/create-installer';
import { isOffline } from '../../packages/install/fetch/offline';
import { entryExists } from '../../packages/install/replace-folder';
import type { PackageReview } from '../../packages/install/fetch/staged-package';
import type { PackagePlaces } from '../../packages/package-source';
import type { InstalledPackage } from '../../packages/installed';
import { Packages } from '../../packages/packages';
import type { OpenChild } from '../../startup/child-sessions';
import { createHookHost, type CodePlace, type HookSetup, type HookOptions } from '../../startup/hook-setup';
import { LiveSettings, type SettingsPlace, type SettingsSource } from '../../startup/live-settings';
import { agentDirFrom } from '../../startup/own-folders';
import { ParentLink } from '../../startup/parent/parent-link';
import { SystemPrompt, type OwnPromptTexts } from '../../startup/system-prompt';
import type { NamedResources } from '../../agent/resources/load';
import { loadByTrust } from '../../startup/load-by-trust';
import { ProjectTrust } from '../../startup/trust/project-trust';
import { relativeHooks } from '../../startup/trust/relative-hooks';
import { watchFiles } from '../../startup/watched-files';
import { agentsWatchedFiles } from '../../guard/config/agents-watched-files';
import { machineOf } from '../../guard/config/this-machine';
import type { HeldFiles } from '../../gate/held-changes/held-files';
import { type ConfiguredPath, resolveHookPath } from '../../hook-load/files/discover';
import type { Caller } from '../../startup/agents/calling-agent';
import { mayBePerson, refuseAgents } from '../agents/refuse-agents';
import type { CliMode, CliOptions, NamedHook } from '../arguments/options';
import { processApprovals } from './process-approvals';
import { findModel, type FoundModel } from './model-lookup';
import { notTrusted } from './trust-text';
import { StartError, UsageError } from '../arguments/usage-error';
import type { PiSettings } from '../../agent/settings/pi-settings';
import type { Event } from '../../base/event';
import type { ConversationMode } from '../../hook-contract/conversation-port';
import { createPreviewer } from './previewer';

/** How long shutdown handlers of hooks may take, in ms; a second less than the end in all, for closing what is open. */
const FAREWELL_MS = 9_000;

/** What hooks see as their mode. */
const HOOK_MODES: Readonly<Record<CliMode, ConversationMode>> = { text: 'print', json: 'json', rpc: 'rpc', acp: 'rpc' };

/** Settings that a client may change; in this process, they have priority over the settings files. */
interface Switches {
  readonly steeringMode?: PiSettings['steeringMode'];
  readonly followUpMode?: PiSettings['followUpMode'];
  readonly autoCompaction?: boolean;
  readonly autoRetry?: boolean;
}

/** The settings files with {@link Switches} over them. */
class SwitchedSettings implements SettingsSource {
  private switches: Switches = {};

  /** `file`: settings.json of the user, in which switches are stored for the next process, as in pi. */
  constructor(
    private readonly below: LiveSettings,
    private readonly file: string,
    private readonly log: Log,
  ) {}

  get current(): PiSettings {
    return this.switched(this.below.current, this.switches);
  }

  private readonly switched = rememberLast((files: PiSettings, switches: Switches): PiSettings => {
    const { steeringMode, followUpMode, autoCompaction, autoRetry } = switches;
    return {
      ...files,
      ...defined({ steeringMode, followUpMode }),
      ...(autoCompaction === undefined ? {} : { compaction: { ...files.compaction, enabled: autoCompaction } }),
      ...(autoRetry === undefined ? {} : { retry: { ...files.retry, enabled: autoRetry } }),
    };
  });

  get problems(): readonly Problem[] {
    return this.below.problems;
  }

  get onDidChange(): Event<void> {
    return this.below.onDidChange;
  }

  reload(): Promise<void> {
    return this.below.reload();
  }

  async set(switches: Switches): Promise<void> {
    this.switches = { ...this.switches, ...switches };
    const { steeringMode, followUpMode, autoCompaction, autoRetry } = switches;
    const edits = [
      { path: ['steeringMode'], value: steeringMode },
      { path: ['followUpMode'], value: followUpMode },
      { path: ['compaction', 'enabled'], value: autoCompaction },
      { path: ['retry', 'enabled'], value: autoRetry },
    ];
    try {
      await editSettings(this.file, () => edits.filter(({ value }) => value !== undefined));
    } catch (error) {
      this.log.warn(messageOf(error));
    }
  }
}

/** What {@link openProcessServices} needs. */
export interface ProcessServicesParts {
  readonly options: CliOptions;
  /** Absolute path of the folder in which the agent works. */
  readonly cwd: string;
  /** Absolute path of the folder in which the program was started; paths on the command line start there. */
  readonly startedIn: string;
  readonly env: NodeJS.ProcessEnv;
  readonly caller: Caller;
  readonly code: CodePlace;
  /** Returns the value of a flag that a hook registered; known only after the hooks were loaded. */
  readonly flagValue: (name: string) => boolean | string | undefined;
  /** A sentence for whoever reads why a call was refused since hooks are held back. */
  readonly heldBackAdvice?: string;
  /** See `HookSetup.createScope`. */
  readonly createScope?: HookSetup['createScope'];
  /** See `HookSetup.storedApprovals`. */
  readonly storedApprovals?: HookSetup['storedApprovals'];
  /** See `HookSetup.earlyHelper`. */
  readonly earlyHelper?: HookSetup['earlyHelper'];
  readonly log: Log;
}

/** The services that hooks and the conversation of one process use. */
export interface ProcessServices {
  readonly place: SettingsPlace;
  readonly settings: SwitchedSettings;
  readonly prompt: SystemPrompt;
  readonly models: ModelRegistry;
  readonly packages: Packages;
  readonly hooks: ReturnType<typeof createHookHost>;
  /** Changes of settings files that wait for the user. */
  readonly heldFiles: HeldFiles;
  /** Files that tools write, and those whose writing ended with a process. */
  readonly writeRecords: WriteRecords;
  /** Skills and prompt templates that the command line names. */
  readonly named: NamedResources;
  readonly trust: ProjectTrust;
  /** The process whose hook started this one; undefined if there is none. */
  readonly parent: ParentLink | undefined;
  /** Decides about trust in the folder and loads hooks. Rejects when the search for hooks fails. */
  readonly loadHooks: () => Promise<void>;
  /** Returns what is wrong with files that were read, for users. */
  readonly problems: () => readonly Problem[];
}

/**
 * Reads settings, instructions and models, and makes a hook host that has loaded nothing yet. The folder is not trusted
 * unless somebody decided so (docs/settings.md, Trust).
 * @throws {UsageError} when a hook that the command line names does not exist
 * @throws {StartError} when an agent approves packages in advance
 */
export async function openProcessServices(parts: ProcessServicesParts): Promise<ProcessServices> {
  const { options, cwd, startedIn, env, code, log, flagValue, heldBackAdvice } = parts;
  if (options.approvePackages) refuseAgents('approve packages', parts.caller, code.stateDir);
  const parent = await parentOf(env, cwd, options.searchHooks);
  const agentDir = agentDirFrom(undefined, env);
  const heldFiles = watchFiles(
    { stateDir: code.stateDir, agentDir, cwd },
    {
      writes: parts.storedApprovals === 'readWrite',
      mayDecide: () => mayBePerson(parts.caller, code.stateDir),
      ofAgents: agentsWatchedFiles({
        ...{ stateDir: code.stateDir, cwd },
        machine: machineOf({ env, platform: process.platform }),
      }),
      log,
    },
  );
  const { approve: flag } = options;
  const trust = new ProjectTrust({
    ...{ agentDir, cwd, log, flag },
    env: parts.caller.env,
    named: () => relativeHooks(live.current),
  });
  const place: SettingsPlace = {
    ...{ agentDir, cwd },
    includeProject: () => trust.isTrusted,
    variables: () => trust.variables,
  };
  const explicit = [...parent.hooks, ...options.hooks.map(hook => namedHook(hook, startedIn))];
  const models = new ModelRegistry({
    agentDir: place.agentDir,
    embedded: demoModel(),
    keys: parent.keys,
    env,
    log,
    keyAdvice: COMMAND_LINE_ADVICE,
  });
  const { models: patterns, thinking: startLevel } = options;
  const above = { value: { model: undefined, models: patterns, thinkingLevel: undefined, startLevel }, problems: [] };
  const [live, prompt] = await Promise.all([
    LiveSettings.open(place, above),
    SystemPrompt.open(place, ownPromptTexts(options, startedIn)),
    models.load(),
  ]);
  const writeRecords = writeRecordsIn(code.stateDir);
  const settings = new SwitchedSettings(live, join(place.agentDir, 'settings.json'), log);
  const approvals = await processApprovals({
    ...{ options, place, settings, startedIn, code, log },
    parent: parent.link,
  });
  const memory = openPackageMemory(code.stateDir, { agentDir, cwd });
  const approval = packageApproval(agentDir, memory, parts);
  const packages = new Packages({ place, settings, gate: approval, temporary: options.packages });
  const heldPackages = new HeldPackages({
    ...{ packages, approval, memory, places: { agentDir, cwd } },
    review: async installed => {
      await approval.approve(approvable(installed), await claimsWith(createPreviewer(code))(installed));
      return true;
    },
  });
  await installTemporaryPackages(parts, { agentDir, cwd }, settings);
  const { host, dependencies } = createHookHost({
    place,
    code,
    settings,
    models,
    packages,
    heldPackages,
    hookOptions: () => ({ paths: [], dialects: parent.dialects, disabled: parent.disabled, confirmWithoutGates: true }),
    explicit,
    search: options.searchHooks,
    flagValue,
    approvals,
    heldFiles,
    heldBackReason: () => `${notTrusted(trust.current)}${heldBackAdvice === undefined ? '' : ` ${heldBackAdvice}`}`,
    ...(parts.createScope === undefined
      ? { openChild: openChildWith(models, settings, writeRecords) }
      : { createScope: parts.createScope }),
    mode: HOOK_MODES[options.mode],
    protectsStdio: options.mode !== 'text',
    timeouts: { farewell: FAREWELL_MS },
    ...defined({ storedApprovals: parts.storedApprovals, earlyHelper: parts.earlyHelper }),
    log,
  });
  const closing = new DisposableStore();
  for (const each of [dependencies, heldFiles]) closing.add(each);
  const hooks = { host, dependencies: closing };
  const problems = (): readonly Problem[] => [
    ...settings.problems,
    ...prompt.problems,
    ...models.problems,
    ...approval.problems,
    ...packages.current.problems,
    ...hooks.host.problems(),
  ];
  const named = namedResources(options, startedIn);
  const loadHooks = async (): Promise<void> => {
    await loadByTrust({ trust, settings: live, prompt, host: hooks.host });
    parts.earlyHelper?.dropLooks();
  };
  const own = { place, settings, prompt, models, packages, hooks, heldFiles, writeRecords, named, trust };
  return { ...own, parent: parent.link, loadHooks, problems };
}

function openChildWith(models: ModelRegistry, settings: SettingsSource, writeRecords: WriteRecords): OpenChild {
  const opening = {
    stream: createStreamFn(models),
    builtInTools: (place: SettingsPlace) => toolsIn(place, settings, writeRecords),
  };
  return async (child, request) =>
    (await import('../../session/child-session/open-child')).openChild(opening, child, request);
}

/** The built-in tools for conversations in this folder. */
export function toolsIn(
  { cwd, variables }: SettingsPlace,
  settings: SettingsSource,
  writeRecords: WriteRecords,
): readonly AnyTool[] {
  const { shellPath, shellCommandPrefix: commandPrefix } = settings.current;
  const autoResizeImages = (): boolean => settings.current.images.autoResize;
  return createBuiltinTools({ cwd, shellPath, commandPrefix, variables, autoResizeImages, writeRecords });
}

/** The gate for packages on the command line, where the user cannot be shown a preview before they run. */
function packageApproval(
  agentDir: string,
  memory: PackageMemory,
  { options, code, earlyHelper, log }: Pick<ProcessServicesParts, 'options' | 'code' | 'earlyHelper' | 'log'>,
): PackageApproval {
  const howTo = '--approve-packages approves and runs it.';
  const takeEarlyLook = earlyHelper && ((folder: string) => earlyHelper.takeLook(folder));
  const gate = { agentDir, howTo, memory, log, ...defined({ takeEarlyLook }) };
  if (!options.approvePackages) return new PackageApproval(gate);
  return new PackageApproval({ ...gate, approvesWith: claimsWith(createPreviewer(code)) });
}

function claimsWith(previewer: Previewer): (installed: InstalledPackage) => Promise<readonly Claim[]> {
  return async installed => (await previewer.preview(previewRequest(installed))).claims;
}

/**
 * Installs or updates the packages that the command line names, in separate folders.
 * @throws {StartError} when one cannot be installed, since it may contain a gate
 */
async function installTemporaryPackages(
  { options, env, startedIn, log }: ProcessServicesParts,
  places: PackagePlaces,
  settings: SettingsSource,
): Promise<void> {
  if (options.packages.length === 0) return;
  const { packages, problems } = readDeclarations({ places, lists: [], temporary: options.packages });
  const [problem] = problems;
  if (problem !== undefined) throw new UsageError(problem.message);
  const review: PackageReview = () => Promise.resolve('install');
  const installer = createInstaller({ places: { ...places, cwd: startedIn }, settings, env, review });
  const run = { signal: new AbortController().signal, progress: (text: string) => log.info(text) };
  for (const declared of packages) {
    if (isOffline(env) && (await entryExists(declared.folder))) continue;
    try {
      await installer.installTemporary(declared, run);
    } catch (error) {
      throw new StartError(`Package "${declared.written}" cannot be loaded for this run: ${messageOf(error)}`);
    }
  }
}

interface Parent {
  readonly hooks: readonly ConfiguredPath[];
  readonly dialects: HookOptions['dialects'];
  readonly disabled: readonly string[];
  readonly keys: ApiKeySource;
  readonly link: ParentLink | undefined;
}

/** What this process gets from the process whose hook started it; empty if there is none. */
async function parentOf(env: NodeJS.ProcessEnv, cwd: string, search: boolean): Promise<Parent> {
  try {
    const link = await ParentLink.open(env);
    if (link === undefined) return { hooks: [], dialects: {}, disabled: [], keys: noKeys, link };
    const { dialects, disabled } = link.facts;
    return { hooks: await link.hooksFor(cwd, search), dialects, disabled, keys: link, link };
  } catch (error) {
    throw new StartError(messageOf(error));
  }
}

/** The model that `--model` and `--provider` name. Call this after hooks registered their models. */
export function requestedModel(options: CliOptions, models: ModelRegistry): FoundModel | undefined {
  const { provider, model, thinking } = options;
  return findModel(defined({ provider, model, thinking }), models.getAll(), candidate =>
    models.hasConfiguredAuth(candidate),
  );
}

function namedHook({ path, flag }: NamedHook, cwd: string): ConfiguredPath {
  const file = resolveHookPath(path, cwd, homedir());
  if (!existsSync(file)) throw new UsageError(`${flag} names a path that does not exist: ${path}`);
  return { path: file, from: flag, group: flag === '--hook' ? 'hooks' : 'extensions' };
}

function namedResources(options: CliOptions, startedIn: string): NamedResources {
  const absolute = (paths: readonly string[]): string[] =>
    paths.map(path => resolveHookPath(path, startedIn, homedir()));
  return {
    skills: { paths: absolute(options.skills), search: options.searchSkills },
    prompts: { paths: absolute(options.promptTemplates), search: options.searchPromptTemplates },
  };
}

function ownPromptTexts(options: CliOptions, startedIn: string): OwnPromptTexts {
  const { contextFiles, systemPrompt, appendSystemPrompt } = options;
  const text = (given: string, flag: string): string => textOrFile(given, resolve(startedIn, given), flag);
  return {
    contextFiles,
    custom: systemPrompt === undefined ? undefined : text(systemPrompt, '--system-prompt'),
    append:
      appendSystemPrompt.length === 0
        ? undefined
        : appendSystemPrompt.map(given => text(given, '--append-system-prompt')).join('\n\n'),
  };
}

/** The content of the file if `path` is a file, or else the given text, as in pi. */
function textOrFile(given: string, path: string, flag: string): string {
  try {
    if (!statSync(path).isFile()) return given;
  } catch {
    return given; // There is no such file, so it is the text itself.
  }
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${flag}: ${given} cannot be read: ${String(error)}`);
  }
}
