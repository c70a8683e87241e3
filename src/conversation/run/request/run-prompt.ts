import type { AgentMessage, SystemMessage } from '../../../agent/messages';
import { promptChange } from '../../../agent/prompt-record';
import { promptSections, wholePrompt, type PromptOptions } from '../../../agent/system-prompt';
import { MCP_SECTION } from '../../../mcp/prompt-section';
import type { RunParts } from '../run-parts';

/** The system prompt of a run: Hookline's, with the section about MCP servers and the changes of hooks. */
export class RunPrompt {
  /** The section about MCP servers; it only changes between runs, so that the provider's cache stays valid. */
  mcpSection: string | undefined;

  constructor(private readonly parts: Pick<RunParts, 'ports' | 'state' | 'toolset'>) {}

  /** The parts of the prompt for a run that begins now, before hooks change it. */
  get base(): PromptOptions {
    const { ports, toolset } = this.parts;
    const options = ports.promptOptions({ active: toolset.chosen(), all: toolset.all() });
    if (this.mcpSection === undefined) return options;
    return { ...options, sections: { ...options.sections, [MCP_SECTION]: this.mcpSection } };
  }

  /** The prompt of the current run, including changes by hooks; of the next run when none is active. */
  get whole(): string {
    return wholePrompt(this.parts.state.openingPrompt ?? this.ofRun);
  }

  /**
   * The system message about changes of the prompt. Complete prompts of hooks are made for each run and are not
   * recorded.
   */
  change(messages: readonly AgentMessage[]): SystemMessage | undefined {
    return promptChange(messages, promptSections(this.ofRun), this.parts.toolset.chosen());
  }

  /** The prompt of this run as hooks changed it, with the current tools. */
  private get ofRun(): PromptOptions {
    const { base } = this;
    const { runPrompt: own } = this.parts.state;
    if (own === undefined) return base;
    const { selectedTools, hiddenTools } = base;
    const toolSnippets = { ...base.toolSnippets, ...own.toolSnippets };
    const toolGuidelines = { ...base.toolGuidelines, ...own.toolGuidelines };
    return { ...own, selectedTools, hiddenTools, toolSnippets, toolGuidelines };
  }
}
