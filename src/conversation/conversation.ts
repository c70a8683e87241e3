import type { Api, ImageContent, Model } from '@mariozechner/pi-ai';
import { estimateContext } from '../agent/compaction/tokens';
import type { AgentMessage, ContentPart } from '../agent/messages';
import type { SessionStore } from '../agent/session/store';
import { DisposableStore } from '../base/disposable';
import { Emitter } from '../base/event';
import type { CommandInfo, ContextUsage, HookDelivery } from '../hooks/conversation-port';
import type { BashOutcome, CompactionResult, CustomMessageDraft } from '../hooks/events';
import type { DispatchRecord } from '../hooks/record';
import { noUi, type HookUIContext } from '../hooks/ui';
import type { Delivery, RunStatus } from '../protocol/messages';
import { BeforeTexts } from './before-texts';
import { ChatModel } from './chat-model';
import { CompactionFlow } from './compaction-flow';
import { HookBridge } from './hook-bridge';
import { ConversationUi } from './hook-ui';
import { Inbox } from './inbox';
import { LifecycleQueue } from './lifecycle';
import { ModelChoice, THINKING_LEVELS } from './model-choice';
import { resourceCommands, resourceCompletions } from './expand-prompt';
import type { ConversationPorts } from './ports';
import { Presenter } from './presenter';
import { noResources } from './resources';
import { RunControl } from './run-control';
import type { SessionEvent } from './session-events';
import { SessionFlow } from './session-flow';
import { SessionState } from './session-state';
import { listCommands } from './slash-commands';
import { describeSession, lastAnswerText, spentOn, textsOf } from './session-facts';
import { StreamRules } from './stream-rules';
import { TodoReminders } from './todo-reminders';
import { Toolset } from './toolset';
import { TreeFlow } from './tree-flow';
import { runUserBash } from './user-bash';

/** One chat: an agent, its session, its hooks, and how all of it is drawn. Lives in the host; pages come and go. */
export class Conversation {
  readonly chat = new ChatModel();
  readonly ui: ConversationUi;
  readonly toolset: Toolset;
  readonly sessions: SessionFlow;
  readonly tree: TreeFlow;
  readonly bridge: HookBridge;
  /** What stands in the composer, sent or not. */
  draft = '';
  private readonly state: SessionState;
  private readonly presenter: Presenter;
  private readonly control: RunControl;
  private readonly models: ModelChoice;
  private readonly inbox: Inbox;
  private readonly compaction: CompactionFlow;
  private readonly lifecycle: LifecycleQueue;
  private readonly before: BeforeTexts;
  private readonly rules: StreamRules;
  private readonly todos: TodoReminders;
  private readonly shells = new Set<AbortController>();
  private readonly owned = new DisposableStore();
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
    const { hooks } = ports;
    this.state = new SessionState(store);
    this.before = new BeforeTexts(ports.cwd);
    this.bridge = new HookBridge(this, id, ports.cwd, ports.models);
    this.rules = new StreamRules({
      rules: () => this.resources.current.rules,
      state: this.state,
      onTrigger: rules => {
        this.control.noteTriggered(rules);
      },
    });
    this.todos = new TodoReminders({ settings: () => ports.settings.current.todo, hooks, state: this.state });
    this.presenter = new Presenter(this.chat, {
      cwd: ports.cwd,
      modelName: (provider, model) => ports.models.find(provider, model)?.name ?? model,
      isGated: () => hooks.hasHandlers('tool_call'),
      drawings: () => this.ui.drawings,
    });
    this.ui = new ConversationUi({
      chat: this.chat,
      presenter: this.presenter,
      dialogs: ports.dialogs,
      editor: ports.editor,
      runSignal: () => this.signal,
      draft: { get: () => this.draft, set: text => (this.draft = text) },
      onStatus: () => {
        this.control.refreshPhase();
        this.fireStatus();
      },
      hooks,
      conversation: this.bridge,
      submit: text => void this.submit(text),
      stop: () => void this.stop(),
    });
    this.owned.add(this.ui);
    this.hookUi = ports.hasUI ? (ports.hookUi?.(this.ui) ?? this.ui) : noUi;
    this.lifecycle = new LifecycleQueue(ports.log, () => this.ui.openQuestions > 0);
    this.toolset = new Toolset({
      builtIn: () => (this.todos.isOffered ? [...ports.builtInTools, this.todos.tool] : ports.builtInTools),
      hooks,
      conversation: this.bridge,
      onRun: (tool, toolCallId, params) => this.noteRun(tool.name, toolCallId, params),
      before: signal => this.lifecycle.settled(signal),
    });
    this.models = new ModelChoice({
      ports,
      state: this.state,
      conversation: this.bridge,
      presenter: this.presenter,
      onChange: () => {
        this.fireStatus();
      },
      announce: this.announce,
    });
    this.compaction = new CompactionFlow({
      ports,
      state: this.state,
      conversation: this.bridge,
      presenter: this.presenter,
      messages: () => this.control.agent.messages,
      setContext: messages => {
        this.control.agent.setMessages(messages);
      },
      announce: this.announce,
    });
    this.control = this.createControl();
    this.tree = new TreeFlow({
      ports,
      state: this.state,
      conversation: this.bridge,
      stop: () => this.stop(),
      beside: work => this.control.beside({ type: 'compacting' }, work),
      setContext: messages => {
        this.control.agent.setMessages(messages);
      },
      redraw: () => {
        this.redraw();
      },
      composer: text => {
        this.giveBack(text);
      },
    });
    this.sessions = new SessionFlow({
      cwd: ports.cwd,
      sessionDir: ports.sessionDir,
      state: this.state,
      hooks,
      conversation: this.bridge,
      stop: () => this.stop(),
      setContext: messages => {
        if (messages !== undefined) this.control.agent.setMessages(messages);
      },
      afterSwitch: () => this.follow(),
      composer: text => {
        this.giveBack(text);
      },
    });
    this.inbox = this.createInbox();
    this.owned.add(
      hooks.onDidDispatch(record => {
        this.noteDispatch(record);
      }),
    );
    const showCommands = (): void => {
      this.chat.apply({ type: 'commands', commands: this.commands });
      this.fireStatus();
    };
    this.owned.add(hooks.onDidChange(showCommands));
    this.owned.add(this.resources.onDidChange(showCommands));
    for (const queue of [this.control.agent.steering, this.control.agent.followUps]) {
      this.owned.add(
        queue.onDidChange(() => {
          this.announce({ type: 'queue_update', ...this.queued });
        }),
      );
    }
    this.owned.add(
      this.control.onDidChangePhase(() => {
        this.fireStatus();
      }),
    );
  }

  /** Lets model, level, context and drawing follow the session. Call once after construction; tells no hook. */
  async open(): Promise<void> {
    this.control.agent.setMessages(this.state.readContext());
    await this.follow();
  }

  get hasUI(): boolean {
    return this.ports.hasUI;
  }

  get store(): SessionStore {
    return this.state.store;
  }

  get signal(): AbortSignal | undefined {
    return this.control.signal;
  }

  get model(): Model<Api> | undefined {
    return this.state.model;
  }

  get thinkingLevel(): string {
    return this.state.thinkingLevel;
  }

  get isIdle(): boolean {
    return this.control.isIdle;
  }

  get hasPendingMessages(): boolean {
    return this.inbox.hasPendingMessages;
  }

  /** Texts that wait for the agent, as the user wrote them. */
  get queued(): { readonly steering: readonly string[]; readonly followUp: readonly string[] } {
    const { steering, followUps } = this.control.agent;
    return { steering: textsOf(steering.messages), followUp: textsOf(followUps.messages) };
  }

  get messages(): readonly AgentMessage[] {
    return this.control.agent.messages;
  }

  get systemPrompt(): string {
    return this.state.runPrompt ?? this.ports.systemPrompt(this.toolset.chosen());
  }

  get commands(): ReturnType<typeof listCommands> {
    const others = listCommands(this.ports.hooks.commands);
    const { enableSkillCommands } = this.ports.settings.current;
    return [...others, ...resourceCompletions(this.resources.current, others, enableSkillCommands)];
  }

  get hookCommands(): readonly CommandInfo[] {
    const ofHooks = this.ports.hooks.commands.map(({ name, description, hookPath }): CommandInfo => ({
      name,
      description,
      source: 'extension',
      path: hookPath,
    }));
    return [...ofHooks, ...resourceCommands(this.resources.current)];
  }

  private get resources(): NonNullable<ConversationPorts['resources']> {
    return this.ports.resources ?? noResources;
  }

  get contextUsage(): ContextUsage | undefined {
    const { model } = this.state;
    if (model === undefined) return undefined;
    const tokens = this.compaction.isFresh ? null : estimateContext(this.messages).tokens;
    const contextWindow = model.contextWindow;
    return { tokens, contextWindow, percent: tokens === null ? null : (tokens / contextWindow) * 100 };
  }

  get status(): RunStatus {
    const { model, thinkingLevel, store } = this.state;
    const usage = this.contextUsage;
    const blocked = this.ports.blocked();
    const cost = spentOn(this.messages);
    return {
      phase: this.control.phase,
      model: model?.name ?? '',
      demo: model?.provider === 'demo',
      thinkingLevel,
      thinkingLevels: model?.reasoning === true ? THINKING_LEVELS : ['off'],
      sessionName: store.getSessionName() ?? '',
      ...(usage === undefined
        ? {}
        : { context: { tokens: usage.tokens, window: usage.contextWindow, estimated: false } }),
      ...(cost > 0 ? { cost } : {}),
      hooks: this.ports.hookCounts(),
      hookStatus: this.ui.statusTexts,
      ...(blocked === undefined ? {} : { blocked }),
    };
  }

  /** Sends what a person typed: a command, a prompt, or a message for the running agent. */
  submit(
    text: string,
    options: { readonly delivery?: Delivery; readonly images?: readonly ImageContent[] } = {},
  ): Promise<void> {
    this.draft = '';
    return this.inbox.submit(text, options.images ?? [], options.delivery ?? 'steer');
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
    return this.inbox.send({ text, images, source, delivery, ...(onAccepted === undefined ? {} : { onAccepted }) });
  }

  /** See {@link Inbox.queue}. */
  queue(text: string, images: readonly ImageContent[], delivery: Delivery): void {
    this.inbox.queue(text, images, delivery);
  }

  /** Ends what is going on; queued texts go back to the composer. */
  async stop(): Promise<void> {
    this.abortBash();
    await this.inbox.stop();
  }

  /** Ends the wait for another try; the failed answer stays the last one. */
  abortRetry(): void {
    this.control.abortRetry();
  }

  abortBash(): void {
    for (const shell of this.shells) shell.abort();
  }

  abortRun(): void {
    void this.stop();
  }

  waitForIdle(): Promise<void> {
    return this.control.waitForIdle();
  }

  requestShutdown(): void {
    void this.waitForIdle().then(() => {
      this.ports.shutdown();
    });
  }

  /** See {@link ModelChoice.set}. */
  setModel(model: Model<Api>, source: 'set' | 'cycle' = 'set'): Promise<boolean> {
    return this.models.set(model, source);
  }

  /** See {@link ModelChoice.use}. */
  useModel(model: Model<Api>, source: 'set' | 'cycle' | 'restore'): Promise<void> {
    return this.models.use(model, source);
  }

  setThinkingLevel(level: string): void {
    this.models.setThinkingLevel(level);
  }

  resolveApiKey(model: Model<Api>): Promise<string | undefined> {
    return this.ports.models.getApiKey(model);
  }

  sendFromHook(
    content: string | ContentPart[],
    options: { readonly deliverAs?: Delivery; readonly queueWhenStreaming: boolean },
  ): Promise<void> {
    return this.inbox.sendFromHook(content, options);
  }

  sendCustom(
    message: CustomMessageDraft,
    options: { readonly triggerTurn: boolean; readonly deliverAs?: HookDelivery },
  ): Promise<void> {
    return this.inbox.sendCustom(message, options);
  }

  /** Summarises what came before (reference section 12). Rejects with the reason when that is not possible. */
  async compact(instructions?: string): Promise<CompactionResult> {
    await this.stop();
    return this.control.beside({ type: 'compacting' }, signal => this.compaction.manual(instructions, signal));
  }

  rebuildContext(): Promise<void> {
    if (!this.control.agent.isRunning) this.control.agent.setMessages(this.state.readContext());
    return Promise.resolve();
  }

  rename(name: string): void {
    this.store.appendSessionInfo(name);
    this.announce({ type: 'session_info_changed', name: this.store.getSessionName() });
    this.fireStatus();
  }

  async reloadHooks(): Promise<void> {
    await this.ports.hooks.reload();
    await this.resources.discover('reload', this.bridge);
  }

  /** Runs a command of a hook as the palette does; resolves false when none has that name. */
  runHookCommand(name: string, args: string): Promise<boolean> {
    return this.ports.hooks.runCommand(name, args, this.bridge);
  }

  /** Starts a new session that ends before this drawn message of the user; its text goes to the composer. */
  async branchFrom(itemId: string): Promise<void> {
    const message = this.presenter.messageOf(itemId);
    const entryId = message === undefined ? null : this.state.entryIdOf(message);
    if (entryId !== null) await this.sessions.fork(entryId);
  }

  /** What the file of a drawn edit said before it; undefined when not known. */
  textBefore(itemId: string): string | undefined {
    return this.before.get(itemId.replace(/^tool:/, ''));
  }

  /** Takes the right to write to the session from another window (decisions.md, "Sessions on disk"). */
  async takeOver(): Promise<void> {
    await this.store.takeOver();
    await this.open();
  }

  notice(level: 'info' | 'warning' | 'error', text: string, more: Parameters<Presenter['notice']>[2] = {}): void {
    this.presenter.notice(level, text, more);
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
    this.statusEmitter.dispose();
    this.happenEmitter.dispose();
  }

  private readonly announce = (event: SessionEvent): void => {
    this.happenEmitter.fire(event);
  };

  private createControl(): RunControl {
    const { ports, state, presenter } = this;
    return new RunControl({
      stream: ports.stream,
      hooks: ports.hooks,
      hookConversation: this.bridge,
      lifecycle: this.lifecycle,
      presenter,
      toolset: this.toolset,
      settings: () => ports.settings.current,
      model: () => {
        if (state.model === undefined) throw new Error('No model is chosen.');
        return state.model;
      },
      thinkingLevel: () => state.thinkingLevel,
      sessionId: () => state.store.getSessionId(),
      systemPrompt: () => this.systemPrompt,
      persist: (message, place) => {
        this.persist(message, place);
      },
      rules: this.rules,
      todos: this.todos,
      entryIdOf: message => state.entryIdOf(message),
      workingMessage: () => this.ui.workingMessage,
      compaction: this.compaction,
      announce: this.announce,
    });
  }

  private createInbox(): Inbox {
    return new Inbox({
      ports: this.ports,
      state: this.state,
      control: this.control,
      presenter: this.presenter,
      hooks: this.ports.hooks,
      conversation: this.bridge,
      resources: () => this.resources.current,
      basePrompt: () => this.ports.systemPrompt(this.toolset.chosen()),
      giveBack: text => {
        this.giveBack(text);
      },
      runBash: (command, hidden) => this.runBash(command, hidden).then(({ recorded }) => recorded),
      builtIns: {
        newSession: () => this.sessions.newSession(),
        resume: () => {
          this.ports.editor.pickSession();
        },
        compact: instructions => this.compact(instructions),
        pickModel: () => {
          this.ports.editor.pickModel();
        },
        rename: name => {
          this.rename(name);
        },
        showSession: () => {
          this.presenter.notice('info', describeSession(this.store, this.status));
        },
        reload: () => this.reloadHooks(),
        copyLast: () => {
          this.ports.editor.copy(lastAnswerText(this.messages));
        },
        setThinkingLevel: level => {
          this.setThinkingLevel(level);
        },
      },
    });
  }

  /**
   * Runs a command of the user and resolves with its outcome; `recorded` settles when it is in the session, which it is
   * once the agent is idle. `hidden` keeps it from the model.
   */
  async runBash(
    command: string,
    hidden: boolean,
  ): Promise<{ readonly outcome: BashOutcome; readonly recorded: Promise<void> }> {
    const { ports, state, chat, presenter, control, bridge: conversation } = this;
    const abort = new AbortController();
    this.shells.add(abort);
    try {
      return await runUserBash(command, hidden, {
        ports,
        state,
        chat,
        presenter,
        conversation,
        control,
        signal: abort.signal,
      });
    } finally {
      this.shells.delete(abort);
    }
  }

  /** A failed write is shown and the conversation goes on in memory: losing the answer would be worse. */
  private persist(message: AgentMessage, place?: 'aside'): void {
    try {
      if (place === 'aside') {
        this.state.persistAside(message);
      } else {
        this.state.persist(message);
        this.compaction.noteMessage(message);
      }
      this.rules.noteMessage(message);
    } catch (error) {
      this.ports.log.error('A message could not be written to the session', error);
      this.presenter.notice('error', `This message could not be saved: ${String(error)}`);
    }
    this.fireStatus();
  }

  private async noteRun(toolName: string, toolCallId: string, params: unknown): Promise<void> {
    this.presenter.toolRuns(toolCallId);
    if (toolName !== 'edit' && toolName !== 'write') return;
    await this.before.remember(toolCallId, (params as { readonly path?: unknown }).path);
  }

  private noteDispatch(record: DispatchRecord): void {
    if (record.conversation === this.id) this.presenter.addVerdict(record);
  }

  private giveBack(text: string): void {
    this.draft = this.draft === '' ? text : `${text}\n\n${this.draft}`;
    this.chat.apply({ type: 'composer', text: this.draft, mode: 'replace' });
  }

  private async follow(): Promise<void> {
    await this.models.followSession();
    this.redraw();
    for (const problem of this.store.problems) {
      this.presenter.notice('warning', problem.message, {
        ...(problem.file === undefined
          ? {}
          : { file: { path: problem.file, ...(problem.line === undefined ? {} : { line: problem.line }) } }),
      });
    }
    const { access } = this.store;
    if (access.kind === 'read') {
      this.presenter.notice('warning', `This session can only be read: ${access.reason}`, {
        action: { label: 'Take over', command: 'takeOverSession' },
      });
    }
  }

  private redraw(): void {
    this.rules.forget();
    this.todos.forget();
    const { messages, omitted } = this.state.readTranscript();
    this.presenter.show(messages);
    if (omitted > 0) this.presenter.notice('info', `${omitted} earlier messages of this session are not drawn.`);
    this.redrawEmitter.fire();
    this.fireStatus();
  }
}
