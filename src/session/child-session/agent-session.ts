import type { Api, ImageContent, Model } from '@mariozechner/pi-ai';
import type { AgentMessage, ContentPart } from '../../agent/messages';
import { supportedLevels } from '../../agent/thinking-levels';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { ChildSessionRequest } from '../../hook-contract/child-session';
import type {
  ContextUsage,
  ConversationMode,
  HookConversation,
  HookDelivery,
} from '../../hook-contract/conversation-port';
import { copyData } from '../../hook-contract/copy';
import type { CustomMessageDraft } from '../../hook-contract/hook-event';
import { listedTool } from '../../hook-run/api/tools/tool-listing';
import type { HookHost } from '../../hook-run/host/host';
import type { LiveResources } from '../../startup/resources';
import type { Conversation } from '../conversation';
import type { Disposition } from '../prompts/prompt-pipeline';
import type { WaitingTexts } from '../prompts/waiting-messages';
import { forkPoints, lastAnswerText, sessionStats, type SessionStats } from '../state/session-stats';
import { isForPrograms } from '../ports/session-events';
import { emitWithTimeout } from '../ports/wait-for-hooks';
import { withMissingMembers } from './missing-members';

/** What an {@link AgentSession} is made of. */
export interface AgentSessionParts {
  readonly conversation: Conversation;
  readonly host: HookHost;
  /** The conversation that it belongs to. */
  readonly around: HookConversation;
  readonly request: ChildSessionRequest;
  /** What hooks of the session see as `ctx.mode`. */
  readonly mode: { current: ConversationMode };
  readonly resources: LiveResources;
  readonly dispose: () => void;
  readonly log: Log;
}

/** `options` of `prompt`, as far as they have their kind. */
interface PromptOptions {
  readonly images?: readonly ImageContent[];
  readonly streamingBehavior?: 'steer' | 'followUp';
  readonly source?: 'interactive' | 'rpc' | 'extension';
  readonly expandPromptTemplates?: boolean;
  /** The older name of {@link expandPromptTemplates}. */
  readonly expandSlashCommands?: boolean;
  readonly preflightResult?: (disposition: Disposition) => void;
}

/**
 * A conversation in the form of the `AgentSession` of today's pi, for the hook that made it. Its members do what they do in pi
 * (docs/dialects.md). Unchecked code calls it.
 */
export class AgentSession {
  /** The part of pi's `Agent` that reads, and that replaces what the model gets of the conversation so far. */
  readonly agent: object;
  /** The part of pi's `ExtensionRunner` that says goodbye. */
  readonly extensionRunner: object;
  private readonly owned = new DisposableStore();
  private starting: Promise<void> | undefined;
  private ended: string | undefined;

  constructor(private readonly parts: AgentSessionParts) {
    const { conversation, host } = parts;
    const { run, inbox } = conversation;
    const state = (): object => this.state;
    const agent = {
      get state(): object {
        return state();
      },
      get signal(): AbortSignal | undefined {
        return run.signal;
      },
      hasQueuedMessages: () => inbox.waiting.hasTexts,
      /** The older form of setting `state.messages`. */
      replaceMessages: (messages: readonly AgentMessage[]) => run.agent.setMessages(messages),
      abort: () => void run.stop('program'),
      waitForIdle: () => run.waitForIdle(),
    };
    this.agent = withMissingMembers(agent, 'AgentSession.agent');
    const runner = {
      hasHandlers: (type: string) => host.runner.hasHandlers(type as Parameters<typeof host.runner.hasHandlers>[0]),
      emit: async (event: { readonly type: string }) => {
        if (event.type !== 'session_shutdown') {
          throw new Error(`"${event.type}" cannot be sent to extensions by hand here.`);
        }
        await host.sessions.farewell(conversation.forHooks);
      },
    };
    this.extensionRunner = withMissingMembers(runner, 'AgentSession.extensionRunner');
  }

  /** From here on everything is refused with this reason. */
  close(why: string): void {
    this.ended = why;
    this.owned.dispose();
  }

  get sessionManager(): object {
    return this.parts.conversation.forHooks.sessionManager;
  }

  get state(): object {
    const { toolset, run } = this.parts.conversation;
    const last = this.messages.findLast(message => message.role === 'assistant');
    const read = (): readonly AgentMessage[] => this.messages;
    return {
      get messages() {
        return read();
      },
      set messages(messages) {
        run.agent.setMessages(messages);
      },
      model: this.model,
      thinkingLevel: this.thinkingLevel,
      systemPrompt: this.systemPrompt,
      tools: toolset.chosen().map(({ name, label, description, parameters }) => ({
        name,
        label,
        description,
        parameters: parameters as object,
      })),
      isStreaming: this.isStreaming,
      errorMessage: last?.errorMessage,
    };
  }

  get messages(): readonly AgentMessage[] {
    return [...this.parts.conversation.run.agent.messages];
  }

  get model(): Model<Api> | undefined {
    return this.parts.conversation.state.model;
  }

  get thinkingLevel(): string {
    return this.parts.conversation.state.effectiveLevel;
  }

  get systemPrompt(): string {
    return this.parts.conversation.run.prompt.text;
  }

  get isStreaming(): boolean {
    return ['running', 'retrying'].includes(this.parts.conversation.run.phase.type);
  }

  get isIdle(): boolean {
    return this.parts.conversation.run.isSettled;
  }

  get isCompacting(): boolean {
    return this.parts.conversation.run.phase.type === 'compacting';
  }

  get isRetrying(): boolean {
    return this.parts.conversation.run.phase.type === 'retrying';
  }

  get sessionFile(): string | undefined {
    return this.parts.conversation.store.getSessionFile();
  }

  get sessionId(): string {
    return this.parts.conversation.store.getSessionId();
  }

  get sessionName(): string | undefined {
    return this.parts.conversation.store.getSessionName();
  }

  get pendingMessageCount(): number {
    const { steering, followUp } = this.waitingTexts;
    return steering.length + followUp.length;
  }

  /** Tells the hooks of the session that it starts. */
  async bindExtensions(bindings: Readonly<Record<string, unknown>> = {}): Promise<void> {
    this.refuseEnded();
    const { host, mode } = this.parts;
    const { onError } = bindings;
    if (typeof onError === 'function') {
      const report = this.guarded(onError as (error: object) => void);
      this.owned.add(
        host.onError(({ hookPath: extensionPath, event, message: error }) => report({ extensionPath, event, error })),
      );
    }
    // Nobody can be asked in it: questions of the built-in gate are those of the conversation around.
    mode.current = bindings['mode'] === 'json' ? 'json' : 'print';
    await this.start();
  }

  subscribe(listener: (event: object) => void): () => void {
    const report = this.guarded(listener);
    const subscription = this.owned.add(
      this.parts.conversation.onDidHappen(event => {
        if (isForPrograms(event)) report(copyData(event));
      }),
    );
    return () => this.owned.release(subscription);
  }

  /** Resolves when everything that follows from the text is done and written. Rejects when it is refused. */
  async prompt(text: string, options: PromptOptions = {}): Promise<void> {
    this.refuseEnded();
    const {
      images = [],
      source = 'interactive',
      streamingBehavior: delivery,
      expandSlashCommands,
      expandPromptTemplates = expandSlashCommands,
      preflightResult,
    } = options;
    const literal = expandPromptTemplates === false;
    const onAccepted = (disposition: Disposition): void => preflightResult?.(disposition);
    await this.whileAround(async ({ inbox, run }) => {
      await inbox.send({ text, images, source, delivery, literal, onAccepted });
      await run.waitForSettled();
    });
  }

  async sendUserMessage(
    content: string | ContentPart[],
    {
      deliverAs,
      expandPromptTemplates: expands = false,
    }: { deliverAs?: 'steer' | 'followUp'; expandPromptTemplates?: boolean } = {},
  ): Promise<void> {
    this.refuseEnded();
    const how = { ...(deliverAs && { deliverAs }), expands, queueWhenStreaming: false, busyUntil: 'settled' } as const;
    await this.whileAround(({ forHooks }) => forHooks.sendUserMessage(content, how));
  }

  async sendCustomMessage(
    message: CustomMessageDraft,
    { triggerTurn = false, deliverAs }: { triggerTurn?: boolean; deliverAs?: HookDelivery } = {},
  ): Promise<void> {
    this.refuseEnded();
    const how = { triggerTurn, ...(deliverAs && { deliverAs }), busyUntil: 'settled' } as const;
    await this.whileAround(({ forHooks }) => forHooks.sendCustomMessage(message, how));
  }

  async steer(text: string, images: readonly ImageContent[] = []): Promise<'queued' | 'handled'> {
    this.refuseEnded();
    return this.parts.conversation.inbox.queue(text, images, 'steer', { asks: true });
  }

  async followUp(text: string, images: readonly ImageContent[] = []): Promise<'queued' | 'handled'> {
    this.refuseEnded();
    return this.parts.conversation.inbox.queue(text, images, 'followUp', { asks: true });
  }

  clearQueue(): WaitingTexts {
    return this.parts.conversation.inbox.waiting.takeTexts();
  }

  getSteeringMessages(): readonly string[] {
    return this.waitingTexts.steering;
  }

  getFollowUpMessages(): readonly string[] {
    return this.waitingTexts.followUp;
  }

  async abort(): Promise<void> {
    await this.parts.conversation.run.stop('program');
  }

  async waitForIdle(): Promise<void> {
    await this.parts.conversation.run.waitForSettled();
  }

  async compact(instructions?: string): Promise<object> {
    this.refuseEnded();
    await this.start();
    return await this.parts.conversation.run.compact(instructions, 'program');
  }

  abortCompaction(): void {
    if (this.isCompacting) void this.parts.conversation.run.stop('program');
  }

  async setModel(model: Model<Api>): Promise<void> {
    this.refuseEnded();
    if (await this.parts.conversation.models.set(model)) return;
    throw new Error(`No API key for ${model.provider}/${model.id}`);
  }

  setThinkingLevel(level: string): void {
    this.refuseEnded();
    this.parts.conversation.models.setThinkingLevel(level);
  }

  getAvailableThinkingLevels(): readonly string[] {
    return supportedLevels(this.model);
  }

  supportsThinking(): boolean {
    return this.model?.reasoning === true;
  }

  getActiveToolNames(): readonly string[] {
    return this.parts.conversation.toolset.activeNames();
  }

  getAllTools(): readonly object[] {
    return this.parts.conversation.toolset.all().map(listedTool);
  }

  setActiveToolsByName(names: readonly string[]): void {
    this.refuseEnded();
    this.parts.conversation.toolset.setActive(names);
  }

  setSessionName(name: string): void {
    this.refuseEnded();
    this.parts.conversation.sessions.rename(name);
  }

  getUserMessagesForForking(): readonly object[] {
    return forkPoints(this.parts.conversation.store);
  }

  getSessionStats(): SessionStats & { readonly contextUsage: ContextUsage | undefined } {
    return { ...sessionStats(this.parts.conversation.store), contextUsage: this.getContextUsage() };
  }

  getContextUsage(): ContextUsage | undefined {
    return this.parts.conversation.status.contextUsage;
  }

  getLastAssistantText(): string | undefined {
    const text = lastAnswerText(this.messages).trim();
    return text === '' ? undefined : text;
  }

  hasExtensionHandlers(type: string): boolean {
    return (this.extensionRunner as { hasHandlers(type: string): boolean }).hasHandlers(type);
  }

  dispose(): void {
    this.parts.dispose();
  }

  private get waitingTexts(): WaitingTexts {
    return this.parts.conversation.inbox.waiting.texts;
  }

  /** A gate may prepare at the start of a session, so it gets the start event at the first prompt at the latest. */
  private start(): Promise<void> {
    const { conversation, resources, request } = this.parts;
    this.starting ??= (async () => {
      await emitWithTimeout({ type: 'session_start', reason: request.startReason }, conversation.hookWait);
      await resources.discover('startup', conversation.forHooks);
    })();
    return this.starting;
  }

  private refuseEnded(): void {
    if (this.ended !== undefined) throw new Error(this.ended);
  }

  /** A run ends with the run of the outer conversation that it began in. Everything it did is then in the file. */
  private async whileAround(work: (conversation: Conversation) => Promise<void>): Promise<void> {
    const { conversation, around } = this.parts;
    const { signal } = around;
    const stop = (): void => void conversation.run.stop('program');
    signal?.throwIfAborted();
    const tie: Disposable = toDisposable(() => signal?.removeEventListener('abort', stop));
    signal?.addEventListener('abort', stop);
    try {
      await this.start();
      await work(conversation);
    } finally {
      tie.dispose();
      await conversation.store.flush();
    }
  }

  private guarded<T>(listener: (value: T) => void): (value: T) => void {
    return value => {
      try {
        listener(value);
      } catch (error) {
        this.parts.log.warn(`A listener of a session of a hook failed: ${messageOf(error)}`);
      }
    };
  }
}
