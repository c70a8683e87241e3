import { loadContextFiles, loadPromptTexts, type ContextFile, type PromptTexts } from '../agent/context-files';
import type { Skill } from '../agent/resources/skill';
import { buildSystemPrompt } from '../agent/system-prompt';
import type { AnyTool } from '../agent/tools/tool';
import type { SettingsPlace } from './live-settings';

/** What was last read. */
interface Read {
  readonly files: readonly ContextFile[];
  readonly texts: PromptTexts;
}

/**
 * The base system prompt of all conversations of one place, with the instruction files as they were last read; texts that
 * were given by hand come before those of files.
 */
export class SystemPrompt {
  private constructor(
    private readonly place: SettingsPlace,
    private readonly own: PromptTexts,
    private last: Read,
  ) {}

  static async open(place: SettingsPlace, own: PromptTexts = {}): Promise<SystemPrompt> {
    return new SystemPrompt(place, own, await read(place));
  }

  /** To be called when an instruction file or the trust changed. */
  async reload(): Promise<void> {
    this.last = await read(this.place);
  }

  for(tools: readonly AnyTool[], skills: readonly Skill[] = []): string {
    const date = new Date().toISOString().slice(0, 10);
    const { files, texts } = this.last;
    return buildSystemPrompt({
      cwd: this.place.cwd,
      date,
      tools,
      contextFiles: files,
      skills,
      ...texts,
      ...this.own,
    });
  }
}

async function read({ agentDir, cwd, includeProject }: SettingsPlace): Promise<Read> {
  const sources = { agentDir, cwd, includeProject: includeProject() };
  const [files, texts] = await Promise.all([loadContextFiles(sources), loadPromptTexts(sources)]);
  return { files, texts };
}
