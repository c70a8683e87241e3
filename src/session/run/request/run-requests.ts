import { convertInPlace, convertToLlm, withoutImages } from '../../../agent/llm-messages';
import type { RequestContext, RequestSource, StreamFn, TurnSettings } from '../../../agent/run/loop';
import {
  isConversation,
  type AgentMessage,
  type AssistantMessage,
  type Message,
  type SystemMessage,
} from '../../../agent/messages';
import { isVirtual } from '../../../agent/models/virtual-models';
import { promptChange, promptCheckpoint, recordedPrompt } from '../../../agent/prompt/prompt-record';
import type { GatedTool } from '../../../agent/tools/tool';
import { defined } from '../../../base/defined';
import { same } from '../../../hook-contract/copy';
import type { RunParts } from '../run-parts';
import type { RunSpans } from '../run-spans';
import type { CachedRequest } from './cache-warmer';
import { routed } from '../../requests/model-routing';
import { providerEvents } from '../../requests/provider-events';
import { RunPrompt } from './run-prompt';
import { SilentStream } from './silent-stream';

/** The longest that a timer can be set to, in ms: 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Makes the requests of a run: settings, route and context of each. */
export class RunRequests implements RequestSource {
  readonly prompt: RunPrompt;
  readonly silence: SilentStream;
  private failed: AssistantMessage | undefined;

  constructor(
    private readonly parts: RunParts,
    private readonly spans: RunSpans,
    private readonly willSend: (request: CachedRequest) => void,
  ) {
    this.prompt = new RunPrompt(parts);
    this.silence = new SilentStream(parts.ports.stream);
  }

  /** Notes that the next request repeats the one of this answer. */
  noteFailed(answer: AssistantMessage): void {
    this.failed = answer;
  }

  /** Model, tools and request options of the next turn. @throws Error when no model is chosen */
  settings(): TurnSettings {
    const { state, ports, toolset, conversation } = this.parts;
    if (state.model === undefined) throw new Error('No model is chosen.');
    const level = state.effectiveLevel;
    const { transport, thinkingBudgets, providerRetry, httpIdleTimeoutMs, websocketConnectTimeoutMs } =
      ports.settings.current;
    return {
      model: state.model,
      systemPrompt: this.prompt.text,
      tools: toolset.gated(),
      options: {
        sessionId: state.store.getSessionId(),
        maxRetries: providerRetry.maxRetries,
        maxRetryDelayMs: providerRetry.maxRetryDelayMs,
        // Clients do not accept 0 as "never".
        timeoutMs: providerRetry.timeoutMs ?? (httpIdleTimeoutMs || LONGEST_TIMER_MS),
        idleTimeoutMs: httpIdleTimeoutMs,
        transport,
        ...defined({ websocketConnectTimeoutMs, thinkingBudgets }),
        ...(level === 'off' ? {} : { reasoning: level }),
        ...providerEvents(ports.hooks.runner, conversation),
      },
      thinkingLevel: level,
    };
  }

  tools(): readonly GatedTool[] {
    return this.parts.toolset.gated();
  }

  /** The settings of one request for a physical model. Rejects with a text for the user when there is none. */
  async prepare(settings: TurnSettings, messages: readonly AgentMessage[], signal: AbortSignal): Promise<TurnSettings> {
    const { failed } = this;
    this.failed = undefined;
    return isVirtual(settings.model) ? routed({ settings, messages, failed, signal }, this.parts) : settings;
  }

  /** The context of the next request, after hooks changed it. */
  async toContext(messages: readonly AgentMessage[], signal: AbortSignal): Promise<RequestContext> {
    const { ports, conversation, state, hookEvents } = this.parts;
    await hookEvents.whenDelivered(signal);
    const forcedPrompt = state.runPrompt?.forceSystemPrompt;
    const { runner } = ports.hooks;
    const asksWithPrompt = runner.hasHandlers('context_with_system');
    if (!runner.hasHandlers('context') && !asksWithPrompt) return this.asRecorded(messages);
    const shown = messages.filter(isConversation);
    const entryIds = shown.map(message => state.entryIdOf(message));
    const changed = await runner.emit({ type: 'context', messages: shown, entryIds }, conversation);
    const isUnchanged = isSame(changed.messages, shown);
    if (!asksWithPrompt) {
      return isUnchanged ? this.asRecorded(messages) : { messages: this.converted(changed.messages) };
    }
    const transcript = isUnchanged ? messages : withPrompt(changed.messages, messages);
    const answer = await runner.emit({ type: 'context_with_system', messages: transcript }, conversation);
    if (isSame(answer.messages, messages)) return this.asRecorded(messages);
    const prompt = isSame(answer.messages.filter(isPrompt), transcript.filter(isPrompt))
      ? undefined
      : recordedPrompt(answer.messages);
    return {
      messages: this.converted(answer.messages),
      prompt: prompt && { ...prompt, systemPrompt: forcedPrompt ?? prompt.systemPrompt },
    };
  }

  /** The system message about changes of the prompt. */
  promptChange(messages: readonly AgentMessage[]): SystemMessage | undefined {
    return promptChange(messages, this.prompt.sections, this.parts.toolset.chosen());
  }

  /** Sends a request, and measures how long it takes. */
  readonly stream: StreamFn = (model, context, options) => {
    this.spans.beginRequest();
    this.willSend({ model, context, options });
    return this.silence.stream(model, context, options);
  };

  /** The context that no hook changed. */
  private asRecorded(messages: readonly AgentMessage[]): RequestContext {
    const plain = { messages: this.converted(messages) };
    const begins = messages[0]?.role === 'system';
    const isTold = begins && !this.prompt.isForced && this.promptChange(messages) === undefined;
    // A tool that another one describes is recorded, but not declared.
    if (!isTold || this.tools().some(({ isUndeclared }) => isUndeclared === true)) return plain;
    return { ...plain, inPlace: this.shown(convertInPlace(messages)) };
  }

  private converted(messages: readonly AgentMessage[]): Message[] {
    return this.shown(convertToLlm(messages));
  }

  private shown(messages: Message[]): Message[] {
    return this.parts.ports.settings.current.images.blockImages ? withoutImages(messages) : messages;
  }
}

/** Messages of hooks after the system messages, as one message. */
function withPrompt(shown: readonly AgentMessage[], transcript: readonly AgentMessage[]): readonly AgentMessage[] {
  const head = promptCheckpoint(transcript, transcript[0]?.timestamp ?? 0);
  return head === undefined ? shown : [head, ...shown];
}

function isPrompt({ role }: AgentMessage): boolean {
  return role === 'system';
}

function isSame(a: readonly AgentMessage[], b: readonly AgentMessage[]): boolean {
  return a.length === b.length && a.every((message, place) => same(message, b[place]));
}
