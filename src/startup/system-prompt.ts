import {
  loadContextFiles,
  loadPromptTexts,
  type ContextFile,
  type PromptChanges,
  type PromptTexts,
} from '../agent/prompt/context-files';
import { defined } from '../base/defined';
import { InTurn } from '../base/async/in-turn';
import { rememberLast } from '../base/remember-last';
import type { Problem } from '../base/result';
import { localDate } from '../base/text/local-time';
import type { Skill } from '../agent/resources/skill';
import { promptOptions, type PromptOptions, type PromptTools } from '../agent/prompt/system-prompt';
import type { SettingsPlace } from './live-settings';

const NO_SKILLS: readonly Skill[] = [];

/** The result of reading the files, with the own texts and changes. */
interface Read {
  readonly files: readonly ContextFile[];
  readonly texts: PromptTexts;
  readonly problems: readonly Problem[];
}

/** Texts of the prompt from the command line or from a hook that makes a session. */
export interface OwnPromptTexts extends PromptTexts {
  /** False: no instruction files are read. True when absent. */
  readonly contextFiles?: boolean;
  /** Made each time the files are read. */
  readonly changes?: PromptChanges;
}

/**
 * The base system prompt of all conversations in one folder, with the instruction files as they were last read. Texts
 * in `own` take precedence over those of files.
 */
export class SystemPrompt {
  private readonly reads = new InTurn();

  private constructor(
    private readonly place: SettingsPlace,
    private readonly own: OwnPromptTexts,
    private last: Read,
  ) {}

  static async open(place: SettingsPlace, own: OwnPromptTexts = {}): Promise<SystemPrompt> {
    return new SystemPrompt(place, own, await read(place, own));
  }

  /** Reads the files again. Call this when an instruction file or the trust changed. */
  reload(): Promise<void> {
    return this.reads.run(async () => {
      this.last = await read(this.place, this.own);
    });
  }

  /** The problems found when the files were last read. */
  get problems(): readonly Problem[] {
    return this.last.problems;
  }

  /** Returns the same object until something changes that it is made from. Do not change the object. */
  for({ active, all }: PromptTools, skills: readonly Skill[] = NO_SKILLS): PromptOptions {
    return this.made(this.last, localDate(new Date()), active, all, skills);
  }

  private readonly made = rememberLast(
    (
      { files, texts }: Read,
      date: string,
      active: PromptTools['active'],
      all: PromptTools['all'],
      skills: readonly Skill[],
    ) => promptOptions({ cwd: this.place.cwd, date, tools: { active, all }, contextFiles: files, skills, ...texts }),
  );
}

async function read(
  { agentDir, cwd, includeProject }: SettingsPlace,
  { contextFiles = true, custom, append, changes = {} }: OwnPromptTexts,
): Promise<Read> {
  const sources = { agentDir, cwd, includeProject: includeProject() };
  const problems: Problem[] = [];
  const [files, shared] = await Promise.all([
    contextFiles ? loadContextFiles(sources, problems) : [],
    loadPromptTexts(sources, problems),
  ]);
  const texts = { ...shared, ...defined({ custom, append }) };
  return { files: changes.contextFiles?.(files) ?? files, texts: changed(texts, changes), problems };
}

function changed({ custom, append }: PromptTexts, changes: PromptChanges): PromptTexts {
  const appended = changes.append?.(append === undefined ? [] : [append]);
  return defined({
    custom: changes.custom === undefined ? custom : changes.custom(custom),
    append: appended === undefined ? append : appended.length === 0 ? undefined : appended.join('\n\n'),
  });
}
