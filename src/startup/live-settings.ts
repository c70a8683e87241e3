import { resolve } from 'node:path';
import type { FolderVariables } from '../agent/tools/shell/process';
import { expandHome } from '../agent/settings/configured-path';
import { loadSettings } from '../agent/settings/load-settings';
import type { PiSettings } from '../agent/settings/pi-settings';
import type { SettingsMemory } from '../agent/settings/settings-file';
import { defined } from '../base/defined';
import { Emitter, type Event } from '../base/event';
import { InTurn } from '../base/async/in-turn';
import { rememberLast } from '../base/remember-last';
import type { Problem } from '../base/result';

/** Where settings files are, and whether those of the workspace folder may be read. */
export interface SettingsPlace {
  readonly agentDir: string;
  readonly cwd: string;
  readonly includeProject: () => boolean;
  /** Tell programs that are started for the folder whether it is trusted; absent: they look for themselves. */
  readonly variables?: FolderVariables | undefined;
}

/** The settings in force now. */
export interface SettingsSource {
  readonly current: PiSettings;
  readonly problems: readonly Problem[];
  readonly onDidChange: Event<void>;
  /** Reads the settings files again; absent where none are used. */
  reload?(): Promise<void>;
}

/** Settings from VS Code or the command line that pi's settings files also have. */
export interface SettingsOverlay {
  /** For undefined members, the files count. `model` is `provider/id`. */
  readonly value: {
    readonly model: string | undefined;
    /** Patterns, instead of `enabledModels`. */
    readonly models?: PiSettings['enabledModels'] | undefined;
    /** For the first session only; see `PiSettings.startThinkingLevel`. */
    readonly startLevel?: PiSettings['startThinkingLevel'] | undefined;
    readonly thinkingLevel: PiSettings['defaultThinkingLevel'] | undefined;
  };
  readonly problems: readonly Problem[];
}

/** The settings of VS Code or the command line, then of the project's file, then of pi's global file. */
export class LiveSettings implements SettingsSource {
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;
  private fileProblems: readonly Problem[] = [];
  private readonly reads = new InTurn();

  private constructor(
    private readonly place: SettingsPlace,
    private readonly above: SettingsOverlay,
    private readonly memory: SettingsMemory,
    private files: PiSettings,
  ) {}

  static async open(place: SettingsPlace, above: SettingsOverlay): Promise<LiveSettings> {
    const memory: SettingsMemory = new Map();
    const { settings, problems } = await read(place, memory);
    const live = new LiveSettings(place, above, memory, settings);
    live.fileProblems = problems;
    return live;
  }

  get current(): PiSettings {
    return this.overlaid(this.files, this.above.value);
  }

  private readonly overlaid = rememberLast(overlay);

  get problems(): readonly Problem[] {
    return [...this.fileProblems, ...this.above.problems];
  }

  /**
   * Reads the files again; for a file that cannot be read, the settings from before stay. Call this when a file, the
   * settings of VS Code or the trust changed.
   */
  reload(): Promise<void> {
    return this.reads.run(async () => {
      const { settings, problems } = await read(this.place, this.memory);
      this.files = settings;
      this.fileProblems = problems;
      this.changeEmitter.fire();
    });
  }
}

function read(place: SettingsPlace, memory: SettingsMemory): ReturnType<typeof loadSettings> {
  const { agentDir, cwd, includeProject } = place;
  return loadSettings({ agentDir, cwd, includeProject: includeProject(), memory });
}

function overlay(files: PiSettings, above: SettingsOverlay['value']): PiSettings {
  const { model, models, startLevel, thinkingLevel } = above;
  const slash = model?.indexOf('/') ?? -1;
  const chosen = {
    ...(model === undefined ? {} : { defaultProvider: model.slice(0, slash), defaultModel: model.slice(slash + 1) }),
    ...defined({ enabledModels: models, defaultThinkingLevel: thinkingLevel }),
  };
  return {
    ...files,
    ...chosen,
    written: { ...files.written, ...chosen },
    ...defined({ startThinkingLevel: startLevel }),
  };
}

/** Absolute path of the session folder that `PI_CODING_AGENT_SESSION_DIR` names; undefined when it names none. */
export function sessionDirFrom(env: NodeJS.ProcessEnv, cwd: string): string | undefined {
  const given = env['PI_CODING_AGENT_SESSION_DIR'];
  return given === undefined || given.trim() === '' ? undefined : resolve(cwd, expandHome(given));
}

/** Absolute path of the session folder that the settings name; undefined when they name none. */
export function sessionDirOf({ sessionDir }: Pick<PiSettings, 'sessionDir'>, cwd: string): string | undefined {
  return sessionDir === undefined || sessionDir.trim() === '' ? undefined : resolve(cwd, expandHome(sessionDir));
}
