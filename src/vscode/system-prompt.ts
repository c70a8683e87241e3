import { loadContextFiles, type ContextFile } from '../agent/context-files';
import { buildSystemPrompt } from '../agent/system-prompt';
import type { AnyTool } from '../agent/tools/tool';
import type { SettingsPlace } from './live-settings';

/** The base system prompt of a window, with the instruction files as they were last read. */
export class SystemPrompt {
  private constructor(
    private readonly place: SettingsPlace,
    private files: readonly ContextFile[],
  ) {}

  static async open(place: SettingsPlace): Promise<SystemPrompt> {
    return new SystemPrompt(place, await read(place));
  }

  /** To be called when an instruction file or the trust changed. */
  async reload(): Promise<void> {
    this.files = await read(this.place);
  }

  for(tools: readonly AnyTool[]): string {
    const date = new Date().toISOString().slice(0, 10);
    return buildSystemPrompt({ cwd: this.place.cwd, date, tools, contextFiles: this.files, skills: [] });
  }
}

function read({ agentDir, cwd, includeProject }: SettingsPlace): Promise<readonly ContextFile[]> {
  return loadContextFiles({ agentDir, cwd, includeProject: includeProject() });
}
