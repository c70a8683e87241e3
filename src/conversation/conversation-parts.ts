import type { ImageContent } from '@mariozechner/pi-ai';
import type { AgentMessage } from '../agent/messages';
import type { SessionStore } from '../agent/session/store';
import { RipgrepLocator } from '../agent/tools/search/ripgrep';
import type { TextFile } from '../protocol/composer';
import { ComposerDesk } from './composer/composer-desk';
import { SessionCalls } from './call-records/session-calls';
import { SessionChanges } from './changes/session-changes';
import { ChatModel } from './cards/chat-model';
import { CompactionFlow } from './run/compaction-flow';
import type { ConversationWhole } from './conversation-whole';
import { isOnlyDraft } from './composer/drafts';
import { hookRef } from './hook-ref';
import { ConversationUi } from './questions/hook-ui';
import { Inbox } from './run/inbox';
import { LifecycleQueue } from './run/lifecycle';
import { MessageEdits } from './composer/message-edits';
import { ModelChoice } from './run/model-choice';
import type { PatienceParts } from './patience';
import type { ConversationPorts } from './ports';
import { Presenter } from './cards/presenter';
import { noResources } from '../startup/resources';
import { RunControl } from './run/run-control';
import type { SessionEvent } from './session/session-events';
import { SessionFlow } from './session/session-flow';
import { SessionState } from './session/session-state';
import { Lineage } from './changes/lineage';
import { StreamRules } from './run/stream-rules';
import { TodoReminders } from './run/todo-reminders';
import { Toolset } from './run/toolset';
import { TreeFlow } from './session/tree-flow';

/** The parts of one conversation, wired to each other. */
export class ConversationParts {
  readonly chat = new ChatModel();
  readonly state: SessionState;
  /** Undefined where changes are not kept. */
  readonly changes: SessionChanges | undefined;
  /** What is known of the session's tool calls beyond its file. */
  readonly calls: SessionCalls;
  readonly rules: StreamRules;
  readonly todos: TodoReminders;
  readonly presenter: Presenter;
  readonly ui: ConversationUi;
  readonly lifecycle: LifecycleQueue;
  readonly toolset: Toolset;
  readonly models: ModelChoice;
  readonly compaction: CompactionFlow;
  readonly control: RunControl;
  readonly tree: TreeFlow;
  readonly sessions: SessionFlow;
  readonly inbox: Inbox;
  readonly desk: ComposerDesk;
  readonly edits: MessageEdits;
  private readonly lineage = new Lineage();

  constructor(
    private readonly ports: ConversationPorts,
    private readonly whole: ConversationWhole,
    store: SessionStore,
  ) {
    this.state = new SessionState(store);
    this.calls = this.createCalls();
    this.rules = this.createRules();
    this.todos = new TodoReminders({
      settings: () => ports.settings.current.todo,
      hooks: ports.hooks,
      state: this.state,
    });
    this.presenter = this.createPresenter();
    this.ui = this.createUi();
    this.lifecycle = new LifecycleQueue(ports.log, () => this.ui.openQuestions > 0, ports.patienceMs);
    this.toolset = this.createToolset();
    this.models = this.createModelChoice();
    this.compaction = this.createCompaction();
    this.control = this.createControl();
    this.tree = this.createTree();
    this.sessions = this.createSessions();
    this.inbox = this.createInbox();
    this.desk = this.createDesk();
    this.changes = this.createChanges();
    const { state, presenter, inbox, tree, sessions } = this;
    this.edits = new MessageEdits({ state, presenter, composer: whole.composer, inbox, tree, sessions });
  }

  /** For steps that must come to their end whatever hooks do. */
  get patience(): PatienceParts {
    const { ports, whole, presenter } = this;
    return {
      hooks: ports.hooks,
      conversation: whole.bridge,
      isAsking: () => this.ui.openQuestions > 0,
      ...(ports.patienceMs === undefined ? {} : { patienceMs: ports.patienceMs }),
      onGivenUp: ({ text, hookPath }) => {
        ports.log.warn(text);
        presenter.notice('warning', text, hookPath === undefined ? {} : { hook: hookRef(hookPath) });
      },
    };
  }

  get resources(): NonNullable<ConversationPorts['resources']> {
    return this.ports.resources ?? noResources;
  }

  private readonly setContext = (messages: readonly AgentMessage[]): void => {
    this.control.agent.setMessages(messages);
  };

  private readonly announce = (event: SessionEvent): void => {
    this.whole.announce(event);
  };

  private readonly giveBack = (text: string, images?: readonly ImageContent[], files?: readonly TextFile[]): void => {
    this.whole.giveBack(text, images, files);
  };

  private readonly fireStatus = (): void => {
    this.whole.fireStatus();
  };

  private createChanges(): SessionChanges | undefined {
    const { ports, whole, state, chat, presenter, control } = this;
    if (ports.changes === undefined) return undefined;
    return new SessionChanges({
      tracker: ports.changes,
      chat,
      editor: ports.editor,
      log: ports.log,
      session: () => state.store.getSessionId(),
      conversation: whole.bridge.id,
      ancestors: () => this.lineage.of(state.store),
      isIdle: () => control.isIdle,
      messageOf: itemId => presenter.messageOf(itemId),
      notice: (level, text, detail) => presenter.notice(level, text, detail === undefined ? {} : { detail }),
      tell: text =>
        void whole.bridge.sendCustomMessage(
          { customType: 'hookline.revert', content: text, display: false },
          { triggerTurn: false },
        ),
    });
  }

  private createCalls(): SessionCalls {
    const { state } = this;
    return new SessionCalls({
      records: this.ports.callRecords,
      session: () => ({
        id: state.store.getSessionId(),
        isOnDisk: state.store.getSessionFile() !== undefined,
      }),
      isNew: () => !state.store.getNodes().some(({ type }) => type === 'message'),
      ancestors: () => this.lineage.of(state.store),
    });
  }

  private createRules(): StreamRules {
    return new StreamRules({
      rules: () => this.resources.current.rules,
      state: this.state,
      onTrigger: rules => this.control.noteTriggered(rules),
    });
  }

  private createPresenter(): Presenter {
    const { cwd, models, hooks } = this.ports;
    return new Presenter(this.chat, {
      cwd,
      modelName: (provider, model) => models.find(provider, model)?.name ?? model,
      isGated: () => hooks.runner.hasHandlers('tool_call'),
      drawings: () => this.ui.drawings,
      calls: () => this.calls,
      touchedBy: toolCallId => this.changes?.touchedBy(toolCallId) ?? [],
    });
  }

  private createUi(): ConversationUi {
    const { ports, whole, chat, presenter } = this;
    return new ConversationUi({
      chat,
      presenter,
      dialogs: ports.dialogs,
      editor: ports.editor,
      runSignal: () => this.control.signal,
      draft: whole.draft,
      onStatus: () => {
        this.control.refreshPhase();
        this.fireStatus();
      },
      hooks: ports.hooks,
      conversation: whole.bridge,
      name: () => ports.neighbours?.nameOf(),
      submit: text => void whole.submit(text),
      stop: () => void whole.stop(),
    });
  }

  private createToolset(): Toolset {
    const { ports, whole, todos } = this;
    return new Toolset({
      builtIn: () => (todos.isOffered ? [...ports.builtInTools, todos.tool] : ports.builtInTools),
      ...(ports.optionalTools === undefined ? {} : { optional: ports.optionalTools }),
      hooks: ports.hooks,
      conversation: whole.bridge,
      onRun: (tool, toolCallId, params) => whole.noteRun(tool, toolCallId, params),
      before: signal => this.lifecycle.settled(signal),
    });
  }

  private createModelChoice(): ModelChoice {
    const { ports, whole, state, presenter, announce, fireStatus } = this;
    return new ModelChoice({
      ports,
      state,
      conversation: whole.bridge,
      patience: this.patience,
      presenter,
      onChange: fireStatus,
      announce,
    });
  }

  private createCompaction(): CompactionFlow {
    const { ports, whole, state, presenter, announce, setContext } = this;
    const messages = (): readonly AgentMessage[] => this.control.agent.messages;
    return new CompactionFlow({
      ports,
      state,
      conversation: whole.bridge,
      presenter,
      messages,
      setContext,
      announce,
    });
  }

  private createControl(): RunControl {
    const { ports, whole, state, presenter, lifecycle, toolset, rules, todos, compaction, announce } = this;
    return new RunControl({
      stream: ports.stream,
      hooks: ports.hooks,
      hookConversation: whole.bridge,
      lifecycle,
      presenter,
      toolset,
      settings: () => ports.settings.current,
      model: () => {
        if (state.model === undefined) throw new Error('No model is chosen.');
        return state.model;
      },
      thinkingLevel: () => state.effectiveLevel,
      sessionId: () => state.store.getSessionId(),
      systemPrompt: () => whole.systemPrompt(),
      persist: (message, place) => whole.persist(message, place),
      rules,
      todos,
      entryIdOf: message => state.entryIdOf(message),
      workingMessage: () => this.ui.workingMessage,
      compaction,
      announce,
    });
  }

  private createTree(): TreeFlow {
    const { ports, whole, state, control, setContext, giveBack: composer } = this;
    return new TreeFlow({
      ports,
      state,
      conversation: whole.bridge,
      stop: () => whole.stop(),
      beside: work => control.beside({ type: 'compacting' }, work),
      setContext,
      redraw: () => whole.redraw(),
      composer,
    });
  }

  private createSessions(): SessionFlow {
    const { ports, whole, state, control, setContext, giveBack: composer } = this;
    return new SessionFlow({
      cwd: ports.cwd,
      sessionDir: ports.sessionDir,
      state,
      patience: this.patience,
      beside: work => control.beside({ type: 'running', message: '' }, work, false),
      stop: async () => {
        await whole.stop();
        await this.lifecycle.settled();
        await whole.recorded();
      },
      setContext: messages => {
        if (messages !== undefined) setContext(messages);
      },
      afterSwitch: () => whole.follow(),
      startsOnSwitch: ports.startsOnSwitch ?? (() => true),
      showElsewhere: async file => (await ports.neighbours?.showFile(file)) ?? false,
      composer,
      takeDraft: () => {
        if (!isOnlyDraft(whole.composer.draft, control.agent.messages)) return undefined;
        const { text, images, files } = whole.composer.take();
        return () => whole.composer.giveBack(text, images, files);
      },
    });
  }

  private createInbox(): Inbox {
    const { ports, whole, state, control, presenter, giveBack } = this;
    return new Inbox({
      ports,
      state,
      control,
      presenter,
      hooks: ports.hooks,
      conversation: whole.bridge,
      resources: () => this.resources.current,
      basePrompt: () => ports.systemPrompt(this.toolset.chosen()),
      giveBack,
      context: ports.context,
      runBash: (command, hidden) => whole.runBash(command, hidden),
      moved: () => this.sessions.moved(),
      builtIns: whole.builtIns,
    });
  }

  private createDesk(): ComposerDesk {
    const { ports, whole, presenter } = this;
    const { cwd, ripgrep = new RipgrepLocator(), context, hooks, log } = ports;
    return new ComposerDesk({
      cwd,
      ripgrep,
      context,
      hooks,
      insert: text => whole.insert(text),
      log,
      queue: () => this.inbox,
      warn: text => presenter.notice('warning', text),
    });
  }
}
