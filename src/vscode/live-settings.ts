import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadSettings, type PiSettings } from '../agent/settings';
import { Emitter } from '../base/event';
import type { Problem } from '../base/result';
import type { SettingsSource } from '../conversation/ports';
import type { Settings, VsCodeSettings } from './settings';

/** Where settings files are, and whether the folder's own may be read. */
export interface SettingsPlace {
  readonly agentDir: string;
  readonly cwd: string;
  readonly includeProject: () => boolean;
}

/** pi's settings files with VS Code's settings laid over them: the one precedence is VS Code, project, global. */
export class LiveSettings implements SettingsSource {
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;
  private fileProblems: readonly Problem[] = [];

  private constructor(
    private readonly place: SettingsPlace,
    private readonly vscode: VsCodeSettings,
    private files: PiSettings,
  ) {}

  static async open(place: SettingsPlace, vscode: VsCodeSettings): Promise<LiveSettings> {
    const { settings, problems } = await read(place);
    const live = new LiveSettings(place, vscode, settings);
    live.fileProblems = problems;
    return live;
  }

  get current(): PiSettings {
    return overlay(this.files, this.vscode.value);
  }

  get problems(): readonly Problem[] {
    return [...this.fileProblems, ...this.vscode.problems];
  }

  /** Reads the files again; to be called when one of them, VS Code's settings or the trust changed. */
  async reload(): Promise<void> {
    const { settings, problems } = await read(this.place);
    this.files = settings;
    this.fileProblems = problems;
    this.changeEmitter.fire();
  }
}

function read({ agentDir, cwd, includeProject }: SettingsPlace): ReturnType<typeof loadSettings> {
  return loadSettings({ agentDir, cwd, includeProject: includeProject() });
}

function overlay(files: PiSettings, { model, thinkingLevel }: Settings): PiSettings {
  const slash = model?.indexOf('/') ?? -1;
  return {
    ...files,
    ...(model === undefined ? {} : { defaultProvider: model.slice(0, slash), defaultModel: model.slice(slash + 1) }),
    ...(thinkingLevel === undefined ? {} : { defaultThinkingLevel: thinkingLevel }),
  };
}

/** pi's agent folder: the setting, else `PI_CODING_AGENT_DIR`, else `~/.pi/agent` (reference section 3). Absolute. */
export function agentDirFrom(setting: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  const given = setting ?? env['PI_CODING_AGENT_DIR'];
  if (given === undefined || given.trim() === '') return join(homedir(), '.pi', 'agent');
  if (given === '~') return homedir();
  return /^~[/\\]/.test(given) ? join(homedir(), given.slice(2)) : given;
}
