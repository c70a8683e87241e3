import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { COMMAND_LINE_ADVICE } from '../agent/models/keys/missing-key';
import { noKeys } from '../agent/models/keys/api-key-source';
import { ModelRegistry } from '../agent/models/registry';
import type { Log } from '../base/log';
import type { Problem } from '../base/result';
import { createHookHost, type CodePlace, type HookSetup } from '../startup/hook-setup';
import { agentDirFrom, LiveSettings, type SettingsPlace, type SettingsSource } from '../startup/live-settings';
import { SystemPrompt } from '../startup/system-prompt';
import { type ConfiguredPath, resolveHookPath } from '../hooks/host/discover';
import type { CliOptions, NamedHook } from './arguments';
import { findModel, type FoundModel } from './model-lookup';
import { UsageError } from './usage-error';
import type { PiSettings } from '../agent/settings';
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
  /** What is wrong with files that were read, for people. */
  readonly problems: () => readonly Problem[];
}

/**
 * Reads settings, instructions and models, and makes a hook host that has loaded nothing yet. Whoever starts a program in
 * a folder trusts it, as with pi: what the folder's `.pi` holds counts.
 * @throws {UsageError} when a hook named by hand is not there
 */
export async function openProcessServices(parts: ProcessServicesParts): Promise<ProcessServices> {
  const { options, cwd, env, code, log, flagValue } = parts;
  const place: SettingsPlace = { agentDir: agentDirFrom(undefined, env), cwd, includeProject: () => true };
  const explicit = options.hooks.map(hook => namedHook(hook, cwd));
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
    SystemPrompt.open(place, ownPromptTexts(options)),
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
  return { place, settings, prompt, models, hooks, problems };
}

/** The model of `--model` and `--provider`, to be looked for when hooks have registered theirs. */
export function wishedModel({ provider, model }: CliOptions, models: ModelRegistry): FoundModel | undefined {
  const wish = { ...(provider === undefined ? {} : { provider }), ...(model === undefined ? {} : { model }) };
  return findModel(wish, models.getAll(), candidate => models.hasConfiguredAuth(candidate));
}

function namedHook({ path, flag }: NamedHook, cwd: string): ConfiguredPath {
  const file = resolveHookPath(path, cwd, homedir());
  if (!existsSync(file)) throw new UsageError(`${flag} names a path that does not exist: ${path}`);
  return { path: file, from: flag, group: flag === '--hook' ? 'hooks' : 'extensions' };
}

function ownPromptTexts({ systemPrompt, appendSystemPrompt }: CliOptions): { custom?: string; append?: string } {
  return {
    ...(systemPrompt === undefined ? {} : { custom: textOrFile(systemPrompt, '--system-prompt') }),
    ...(appendSystemPrompt.length === 0
      ? {}
      : { append: appendSystemPrompt.map(given => textOrFile(given, '--append-system-prompt')).join('\n\n') }),
  };
}

/** What names a file means its text, as in pi. */
function textOrFile(given: string, flag: string): string {
  try {
    if (!statSync(given).isFile()) return given;
  } catch {
    return given; // No such file: it is the text itself.
  }
  try {
    return readFileSync(given, 'utf8');
  } catch (error) {
    throw new UsageError(`${flag}: ${given} cannot be read: ${String(error)}`);
  }
}
