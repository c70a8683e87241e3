import type { Api, ImageContent, Model } from '@mariozechner/pi-ai';
import { estimateContext } from '../agent/compaction/tokens';
import type { AgentMessage, ContentPart } from '../agent/messages';
import type { SessionStore } from '../agent/session/store';
import { DisposableStore, type Disposable } from '../base/disposable';
import { messageOf } from '../base/errors';
import { Emitter } from '../base/event';
import type { CommandInfo, ContextUsage, HookDelivery } from '../hooks/conversation-port';
import type { BashOutcome, CompactionResult, CustomMessageDraft } from '../hooks/events';
import type { DispatchRecord } from '../hooks/record';
import { noUi, type HookUIContext } from '../hooks/ui';
import type { Delivery, RunStatus } from '../protocol/messages';
import { builtInActions } from './built-in-actions';
import type { ChatModel } from './chat-model';
import { ConversationParts, type ConversationWhole } from './conversation-parts';
import { resourceCommands, resourceCompletions } from './expand-prompt';
import { HookBridge } from './hook-bridge';
import type { ConversationUi } from './hook-ui';
import type { PatienceParts } from './patience';
import type { ConversationPorts } from './ports';
import type { Presenter } from './presenter';
import { aborted } from './prompt-pipeline';
import type { SessionEvent } from './session-events';
import type { SessionFlow } from './session-flow';
import { listCommands } from './slash-commands';
import { spentOn, textsOf } from './session-facts';
import { statusOf } from './status';
import type { Toolset } from './toolset';
import type { TreeFlow } from './tree-flow';
import { runUserBash } from './user-bash';

/** How long a switch waits for commands that were stopped, ms. */
const RECORDING_LIMIT_MS = 5000;

/** One chat: an agent, its session, its hooks, and how all of it is drawn. Lives in the host; pages come and go. */
export class Conversation {
  readonly bridge: HookBridge;
  /** What stands in the composer, sent or not. */
  draft = '';
  private readonly parts: ConversationParts;
  private readonly shells = new Set<AbortController>();
  private readonly recording = new Set<Promise<unknown>>();
  private readonly owned = new DisposableStore();
  private storeWatch: Disposable | undefined;
  private readonly statusEmitter = new Emitter<RunStatus>();
  readonly onDidChangeStatus = this.statusEmitter.event;
  private readonly redrawEmitter = new Emitter<void>();
  /** The whole chat was replaced: pages need a snapshot. */
  readonly onDidRedraw = this.redrawEmitter.event;
  private readonly happenEmitter = new Emitter<SessionEvent>();
  /** Everything that happens, in order, for whoever is no chat page. */
  readonly onDidHappen = this.happenEmitter.event;
  /** What hooks get as `ctx.ui`. */
  readonly hookUi: HookUIContext;

  constructor(
    readonly id: string,
    private readonly ports: ConversationPorts,
    store: SessionStore,
  ) {
    this.bridge = new HookBridge(this, id, ports.cwd, ports.models);
    this.parts = new ConversationParts(ports, this.asWhole(), store);
    const { ui } = this.parts;
    this.owned.add(ui);
    this.hookUi = ports.hasUI ? (ports.hookUi?.(ui) ?? ui) : noUi;
    this.listen();
  }

  /** Lets model, level, context and drawing follow the session. Call once after construction; tells no hook. */
  async open(): Promise<void> {
    this.parts.control.agent.setMessages(this.parts.state.readContext());
    await this.follow();
  }

  get chat(): ChatModel {
    return this.parts.chat;
  }

  get ui(): ConversationUi {
    return this.parts.ui;
  }

  /** For steps that must come to their end whatever hooks do. */
  get patience(): PatienceParts {
    return this.parts.patience;
  }

  get toolset(): Toolset {
    return this.parts.toolset;
  }

  get sessions(): SessionFlow {
    return this.parts.sessions;
  }

  get tree(): TreeFlow {
    return this.parts.tree;
  }

  get hasUI(): boolean {
    return this.ports.hasUI;
  }

  get store(): SessionStore {
    return this.parts.state.store;
  }

  get signal(): AbortSignal | undefined {
    return this.parts.control.signal;
  }

  get model(): Model<Api> | undefined {
    return this.parts.state.model;
  }

  get thinkingLevel(): string {
    return this.parts.state.thinkingLevel;
  }

  get isIdle(): boolean {
    return this.parts.control.isIdle;
  }

  get hasPendingMessages(): boolean {
    return this.parts.inbox.hasPendingMessages;
  }

  /** Texts that wait for the agent, as the user wrote them. */
  get queued(): { readonly steering: readonly string[]; readonly followUp: readonly string[] } {
    const { steering, followUps } = this.parts.control.agent;
    return { steering: textsOf(steering.messages), followUp: textsOf(followUps.messages) };
  }

  get messages(): readonly AgentMessage[] {
    return this.parts.control.agent.messages;
  }

  get systemPrompt(): string {
    return this.parts.state.runPrompt ?? this.ports.systemPrompt(this.toolset.chosen());
  }

  get commands(): ReturnType<typeof listCommands> {
    const others = listCommands(this.ports.hooks.commands);
    const { enableSkillCommands } = this.ports.settings.current;
    return [...others, ...resourceCompletions(this.parts.resources.current, others, enableSkillCommands)];
  }

  get hookCommands(): readonly CommandInfo[] {
    const ofHooks = this.ports.hooks.commands.map(({ name, description, hookPath }): CommandInfo => ({
      name,
      description,
      source: 'extension',
      path: hookPath,
    }));
    return [...ofHooks, ...resourceCommands(this.parts.resources.current)];
  }

  get contextUsage(): ContextUsage | undefined {
    const { model } = this.parts.state;
    if (model === undefined) return undefined;
    const tokens = this.parts.compaction.isFresh ? null : estimateContext(this.messages).tokens;
    const contextWindow = model.contextWindow;
    return { tokens, contextWindow, percent: tokens === null ? null : (tokens / contextWindow) * 100 };
  }

  get status(): RunStatus {
    const { control, state, ui } = this.parts;
    return statusOf(this.ports, {
      phase: control.phase,
      state,
      usage: this.contextUsage,
      cost: spentOn(this.messages),
      hookStatus: ui.statusTexts,
    });
  }

  /** Sends what a person typed: a command, a prompt, or a message for the running agent. */
  submit(
    text: string,
    options: { readonly delivery?: Delivery; readonly images?: readonly ImageContent[] } = {},
  ): Promise<void> {
    this.draft = '';
    return this.parts.inbox.submit(text, options.images ?? [], options.delivery ?? 'steer');
  }

  /**
   * Sends a text from outside of a chat, where only commands of hooks have a meaning. Rejects when it is refused, else
   * `onAccepted` is called first; failures of the run itself are in the messages. Resolves when all is done.
   */
  prompt(
    text: string,
    options: {
      readonly images?: readonly ImageContent[];
      readonly source?: 'interactive' | 'rpc';
      /** What to do while a run is going on; undefined: refuse. */
      readonly delivery?: Delivery;
      readonly onAccepted?: () => void;
    } = {},
  ): Promise<void> {
    const { images = [], source = 'interactive', delivery, onAccepted } = options;
    return this.parts.inbox.send({
      text,
      images,
      source,
      delivery,
      ...(onAccepted === undefined ? {} : { onAccepted }),
    });
  }

  /** See {@link Inbox.queue}. */
  queue(text: string, images: readonly ImageContent[], delivery: Delivery): void {
    this.parts.inbox.queue(text, images, delivery);
  }

  /** Ends what is going on; queued texts go back to the composer. */
  async stop(): Promise<void> {
    this.abortBash();
    await this.parts.inbox.stop();
  }

  /** Ends the wait for another try; the failed answer stays the last one. */
  abortRetry(): void {
    this.parts.control.abortRetry();
  }

  abortBash(): void {
    for (const shell of this.shells) shell.abort();
  }

  abortRun(): void {
    this.abortBash();
    void this.parts.inbox.stop('hook');
  }

  waitForIdle(): Promise<void> {
    return this.parts.control.waitForIdle();
  }

  requestShutdown(): void {
    void this.waitForIdle().then(() => {
      this.ports.shutdown();
    });
  }

  /** See {@link ModelChoice.set}. */
  setModel(model: Model<Api>, source: 'set' | 'cycle' = 'set'): Promise<boolean> {
    return this.parts.models.set(model, source);
  }

  /** See {@link ModelChoice.use}. */
  useModel(model: Model<Api>, source: 'set' | 'cycle' | 'restore'): Promise<void> {
    return this.parts.models.use(model, source);
  }

  setThinkingLevel(level: string): void {
    this.parts.models.setThinkingLevel(level);
  }

  resolveApiKey(model: Model<Api>): Promise<string | undefined> {
    return this.ports.models.getApiKey(model);
  }

  sendFromHook(
    content: string | ContentPart[],
    options: { readonly deliverAs?: Delivery; readonly queueWhenStreaming: boolean },
  ): Promise<void> {
    return this.parts.inbox.sendFromHook(content, options);
  }

  sendCustom(
    message: CustomMessageDraft,
    options: { readonly triggerTurn: boolean; readonly deliverAs?: HookDelivery },
  ): Promise<void> {
    return this.parts.inbox.sendCustom(message, options);
  }

  /** Summarises what came before (reference section 12). Rejects with the reason when that is not possible. */
  async compact(instructions?: string): Promise<CompactionResult> {
    await this.stop();
    return this.parts.control.beside({ type: 'compacting' }, signal =>
      this.parts.compaction.manual(instructions, signal),
    );
  }

  rebuildContext(): Promise<void> {
    if (!this.parts.control.agent.isRunning) this.parts.control.agent.setMessages(this.parts.state.readContext());
    return Promise.resolve();
  }

  rename(name: string): void {
    this.store.appendSessionInfo(name);
    this.announce({ type: 'session_info_changed', name: this.store.getSessionName() });
    this.fireStatus();
  }

  async reloadHooks(): Promise<void> {
    await this.ports.hooks.reload();
    await this.parts.resources.discover('reload', this.bridge);
  }

  /** Runs a command of a hook as the palette does; resolves false when none has that name. */
  runHookCommand(name: string, args: string): Promise<boolean> {
    return this.ports.hooks.runCommand(name, args, this.bridge);
  }

  /** Starts a new session that ends before this drawn message of the user; its text goes to the composer. */
  async branchFrom(itemId: string): Promise<void> {
    const message = this.parts.presenter.messageOf(itemId);
    const entryId = message === undefined ? null : this.parts.state.entryIdOf(message);
    if (entryId !== null) await this.sessions.fork(entryId);
  }

  /** What the file of a drawn edit said before it; undefined when not known. */
  textBefore(itemId: string): string | undefined {
    return this.parts.before.get(itemId.replace(/^tool:/, ''));
  }

  /** Takes the right to write to the session from another window (decisions.md, "Sessions on disk"). */
  async takeOver(): Promise<void> {
    await this.store.takeOver();
    await this.open();
  }

  notice(level: 'info' | 'warning' | 'error', text: string, more: Parameters<Presenter['notice']>[2] = {}): void {
    this.parts.presenter.notice(level, text, more);
  }

  /** Tells pages that numbers outside the conversation changed. */
  fireStatus(): void {
    const { status } = this;
    this.chat.apply({ type: 'status', status });
    this.statusEmitter.fire(status);
  }

  /** Ends the run and lets go of the session file. Hooks are told by whoever owns them. */
  async dispose(): Promise<void> {
    await this.stop();
    this.owned.dispose();
    await this.store.dispose();
    this.storeWatch?.dispose();
    this.statusEmitter.dispose();
    this.happenEmitter.dispose();
  }

  private listen(): void {
    const { hooks } = this.ports;
    const { control, resources } = this.parts;
    const showCommands = (): void => {
      this.chat.apply({ type: 'commands', commands: this.commands });
      this.fireStatus();
    };
    const tellQueue = (): void => {
      this.announce({ type: 'queue_update', ...this.queued });
    };
    for (const subscription of [
      hooks.onDidDispatch(record => {
        this.noteDispatch(record);
      }),
      hooks.onDidChange(showCommands),
      resources.onDidChange(showCommands),
      control.agent.steering.onDidChange(tellQueue),
      control.agent.followUps.onDidChange(tellQueue),
      control.onDidChangePhase(() => {
        this.fireStatus();
      }),
    ]) {
      this.owned.add(subscription);
    }
  }

  private announce(event: SessionEvent): void {
    this.happenEmitter.fire(event);
  }

  private asWhole(): ConversationWhole {
    return {
      bridge: this.bridge,
      draft: { get: () => this.draft, set: text => (this.draft = text) },
      builtIns: builtInActions(this, this.ports.editor),
      systemPrompt: () => this.systemPrompt,
      submit: text => this.submit(text),
      stop: () => this.stop(),
      runBash: (command, hidden) => this.runBash(command, hidden).then(({ recorded }) => recorded),
      recorded: async () => {
        const limit = AbortSignal.timeout(RECORDING_LIMIT_MS);
        await Promise.race([Promise.all(this.recording), aborted(limit)]);
      },
      persist: (message, place) => {
        this.persist(message, place);
      },
      noteRun: (tool, toolCallId, params) => this.noteRun(tool.name, toolCallId, params),
      giveBack: (text, images) => {
        this.giveBack(text, images);
      },
      follow: () => this.follow(),
      redraw: () => {
        this.redraw();
      },
      fireStatus: () => {
        this.fireStatus();
      },
      announce: event => {
        this.announce(event);
      },
    };
  }

  /**
   * Runs a command of the user and resolves with its outcome; `recorded` settles when it is in the session, which it is
   * once the agent is idle. `hidden` keeps it from the model.
   */
  async runBash(
    command: string,
    hidden: boolean,
  ): Promise<{ readonly outcome: BashOutcome; readonly recorded: Promise<void> }> {
    const { ports, bridge: conversation } = this;
    const { state, chat, presenter, control } = this.parts;
    const abort = new AbortController();
    const { signal } = abort;
    this.shells.add(abort);
    const running = runUserBash(command, hidden, { ports, state, chat, presenter, conversation, control, signal });
    const recorded = running.then(run => run.recorded).catch(() => undefined); // Whoever ran it is told.
    this.recording.add(recorded);
    void recorded.then(() => this.recording.delete(recorded));
    try {
      return await running;
    } finally {
      this.shells.delete(abort);
    }
  }

  /** A failed write is shown and the conversation goes on in memory: losing the answer would be worse. */
  private persist(message: AgentMessage, place?: 'aside'): void {
    const { presenter, compaction, rules } = this.parts;
    try {
      this.write(message, place);
      if (place === undefined) compaction.noteMessage(message);
      rules.noteMessage(message);
    } catch (error) {
      this.ports.log.error('A message could not be written to the session', error);
      presenter.notice('error', `This message could not be saved: ${messageOf(error)}`);
    }
    this.fireStatus();
  }

  /** What a tool or a hook adds for itself may be no JSON; the message is saved without it then. */
  private write(message: AgentMessage, place: 'aside' | undefined): void {
    const { state, presenter } = this.parts;
    const attempt = (written: AgentMessage): void => {
      if (place === 'aside') state.persistAside(message, written);
      else state.persist(message, written);
    };
    try {
      attempt(message);
    } catch (error) {
      const bare = withoutDetails(message);
      if (bare === undefined) throw error;
      attempt(bare);
      const whose =
        message.role === 'toolResult' ? `The details of the result of ${message.toolName}` : 'The details of a message';
      presenter.notice('warning', `${whose} are not in the session: ${messageOf(error)}`);
    }
  }

  private async noteRun(toolName: string, toolCallId: string, params: unknown): Promise<void> {
    this.parts.presenter.toolRuns(toolCallId);
    if (toolName !== 'edit' && toolName !== 'write') return;
    await this.parts.before.remember(toolCallId, (params as { readonly path?: unknown }).path);
  }

  private noteDispatch(record: DispatchRecord): void {
    if (record.conversation === this.id) this.parts.presenter.addVerdict(record);
  }

  private giveBack(text: string, images: readonly ImageContent[] = []): void {
    this.draft = [text, this.draft].filter(part => part !== '').join('\n\n');
    const attached = images.map(({ mimeType, data }) => ({ mimeType, data }));
    const given = attached.length > 0 ? { images: attached } : {};
    this.chat.apply({ type: 'composer', text: this.draft, mode: 'replace', ...given });
  }

  /** Failed writes, other writers and entries found unreadable later are told, each cause once per session. */
  private watchStore(): void {
    const told = new Set<string>();
    this.storeWatch?.dispose();
    this.storeWatch = this.store.onDidComplain(({ message, file }) => {
      if (told.has(message)) return;
      told.add(message);
      this.ports.log.warn(`Session ${this.store.getSessionFile() ?? ''}: ${message}`);
      this.notice('error', message, file === undefined ? {} : { file: { path: file } });
    });
  }

  private async follow(): Promise<void> {
    this.watchStore();
    await this.parts.models.followSession();
    this.redraw();
    for (const problem of this.store.problems) {
      this.parts.presenter.notice('warning', problem.message, {
        ...(problem.file === undefined
          ? {}
          : { file: { path: problem.file, ...(problem.line === undefined ? {} : { line: problem.line }) } }),
      });
    }
    const { access } = this.store;
    if (access.kind === 'read') {
      this.parts.presenter.notice('warning', `This session can only be read: ${access.reason}`, {
        action: { label: 'Take over', command: 'takeOverSession' },
      });
    }
  }

  private redraw(): void {
    this.parts.rules.forget();
    this.parts.todos.forget();
    const { messages, omitted } = this.parts.state.readTranscript();
    this.parts.presenter.show(messages);
    if (omitted > 0) this.parts.presenter.notice('info', `${omitted} earlier messages of this session are not drawn.`);
    this.redrawEmitter.fire();
    this.fireStatus();
  }
}

function withoutDetails(message: AgentMessage): AgentMessage | undefined {
  if (message.role !== 'toolResult' && message.role !== 'custom') return undefined;
  return message.details === undefined ? undefined : { ...message, details: undefined };
}
