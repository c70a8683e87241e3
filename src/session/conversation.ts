import { isDeepStrictEqual } from 'node:util';
import type { ImageContent } from '@mariozechner/pi-ai';
import { releaseSession } from '../agent/models/pi-ai';
import { customEntry } from '../agent/session/entry';
import type { SessionStore } from '../agent/session/store';
import { RipgrepLocator } from '../agent/tools/search/ripgrep';
import { defined } from '../base/defined';
import { DisposableStore } from '../base/disposable';
import { Emitter } from '../base/event';
import type { Delivery } from '../protocol/composer';
import type { SlashCommand } from '../protocol/messages';
import { noResources, type ResourceSource } from '../startup/resources';
import { Approvals } from './approvals/approvals';
import { SessionCalls } from '../chat/call-records/session-calls';
import { ChatModel } from '../chat/model/chat-model';
import { Presenter } from '../chat/cards/presenter';
import { ProviderNotices } from '../chat/cards/provider-notices';
import { ShownTexts } from '../chat/cards/shown-texts';
import { Lineage } from '../chat/call-records/lineage';
import { SessionChanges } from '../chat/changes/session-changes';
import { BuiltInCompletions } from '../chat/composer/completion/built-in-completions';
import { HookCompletions } from '../chat/composer/completion/hook-completions';
import { ComposerRequests } from '../chat/composer/composer-requests';
import { ComposerState } from '../chat/composer/composer-state';
import { DraftsInMemory } from '../chat/composer/drafts';
import { MessageEdits } from '../chat/composer/message-edits';
import { ConversationForHooks } from './conversation-for-hooks';
import { hookRef } from '../transcript/hook-ref';
import { HOOK_WAIT_MS, type HookWait } from './ports/wait-for-hooks';
import type { ConversationPorts } from './ports/ports';
import { ConversationUi, componentsFor } from '../chat/questions/hook-ui';
import { CompactionFlow } from './compaction/compaction-flow';
import { resourceCompletions } from './prompts/resource-commands';
import { mcpCommands } from './prompts/mcp-command';
import { Inbox } from './prompts/inbox';
import type { Disposition } from './prompts/prompt-pipeline';
import { HookEventQueue } from './run/hook-event-queue';
import { ModelChoice } from './models/model-choice';
import { runAgain } from './prompts/run-again';
import { RunControl } from './run/run-control';
import { listCommands } from '../chat/commands/slash-commands';
import { StreamRules } from './run/stream-rules';
import { TodoReminders } from './run/todo-reminders';
import { Toolset } from './run/toolset';
import { UserShells } from './prompts/user-bash';
import { SessionDrawing } from './moves/session-drawing';
import type { SessionEvent } from './ports/session-events';
import { leaveLostSession } from './moves/lost-session';
import { SessionFlow } from './moves/session-flow';
import { SessionState } from './state/session-state';
import { SessionWriting } from './run/session-writing';
import { TreeFlow } from './moves/tree-flow';
import { ConversationStatus } from '../chat/status';
import { Drawings } from '../chat/cards/drawings';

/**
 * One chat: an agent, its session, its hooks, and how all of it is drawn. It lives in the host; pages come and go. Each
 * part is created from earlier ones. Earlier parts get events from later ones.
 */
export class Conversation {
  readonly chat = new ChatModel();
  /** The session that is open now, and what the conversation is about. */
  readonly state: SessionState;
  readonly resources: ResourceSource;
  /** The conversation as hooks see it. */
  readonly forHooks: ConversationForHooks;
  readonly composer: ComposerState;
  /** The files that the agent touched; undefined where that is not kept. */
  readonly changes: SessionChanges | undefined;
  readonly presenter: Presenter;
  /** Texts as hooks want them shown. */
  private readonly texts: ShownTexts;
  readonly ui: ConversationUi;
  /** Absent where there are none. */
  readonly approvals: Approvals | undefined;
  /** For steps that must come to their end whatever hooks do. */
  readonly hookWait: HookWait;
  readonly toolset: Toolset;
  readonly models: ModelChoice;
  readonly run: RunControl;
  readonly status: ConversationStatus;
  /** Commands that the user runs beside the agent. */
  readonly shells: UserShells;
  readonly drawing: SessionDrawing;
  readonly tree: TreeFlow;
  readonly sessions: SessionFlow;
  readonly inbox: Inbox;
  /** Edits of sent messages, and branches from them. */
  readonly edits: MessageEdits;
  readonly composerRequests: ComposerRequests;
  private readonly owned = new DisposableStore();
  readonly events = this.owned.add(new Emitter<SessionEvent>());
  /** All events of the conversation, in order, for listeners other than chat pages. */
  readonly onDidHappen = this.events.event;

  constructor(
    readonly id: string,
    readonly ports: ConversationPorts,
    store: SessionStore,
  ) {
    const { chat, events } = this;
    const { hooks, editor, log, neighbours, cwd, ripgrep = new RipgrepLocator(), context } = ports;
    const state = (this.state = new SessionState(store));
    const resources = (this.resources = ports.resources ?? noResources);
    const conversation = (this.forHooks = new ConversationForHooks(this));
    const composer = (this.composer = new ComposerState({ state, drafts: ports.drafts ?? new DraftsInMemory(), chat }));

    const approvals = (this.approvals =
      ports.approvals && this.owned.add(new Approvals(ports.approvals, state, conversation, ports.changes)));

    // Records of tool calls that are not in the session.
    const lineage = new Lineage();
    const calls = new SessionCalls({ records: ports.callRecords, state, lineage });
    const todos = new TodoReminders({ ports, state });
    const changes = (this.changes =
      ports.changes &&
      this.owned.add(
        new SessionChanges({
          tracker: ports.changes,
          chat,
          editor,
          log,
          state,
          lineage,
          conversation,
        }),
      ));

    // The cards, and the drawings and questions of hooks.
    const components = componentsFor(conversation, {
      chat,
      editor,
      hooks,
      setTitle: title => this.ui.setTitle(title),
    });
    const columns = (): number => components.cells.cardColumns;
    const drawings = new Drawings({ hooks, chat, cwd, columns, entry: id => customEntry(state.store.getEntry(id)) });
    const texts = (this.texts = this.owned.add(
      new ShownTexts({ hooks, chat, columns, entryOf: message => state.entryPlaceOf(message) }),
    ));
    this.owned.add(components.onDidResize(() => texts.redraw()));
    const presenter = (this.presenter = new Presenter(chat, {
      cwd,
      modelName: (provider, model) => ports.models.find(provider, model)?.name ?? model,
      hasLogin: provider => ports.models.authStorage?.getOAuthProviders().some(({ id }) => id === provider) === true,
      isGated: () => hooks.runner.hasHandlers('tool_call'),
      drawings,
      texts,
      calls,
      touchedBy: toolCallId => changes?.touchedBy(toolCallId) ?? [],
      versionOf: message => state.versionOf(message),
      isOpenElsewhere: () => state.isOpenElsewhere,
    }));
    const { dialogs } = ports;
    const builtIn = new BuiltInCompletions({
      ...{ cwd, ripgrep, context, hooks },
      commands: () => this.commands,
      commandParts: () => ({ ports, models: this.models, status: this.status }),
    });
    const completions = new HookCompletions(builtIn, ports.hookWaitMs);
    const ui = (this.ui = this.owned.add(
      new ConversationUi({
        chat,
        presenter,
        dialogs,
        editor,
        composer,
        hooks,
        conversation,
        components,
        drawings,
        completions,
        neighbours,
      }),
    ));
    const isAsking = (): boolean => ui.questions.openCount > 0;
    const hookWait = (this.hookWait = this.waitFor(isAsking));

    // What a run needs, and the run.
    const hookEvents = new HookEventQueue(log, isAsking, ports.hookWaitMs);
    const { cards } = presenter;
    const toolset = (this.toolset = new Toolset({
      ports,
      todos,
      conversation,
      cards,
      changes,
      hookEvents,
      approvals,
      state,
    }));
    const models = (this.models = new ModelChoice({ ports, state, conversation, hookWait, chat, events }));
    const rules = new StreamRules({ resources, state });
    const compaction = new CompactionFlow({ ports, state, conversation, chat, events });
    const writing = new SessionWriting({ log, state, chat, compaction, rules });
    const running = { ports, conversation, state, ui, hookEvents, presenter, toolset };
    const control = (this.run = new RunControl({ ...running, writing, compaction, events, rules, todos }));
    this.owned.add(control.warmer);
    const status = (this.status = this.owned.add(
      new ConversationStatus({ ports, chat, state, ui, compaction, control, approvals }),
    ));
    const shells = (this.shells = new UserShells(
      { ports, state, chat, conversation, control, writing },
      ports.hookWaitMs ?? HOOK_WAIT_MS,
    ));

    // Going from one session, or place in it, to another.
    const drawing = (this.drawing = this.owned.add(
      new SessionDrawing({ log, state, chat, presenter, models, compaction, rules, todos, calls }),
    ));
    const tree = (this.tree = new TreeFlow({ ports, state, conversation, control, drawing, composer, chat, events }));
    const moving = { ports, state, hookWait, control, hookEvents, shells, drawing, composer, events };
    const sessions = (this.sessions = new SessionFlow(moving));

    // What comes in.
    const builtIns = { ports, conversation, chat, state, status, models, control, sessions };
    const sending = { ports, conversation, resources, chat, builtIns, shells, toolset };
    const inbox = (this.inbox = new Inbox({ ...sending, state, control, presenter, composer, changes }));
    this.edits = new MessageEdits({ state, chat, composer, inbox, tree, sessions, control, changes });
    this.composerRequests = new ComposerRequests({ cwd, builtIn, fromHooks: completions, chat, composer, inbox, log });
    this.listen(writing);
  }

  /** Lets model, level, context and drawing follow the session. Call once after construction; tells no hook. */
  async open(): Promise<void> {
    this.state.readContext();
    await this.drawing.follow();
  }

  get store(): SessionStore {
    return this.state.store;
  }

  /** What can be typed behind a slash. */
  get commands(): readonly SlashCommand[] {
    const { hooks, settings, mcp } = this.ports;
    const others = [...listCommands(hooks.commands.list()), ...mcpCommands(mcp, hooks.commands)];
    return [...others, ...resourceCompletions(this.resources.current, others, settings.current.enableSkillCommands)];
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
      readonly onAccepted?: (disposition: Disposition) => void;
    } = {},
  ): Promise<void> {
    const { images = [], source = 'interactive', delivery, onAccepted } = options;
    return this.inbox.send({ text, images, source, delivery, ...defined({ onAccepted }) });
  }

  /** The entry of an item; undefined if the item is not in the session. */
  entryOfItem(itemId: string): string | undefined {
    const message = this.chat.messageOf(itemId);
    return (message && this.state.entryIdOf(message)) ?? undefined;
  }

  /** Brings what an entry said into view, with the focus on it; false when it is not drawn. */
  reveal(entryId: string): boolean {
    const id = this.chat.itemOf(message => this.state.entryIdOf(message) === entryId);
    if (id !== undefined) this.chat.apply({ type: 'reveal', id });
    return id !== undefined;
  }

  /** See {@link runAgain}; the id of the card. */
  runAgain(itemId: string): Promise<void> {
    const { chat, presenter, run, state, toolset, inbox } = this;
    return runAgain(itemId, { chat, presenter, control: run, state, toolset, inbox });
  }

  /** Takes the right to write to the session from another window. */
  async takeOver(): Promise<void> {
    // What was stopped when this window lost the session may still be ending.
    await this.run.waitForSettled();
    await this.store.takeOver();
    await this.open();
  }

  /** Ends the run and lets go of the session file. The owner of the hooks notifies them. */
  async dispose(): Promise<void> {
    await this.run.stop();
    this.owned.dispose();
    await releaseSession(this.store.getSessionId());
    await this.store.dispose();
  }

  private waitFor(isAsking: () => boolean): HookWait {
    const { ports, chat, forHooks } = this;
    return {
      hooks: ports.hooks,
      conversation: forHooks,
      isAsking,
      ...defined({ hookWaitMs: ports.hookWaitMs }),
      onSlowHook: ({ text, hookPath }) => {
        ports.log.warn(text);
        chat.notice('warning', text, hookPath === undefined ? {} : { hook: hookRef(hookPath) });
      },
    };
  }

  /** What happens in one part and shows, or counts, in another. */
  private listen(writing: SessionWriting): void {
    const { chat, ports, resources, run, ui, inbox, status, models, changes, presenter, drawing, sessions, events } =
      this;
    const { approvals, shells } = this;
    const { hooks } = ports;
    const fireStatus = (): void => status.fire();
    const showCommands = (): void => {
      chat.apply({ type: 'commands', commands: this.commands });
      status.fire();
    };
    const { steering, followUps } = run.agent;
    const notices = new ProviderNotices(chat, {
      isWanted: () => ports.settings.current.showCacheMissNotices,
      messages: () => run.agent.messages,
    });
    let lastQueue = inbox.waiting.unbegunTexts;
    const reportQueue = (): void => {
      const texts = inbox.waiting.unbegunTexts;
      if (isDeepStrictEqual(texts, lastQueue)) return;
      lastQueue = texts;
      events.fire({ type: 'queue_update', ...texts });
    };
    for (const subscription of [
      hooks.records.onDidDispatch(record => {
        if (record.conversation === this.id) presenter.cards.addVerdict(record);
      }),
      hooks.onDidChange(showCommands),
      hooks.onDidChange(() => this.texts.redraw()),
      resources.onDidChange(showCommands),
      steering.onDidChange(reportQueue),
      followUps.onDidChange(reportQueue),
      this.onDidHappen(event => {
        if (event.type !== 'entry_appended') return;
        const entry = customEntry(event.entry);
        if (entry !== undefined) presenter.addEntry(entry.id);
      }),
      this.onDidHappen(event => notices.follow(event)),
      run.onDidChangePhase(fireStatus),
      ui.onDidChange(fireStatus),
      ui.onDidSubmit(text => void inbox.submit(text)),
      ui.onDidStop(() => void run.stop()),
      models.onDidChange(fireStatus),
      writing.onDidWrite(fireStatus),
      sessions.onDidRename(fireStatus),
      drawing.onDidLose(access => {
        void leaveLostSession(access, { chat, questions: ui.questions, control: run, shells, ports });
      }),
      drawing.onDidRedraw(() => {
        ui.completions.follow(this.state.store);
        status.fire();
        void changes?.refresh();
      }),
    ]) {
      this.owned.add(subscription);
    }
    if (ports.mcp !== undefined) this.owned.add(ports.mcp.onDidChange(showCommands));
    const approvalSubscriptions = [approvals?.onDidChange(fireStatus), ports.approvals?.onDidChange?.(fireStatus)];
    for (const subscription of approvalSubscriptions) if (subscription !== undefined) this.owned.add(subscription);
    const offered = ports.models.onDidChange?.(() => void models.modelsChanged());
    if (offered !== undefined) this.owned.add(offered);
  }
}
