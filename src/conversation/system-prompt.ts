import { loadContextFiles, type ContextFile } from '../agent/context-files';
import type { Skill } from '../agent/resources/skill';
import { buildSystemPrompt } from '../agent/system-prompt';
import type { AnyTool } from '../agent/tools/tool';
import type { SettingsPlace } from './live-settings';

/** Texts that take the place of the introduction or follow it. */
export interface OwnPromptTexts {
  readonly custom?: string;
  readonly append?: string;
}

/** The base system prompt of all conversations of one place, with the instruction files as they were last read. */
export class SystemPrompt {
  private constructor(
    private readonly place: SettingsPlace,
    private readonly own: OwnPromptTexts,
    private files: readonly ContextFile[],
  ) {}

  static async open(place: SettingsPlace, own: OwnPromptTexts = {}): Promise<SystemPrompt> {
    return new SystemPrompt(place, own, await read(place));
  }

  /** To be called when an instruction file or the trust changed. */
  async reload(): Promise<void> {
    this.files = await read(this.place);
  }

  for(tools: readonly AnyTool[], skills: readonly Skill[] = []): string {
    const date = new Date().toISOString().slice(0, 10);
    return buildSystemPrompt({ cwd: this.place.cwd, date, tools, contextFiles: this.files, skills, ...this.own });
  }
}

function read({ agentDir, cwd, includeProject }: SettingsPlace): Promise<readonly ContextFile[]> {
  return loadContextFiles({ agentDir, cwd, includeProject: includeProject() });
}
