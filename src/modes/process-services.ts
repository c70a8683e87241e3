import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { COMMAND_LINE_ADVICE } from '../agent/models/keys/missing-key';
import { noKeys } from '../agent/models/keys/api-key-source';
import { ModelRegistry } from '../agent/models/registry';
import type { Log } from '../base/log';
import type { Problem } from '../base/result';
import { createHookHost, type CodePlace, type HookSetup } from '../startup/hook-setup';
import { agentDirFrom, LiveSettings, type SettingsPlace, type SettingsSource } from '../startup/live-settings';
import { SystemPrompt, type OwnPromptTexts } from '../startup/system-prompt';
import type { NamedResources } from '../agent/resources/load';
import { type ConfiguredPath, resolveHookPath } from '../hooks/host/discover';
import type { CliOptions, NamedHook } from './arguments/options';
import { findModel, type FoundModel } from './model-lookup';
import { UsageError } from './usage-error';
import type { PiSettings } from '../agent/settings/pi-settings';
import type { Event } from '../base/event';

/** Switches that a program may set for as long as the process lives; settings files stay as they are. */
interface Switches {
  readonly steeringMode?: PiSettings['steeringMode'];
  readonly followUpMode?: PiSettings['followUpMode'];
  readonly autoCompaction?: boolean;
  readonly autoRetry?: boolean;
}

/** Settings with switches above them. */
class SwitchedSettings implements SettingsSource {
  private switches: Switches = {};

  constructor(private readonly below: SettingsSource) {}

  get current(): PiSettings {
    const { steeringMode, followUpMode, autoCompaction, autoRetry } = this.switches;
    const { current } = this.below;
    return {
      ...current,
      ...(steeringMode === undefined ? {} : { steeringMode }),
      ...(followUpMode === undefined ? {} : { followUpMode }),
      ...(autoCompaction === undefined ? {} : { compaction: { ...current.compaction, enabled: autoCompaction } }),
      ...(autoRetry === undefined ? {} : { retry: { ...current.retry, enabled: autoRetry } }),
    };
  }

  get problems(): readonly Problem[] {
    return this.below.problems;
  }

  get onDidChange(): Event<void> {
    return this.below.onDidChange;
  }

  set(switches: Switches): void {
    this.switches = { ...this.switches, ...switches };
  }
}

/** What the command line and its surroundings give. */
export interface ProcessServicesParts {
  readonly options: CliOptions;
  /** Absolute path of the folder that is worked in. */
  readonly cwd: string;
  /** Absolute path of the folder that the program was started in: paths on the command line are meant from there. */
  readonly startedIn: string;
  readonly env: NodeJS.ProcessEnv;
  readonly code: CodePlace;
  /** Values of flags that hooks registered; may change after the hooks were loaded. */
  readonly flagValue: (name: string) => boolean | string | undefined;
  /** See `HookSetup.createScope`. */
  readonly createScope?: HookSetup['createScope'];
  readonly log: Log;
}

/** What hooks and the conversation of one process stand on. */
export interface ProcessServices {
  readonly place: SettingsPlace;
  readonly settings: SwitchedSettings;
  readonly prompt: SystemPrompt;
  readonly models: ModelRegistry;
  readonly hooks: ReturnType<typeof createHookHost>;
  /** Skills and prompt templates that are named by hand. */
  readonly named: NamedResources;
  /** What is wrong with files that were read, for people. */
  readonly problems: () => readonly Problem[];
}

/**
 * Reads settings, instructions and models, and makes a hook host that has loaded nothing yet. Whoever starts a program in
 * a folder trusts it: what the folder's `.pi` holds counts, unless `--no-approve` is given. The folder of a session that
 * belongs elsewhere is trusted with `--approve` only.
 * @throws {UsageError} when a hook named by hand is not there
 */
export async function openProcessServices(parts: ProcessServicesParts): Promise<ProcessServices> {
  const { options, cwd, startedIn, env, code, log, flagValue } = parts;
  const isTrusted = options.approve ?? cwd === startedIn;
  const place: SettingsPlace = { agentDir: agentDirFrom(undefined, env), cwd, includeProject: () => isTrusted };
  const explicit = options.hooks.map(hook => namedHook(hook, startedIn));
  const models = new ModelRegistry({
    agentDir: place.agentDir,
    keys: noKeys,
    env,
    log,
    keyAdvice: COMMAND_LINE_ADVICE,
  });
  const nothingAbove = { value: { model: undefined, thinkingLevel: options.thinking }, problems: [] };
  const [live, prompt] = await Promise.all([
    LiveSettings.open(place, nothingAbove),
    SystemPrompt.open(place, ownPromptTexts(options, startedIn)),
    models.load(),
  ]);
  const settings = new SwitchedSettings(live);
  const hooks = createHookHost({
    place,
    code,
    settings,
    models,
    wishes: () => ({ paths: [], dialects: {}, confirmWithoutGates: true }),
    explicit,
    search: options.searchHooks,
    flagValue,
    ...(parts.createScope === undefined ? {} : { createScope: parts.createScope }),
    log,
  });
  const problems = (): readonly Problem[] => [...settings.problems, ...models.problems, ...hooks.host.problems()];
  const named = namedResources(options, startedIn);
  return { place, settings, prompt, models, hooks, named, problems };
}

/** The model of `--model` and `--provider`, to be looked for when hooks have registered theirs. */
export function wishedModel(options: CliOptions, models: ModelRegistry): FoundModel | undefined {
  const { provider, model, thinking } = options;
  const wish = {
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(thinking === undefined ? {} : { thinking }),
  };
  return findModel(wish, models.getAll(), candidate => models.hasConfiguredAuth(candidate));
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
    ...(systemPrompt === undefined ? {} : { custom: text(systemPrompt, '--system-prompt') }),
    ...(appendSystemPrompt.length === 0
      ? {}
      : { append: appendSystemPrompt.map(given => text(given, '--append-system-prompt')).join('\n\n') }),
  };
}

/** What names a file means its text, as in pi. */
function textOrFile(given: string, path: string, flag: string): string {
  try {
    if (!statSync(path).isFile()) return given;
  } catch {
    return given; // No such file: it is the text itself.
  }
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${flag}: ${given} cannot be read: ${String(error)}`);
  }
}
