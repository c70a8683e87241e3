import type { AgentMessage, SystemMessage } from '../../../agent/messages';
import { promptChange } from '../../../agent/prompt-record';
import { promptSections, wholePrompt, type PromptOptions } from '../../../agent/system-prompt';
import { MCP_SECTION } from '../../../mcp/prompt-section';
import type { RunParts } from '../run-parts';

/** The system prompt of a run: what the product says, what MCP servers add, what hooks made of it. */
export class RunPrompt {
  /** What the prompt says of MCP servers; it changes between runs only, so that what was sent stays cached. */
  mcpSection: string | undefined;

  constructor(private readonly parts: Pick<RunParts, 'ports' | 'state' | 'toolset'>) {}

  /** What the prompt of a run that begins now is made from, before hooks change it. */
  get base(): PromptOptions {
    const { ports, toolset } = this.parts;
    const options = ports.promptOptions({ active: toolset.chosen(), all: toolset.all() });
    if (this.mcpSection === undefined) return options;
    return { ...options, sections: { ...options.sections, [MCP_SECTION]: this.mcpSection } };
  }

  /** The prompt of the current run, changes by hooks included; of the next one when none is going on. */
  get whole(): string {
    return wholePrompt(this.parts.state.openingPrompt ?? this.ofRun);
  }

  /** The system message that tells a model what changed; whole prompts of hooks are created again for each run and not recorded. */
  change(messages: readonly AgentMessage[]): SystemMessage | undefined {
    return promptChange(messages, promptSections(this.ofRun), this.parts.toolset.chosen());
  }

  /** What hooks made of the prompt for this run, with the tools as they are now. */
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
