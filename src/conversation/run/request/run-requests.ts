import type { RequestContext, RunPorts, StreamFn, TurnSettings } from '../../../agent/loop';
import type { AgentMessage, SystemMessage } from '../../../agent/messages';
import { promptChange } from '../../../agent/prompt-record';
import {
  promptSections,
  promptText,
  wholePrompt,
  type PromptOptions,
  type PromptSections,
} from '../../../agent/system-prompt';
import { defined } from '../../../base/defined';
import { rememberLast } from '../../../base/remember-last';
import { MCP_SECTION } from '../../../mcp/prompt-section';
import type { RunParts } from '../run-parts';
import type { RunSpans } from '../run-spans';
import { ModelRouting } from './model-routing';
import { providerEvents } from './provider-events';
import { requestContext } from './request-context';
import { SilentStream } from './silent-stream';

/** The longest that a timer can be set to, in ms: 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What a run sends to the model: prompt, settings, route and context of each request. */
export class RunRequests {
  readonly routing: ModelRouting;
  readonly silence: SilentStream;
  private readonly stream: StreamFn;
  /** The section about MCP servers; it only changes between runs, so that the provider's cache stays valid. */
  mcpSection: string | undefined;

  constructor(
    private readonly parts: RunParts,
    spans: RunSpans,
  ) {
    this.routing = new ModelRouting(parts);
    this.silence = new SilentStream(parts.ports.stream);
    this.stream = spans.timed(this.silence.stream);
  }

  /** The part of the agent's ports that is about requests. */
  get ports(): Pick<RunPorts, 'stream' | 'settings' | 'prepare' | 'toContext' | 'promptChange'> {
    return {
      stream: this.stream,
      settings: () => this.settings(),
      prepare: (...request) => this.routing.prepare(...request),
      toContext: (messages, signal) => this.toContext(messages, signal),
      promptChange: messages => this.promptChange(messages),
    };
  }

  /** The parts of the prompt for a run that begins now, before hooks change it: not to be changed. */
  get basePrompt(): PromptOptions {
    const { ports, toolset } = this.parts;
    return this.withServers(ports.promptOptions({ active: toolset.chosen(), all: toolset.all() }), this.mcpSection);
  }

  private readonly withServers = rememberLast((options: PromptOptions, section: string | undefined) =>
    section === undefined ? options : { ...options, sections: { ...options.sections, [MCP_SECTION]: section } },
  );

  /** The prompt of the current run, including changes by hooks; of the next run when none is active. */
  get systemPrompt(): string {
    const { openingPrompt } = this.parts.state;
    return openingPrompt === undefined ? this.promptOfRun.text : wholePrompt(openingPrompt);
  }

  private get promptOfRun(): MadePrompt {
    return this.made(this.basePrompt, this.parts.state.runPrompt);
  }

  /** The prompt of this run as hooks changed it, with the current tools. */
  private readonly made = rememberLast((base: PromptOptions, own: PromptOptions | undefined) => {
    if (own === undefined) return new MadePrompt(base);
    const { selectedTools, hiddenTools } = base;
    const toolSnippets = { ...base.toolSnippets, ...own.toolSnippets };
    const toolGuidelines = { ...base.toolGuidelines, ...own.toolGuidelines };
    return new MadePrompt({ ...own, selectedTools, hiddenTools, toolSnippets, toolGuidelines });
  });

  /**
   * The system message about changes of the prompt. Complete prompts of hooks are made for each run and are not
   * recorded.
   */
  private promptChange(messages: readonly AgentMessage[]): SystemMessage | undefined {
    return promptChange(messages, this.promptOfRun.sections, this.parts.toolset.chosen());
  }

  /** Model, tools and request options of the next turn. @throws Error when no model is chosen */
  private settings(): TurnSettings {
    const { state, ports, toolset, conversation } = this.parts;
    if (state.model === undefined) throw new Error('No model is chosen.');
    const level = state.effectiveLevel;
    const { transport, thinkingBudgets, providerRetry, httpIdleTimeoutMs, websocketConnectTimeoutMs } =
      ports.settings.current;
    return {
      model: state.model,
      systemPrompt: this.systemPrompt,
      tools: toolset.wrapped(),
      options: {
        sessionId: state.store.getSessionId(),
        maxRetries: providerRetry.maxRetries,
        maxRetryDelayMs: providerRetry.maxRetryDelayMs,
        // Clients do not accept 0 as "never".
        timeoutMs: providerRetry.timeoutMs ?? (httpIdleTimeoutMs || LONGEST_TIMER_MS),
        idleTimeoutMs: httpIdleTimeoutMs,
        ...defined({ websocketConnectTimeoutMs, transport, thinkingBudgets }),
        ...(level === 'off' ? {} : { reasoning: level }),
        ...providerEvents(ports.hooks.runner, conversation),
      },
      thinkingLevel: level,
    };
  }

  private async toContext(messages: readonly AgentMessage[], signal: AbortSignal): Promise<RequestContext> {
    await this.parts.hookEvents.settled(signal);
    return requestContext(messages, this.parts);
  }
}

/** Each part is made once, when somebody asks; throws what options that a hook changed bring. */
class MadePrompt {
  private madeSections: PromptSections | undefined;
  private madeText: string | undefined;

  constructor(private readonly options: PromptOptions) {}

  get sections(): PromptSections {
    return (this.madeSections ??= promptSections(this.options));
  }

  get text(): string {
    return (this.madeText ??= this.options.forceSystemPrompt ?? promptText(this.sections));
  }
}
