import {
  promptSections,
  promptText,
  wholePrompt,
  type PromptOptions,
  type PromptSections,
} from '../../../agent/prompt/system-prompt';
import { rememberLast } from '../../../base/remember-last';
import { MCP_SECTION } from '../../../mcp/prompt-section';
import type { RunParts } from '../run-parts';

/** The system prompt of a run. */
export class RunPrompt {
  /** The section about MCP servers; it only changes between runs, so that the provider's cache stays valid. */
  mcpSection: string | undefined;

  constructor(private readonly parts: RunParts) {}

  /** The parts of the prompt for a run that begins now, before hooks change it: not to be changed. */
  get base(): PromptOptions {
    const { ports, toolset } = this.parts;
    const inFolder = this.withPlace(ports.promptOptions(toolset.selection()), ports.hooks.runner.expectsPlaceInWords);
    return this.withServers(inFolder, this.mcpSection);
  }

  /** The prompt of the current run, including changes by hooks; of the next run when none is active. */
  get text(): string {
    const { openingPrompt } = this.parts.state;
    return openingPrompt === undefined ? this.ofRun.text : wholePrompt(openingPrompt);
  }

  /** {@link text} in sections. Complete prompts of hooks are made for each run and are not among them. */
  get sections(): PromptSections {
    return this.ofRun.sections;
  }

  /** {@link text} is a complete prompt of a hook, or may become one. */
  get isForced(): boolean {
    return this.parts.state.openingPrompt !== undefined || this.ofRun.isForced;
  }

  private get ofRun(): MadePrompt {
    return this.made(this.base, this.parts.state.runPrompt);
  }

  private readonly withPlace = rememberLast((options: PromptOptions, tellsPlaceInWords: boolean) =>
    tellsPlaceInWords ? { ...options, tellsPlaceInWords } : options,
  );

  private readonly withServers = rememberLast((options: PromptOptions, section: string | undefined) =>
    section === undefined ? options : { ...options, sections: { ...options.sections, [MCP_SECTION]: section } },
  );

  /** The prompt of this run as hooks changed it, with the current tools. */
  private readonly made = rememberLast((base: PromptOptions, own: PromptOptions | undefined) => {
    if (own === undefined) return new MadePrompt(base);
    const { selectedTools, hiddenTools, tellsPlaceInWords } = base;
    const toolSnippets = { ...base.toolSnippets, ...own.toolSnippets };
    const toolGuidelines = { ...base.toolGuidelines, ...own.toolGuidelines };
    return new MadePrompt({ ...own, selectedTools, hiddenTools, toolSnippets, toolGuidelines, tellsPlaceInWords });
  });
}

/** Each part is made once, when it is needed. Throws for invalid options of a hook. */
class MadePrompt {
  private madeSections: PromptSections | undefined;
  private madeText: string | undefined;

  constructor(private readonly options: PromptOptions) {}

  get isForced(): boolean {
    return this.options.forceSystemPrompt !== undefined;
  }

  get sections(): PromptSections {
    return (this.madeSections ??= promptSections(this.options));
  }

  get text(): string {
    return (this.madeText ??= this.options.forceSystemPrompt ?? promptText(this.sections));
  }
}
