import { Type, type Static, type TSchema } from '@sinclair/typebox';
import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable';
import { Emitter } from '../base/event';
import { failed, ok, type Problem, type Result } from '../base/result';
import { parse } from '../base/json/schema';
import { APPROVAL_MODES, PATH_ANSWERS, type ApprovalMode } from '../hook-contract/approvals/approval-mode';
import type { PlaceAnswers } from '../gate/built-in-gate';
import { USUAL_PORTS, type LocalServerId } from '../agent/models/servers/usual-ports';
import type { PiSettings } from '../agent/settings/pi-settings';
import { THINKING_LEVELS } from '../agent/thinking-levels';
import type { DialectId } from '../hook-contract/dialect-id';
import { SETTING_DEFAULTS, SETTINGS_SECTION, type SettingName } from './ids';

const Text = Type.String();
const Texts = Type.Array(Type.String());
const Flag = Type.Boolean();
const Dialects = Type.Record(
  Type.String(),
  Type.Union((['v1', 'v2', 'tree', 'omp', 'ext', 'pi'] as const).map(id => Type.Literal(id))),
);
const Mode = Type.Union(APPROVAL_MODES.map(mode => Type.Literal(mode)));
const PathAnswer = Type.Union(PATH_ANSWERS.map(answer => Type.Literal(answer)));
const Places = Type.Partial(Type.Object({ code: PathAnswer, build: PathAnswer, outside: PathAnswer }));
const Port = Type.Integer({ minimum: 0, maximum: 65535 });
const Ports = Type.Partial(Type.Object({ ollama: Port, lmstudio: Port, llamacpp: Port, vllm: Port }));
const Listing = Type.Union((['ask', 'always', 'never'] as const).map(choice => Type.Literal(choice)));
const Approving = Type.Union((['agent', 'all'] as const).map(whose => Type.Literal(whose)));
const Members = Type.Record(Type.String(), Type.Unknown());
const FlagValue = Type.Union([Type.Boolean(), Type.String()]);
const Level = Type.Union((['', ...THINKING_LEVELS] as const).map(id => Type.Literal(id)));

/** Values of the `hookline.*` settings of VS Code. The agent reads pi's settings.json files. */
export interface Settings {
  /** Absolute or starting with `~`; undefined means `PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
  readonly agentDir: string | undefined;
  /** `provider/id`; undefined leaves the choice to pi's settings. */
  readonly model: string | undefined;
  readonly thinkingLevel: PiSettings['defaultThinkingLevel'] | undefined;
  /** Whether code lenses are shown above handlers and commands of hooks. */
  readonly codeLens: boolean;
  /** Names of VS Code's tools that the agent may use; a `*` at the end matches any rest of a name. */
  readonly editorTools: readonly string[];
  /** Whether the list of models may be updated from the network. */
  readonly updateModelList: boolean;
  /** On which ports of this machine to look for servers of models; 0: not for this one. */
  readonly localServers: Readonly<Record<LocalServerId, number>>;
  readonly approvals: {
    readonly defaultMode: ApprovalMode;
    readonly places: PlaceAnswers;
    /** Names of VS Code's tools that themselves ask the user, so that Hookline does not ask a second time. */
    readonly toolsThatAsk: readonly string[];
    /** Whether the diff of a write opens by itself when the built-in gate asks about it. */
    readonly openDiff: boolean;
  };
  readonly hooks: {
    readonly paths: readonly string[];
    /** Path of a hook file -> its dialect. */
    readonly dialects: Readonly<Record<string, DialectId>>;
    readonly askWhileBroken: boolean;
    /** See `HookRuntimeSettings.approveChanges`. */
    readonly approveChanges: 'agent' | 'all';
    /** Whether their commands are listed in the Command Palette; `ask`: the user has not decided. */
    readonly commandsInPalette: 'ask' | 'always' | 'never';
    readonly sessionStartOnSwitch: boolean;
    /** Whether VS Code's own agent gets their tools. */
    readonly offerTools: boolean;
    /** Values of flags that hooks registered, by name. */
    readonly flags: Readonly<Record<string, boolean | string>>;
  };
}

/** Reads `hookline.*`. A value of the wrong type counts as not set and is reported in `problems`. */
export class VsCodeSettings implements Disposable {
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;
  private readonly subscription: vscode.Disposable;
  private current: Settings;
  private found: readonly Problem[] = [];

  constructor() {
    this.current = this.read();
    this.subscription = vscode.workspace.onDidChangeConfiguration(change => {
      if (!change.affectsConfiguration(SETTINGS_SECTION)) return;
      this.current = this.read();
      this.changeEmitter.fire();
    });
  }

  get value(): Settings {
    return this.current;
  }

  /** What is wrong with the current settings. */
  get problems(): readonly Problem[] {
    return this.found;
  }

  dispose(): void {
    this.subscription.dispose();
    this.changeEmitter.dispose();
  }

  private read(): Settings {
    const problems: Problem[] = [];
    const configuration = vscode.workspace.getConfiguration(SETTINGS_SECTION);
    const setting = <T>(name: SettingName, check: (value: unknown) => Result<T>): T => {
      const given = check(configuration.get(name));
      if (given.ok) return given.value;
      problems.push(...given.problems);
      const fallback = check(SETTING_DEFAULTS[name]);
      if (fallback.ok) return fallback.value;
      throw new Error(`The default of ${SETTINGS_SECTION}.${name} is not valid.`);
    };
    const settings: Settings = {
      agentDir: setting('agentDir', filled('agentDir')),
      model: setting('model', modelName),
      thinkingLevel: setting('thinkingLevel', level),
      codeLens: setting('codeLens', checked('codeLens', Flag)),
      editorTools: setting('editorTools', checked('editorTools', Texts)),
      updateModelList: setting('models.updateList', checked('models.updateList', Flag)),
      localServers: { ...USUAL_PORTS, ...setting('models.localServers', checked('models.localServers', Ports)) },
      approvals: {
        defaultMode: setting('approvals.defaultMode', checked('approvals.defaultMode', Mode)),
        places: {
          ...{ code: 'ask', build: 'ask', outside: 'ask' },
          ...setting('approvals.places', checked('approvals.places', Places)),
        },
        toolsThatAsk: setting('approvals.toolsThatAsk', checked('approvals.toolsThatAsk', Texts)),
        openDiff: setting('approvals.openDiff', checked('approvals.openDiff', Flag)),
      },
      hooks: {
        paths: setting('hooks.paths', checked('hooks.paths', Texts)),
        dialects: setting('hooks.dialects', checked('hooks.dialects', Dialects)),
        flags: readFlags(setting('hooks.flags', checked('hooks.flags', Members)), problems),
        askWhileBroken: setting('hooks.askWhileBroken', checked('hooks.askWhileBroken', Flag)),
        approveChanges: setting('hooks.approveChanges', checked('hooks.approveChanges', Approving)),
        commandsInPalette: setting('hooks.commandsInPalette', checked('hooks.commandsInPalette', Listing)),
        sessionStartOnSwitch: setting('hooks.sessionStartOnSwitch', checked('hooks.sessionStartOnSwitch', Flag)),
        offerTools: setting('hooks.offerTools', checked('hooks.offerTools', Flag)),
      },
    };
    this.found = problems;
    return settings;
  }
}

function checked<S extends TSchema>(name: SettingName, schema: S): (value: unknown) => Result<Static<S>> {
  return value => {
    const result = parse(schema, value);
    if (result.ok) return result;
    const [first] = result.problems;
    return failed({
      message: vscode.l10n.t('Setting "{0}" is not used: {1}', `${SETTINGS_SECTION}.${name}`, first?.message ?? ''),
    });
  };
}

/** A value of the wrong type must not discard the other flags: a gate may depend on them. */
function readFlags(given: Readonly<Record<string, unknown>>, problems: Problem[]): Settings['hooks']['flags'] {
  const flags: Record<string, boolean | string> = {};
  for (const [name, value] of Object.entries(given)) {
    const checked = parse(FlagValue, value);
    if (checked.ok) flags[name] = checked.value;
    else {
      const setting = `${SETTINGS_SECTION}.hooks.flags`;
      problems.push({
        message: vscode.l10n.t(
          'Flag "{0}" in setting "{1}" is not used: it must be true, false or a text.',
          name,
          setting,
        ),
      });
    }
  }
  return flags;
}

/** An empty text counts as not set. */
function filled(name: SettingName): (value: unknown) => Result<string | undefined> {
  return value => {
    const result = checked(name, Text)(value);
    if (!result.ok) return result;
    const text = result.value.trim();
    return ok(text === '' ? undefined : text);
  };
}

function level(value: unknown): Result<Settings['thinkingLevel']> {
  const result = checked('thinkingLevel', Level)(value);
  if (!result.ok) return result;
  return ok(result.value === '' ? undefined : result.value);
}

function modelName(value: unknown): Result<string | undefined> {
  const text = filled('model')(value);
  if (!text.ok || text.value === undefined || /^[^/]+\/.+$/.test(text.value)) return text;
  const message = vscode.l10n.t(
    'Setting "{0}" is not used: "{1}" is not of the form provider/model, such as demo/offline.',
    `${SETTINGS_SECTION}.model`,
    text.value,
  );
  return failed({ message });
}
