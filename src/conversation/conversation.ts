import type { Api, ImageContent, Model } from '@mariozechner/pi-ai';
import type { ContentPart } from '../agent/messages';
import type { SessionStore } from '../agent/session/store';
import { DisposableStore } from '../base/disposable';
import { Emitter } from '../base/event';
import type { HookDelivery } from '../hooks/conversation-port';
import type { CompactionResult, CustomMessageDraft } from '../hooks/events/hook-event';
import type { DispatchRecord } from '../hooks/dispatch/record';
import { noUi, type HookUIContext } from '../hooks/api/ui/ui';
import type { Delivery, TextFile } from '../protocol/composer';
import type { RunStatus } from '../protocol/messages';
import { builtInActions } from './built-in-actions';
import { ComposerState } from './composer/composer-state';
import { ConversationFacts } from './conversation-facts';
import type { SessionChanges } from './changes/session-changes';
import { ConversationParts } from './conversation-parts';
import type { ConversationWhole } from './conversation-whole';
import { DraftsInMemory } from './composer/drafts';
import { HookBridge } from './hook-bridge';
import type { MessageEdits } from './composer/message-edits';
import { PATIENCE_MS } from './patience';
import type { ConversationPorts } from './ports';
import type { Presenter } from './cards/presenter';
import { SessionDrawing } from './session/session-drawing';
import type { SessionEvent } from './session/session-events';
import { runAgain } from './run/run-again';
import { SessionWriting } from './session/session-writing';
import { UserShells } from './run/user-shells';

/** One chat: an agent, its session, its hooks, and how all of it is drawn. Lives in the host; pages come and go. */
export class Conversation extends ConversationFacts {
  readonly bridge: HookBridge;
  readonly composer: ComposerState;
  protected readonly parts: ConversationParts;
  private readonly shells: UserShells;
  private readonly writing: SessionWriting;
  private readonly drawing: SessionDrawing;
  private readonly owned = new DisposableStore();
  private readonly statusEmitter = new Emitter<RunStatus>();
  readonly onDidChangeStatus = this.statusEmitter.event;
  private readonly happenEmitter = new Emitter<SessionEvent>();
  /** Everything that happens, in order, for whoever is no chat page. */
  readonly onDidHappen = this.happenEmitter.event;
  /** What hooks get as `ctx.ui`. */
  readonly hookUi: HookUIContext;

  constructor(id: string, ports: ConversationPorts, store: SessionStore) {
    super(id, ports);
    this.bridge = new HookBridge(this, id, ports.cwd, ports.models);
    this.composer = new ComposerState({
      session: () => this.sessionKey,
      shelf: ports.drafts ?? new DraftsInMemory(),
      tell: change => this.chat.apply(change),
    });
    this.parts = new ConversationParts(ports, this.asWhole(), store);
    const { ui, state, chat, presenter, control } = this.parts;
    this.owned.add(ui);
    if (this.parts.changes !== undefined) this.owned.add(this.parts.changes);
    this.hookUi = ports.hasUI ? (ports.hookUi?.(ui) ?? ui) : noUi;
    const { bridge } = this;
    this.shells = new UserShells(
      () => ({ ports, state, chat, presenter, conversation: bridge, control }),
      ports.patienceMs ?? PATIENCE_MS,
    );
    const drawn = (): void => {
      this.fireStatus();
      void this.changes?.refresh();
    };
    const { models, rules, todos, compaction, calls } = this.parts;
    this.writing = new SessionWriting({ log: ports.log, state, presenter, compaction, rules });
    this.drawing = this.owned.add(
      new SessionDrawing({ state, presenter, models, compaction, rules, todos, calls, log: ports.log, drawn }),
    );
    this.listen();
  }

  /** Lets model, level, context and drawing follow the session. Call once after construction; tells no hook. */
  async open(): Promise<void> {
    this.parts.control.agent.setMessages(this.parts.state.readContext());
    await this.drawing.follow();
  }

  /** The whole chat was replaced: pages need a snapshot. */
  get onDidRedraw(): SessionDrawing['onDidRedraw'] {
    return this.drawing.onDidRedraw;
  }

  /** The agent works, or a command that the person runs beside it. */
  get isWorking(): boolean {
    return !this.isIdle || this.shells.isRunning;
  }

  /** Text in the composer, sent or not. */
  get draft(): string {
    return this.composer.text;
  }

  set draft(text: string) {
    this.composer.text = text;
  }

  /** Sends what a person typed: a command, a prompt, or a message for the running agent. */
  submit(
    text: string,
    options: {
      readonly delivery?: Delivery;
      readonly images?: readonly ImageContent[];
      readonly files?: readonly TextFile[];
      /** The text is not the draft's. */
      readonly keepsDraft?: boolean;
      /** See `Submission.literal`. */
      readonly literal?: boolean;
    } = {},
  ): Promise<void> {
    const { images = [], files = [], delivery = 'steer', literal = false } = options;
    if (options.keepsDraft !== true) this.composer.clear();
    this.changes?.warm();
    return this.parts.inbox.submit(text, { images, files }, delivery, literal);
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
  queue(text: string, images: readonly ImageContent[], delivery: Delivery): Promise<void> {
    return this.parts.inbox.queue(text, images, delivery);
  }

  /** Ends what is going on; queued texts go back to the composer. */
  async stop(): Promise<void> {
    this.shells.abort();
    await this.parts.inbox.stop();
  }

  /** Ends the wait for another try; the failed answer stays the last one. */
  abortRetry(): void {
    this.parts.control.abortRetry();
  }

  abortBash(): void {
    this.shells.abort();
  }

  abortRun(): void {
    this.abortBash();
    void this.parts.inbox.stop('hook');
  }

  waitForIdle(): Promise<void> {
    return this.parts.control.waitForIdle();
  }

  requestShutdown(): void {
    void this.waitForIdle().then(() => this.ports.shutdown(this.id));
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
    await this.ports.hooks.reload({ freshAll: true });
    await this.parts.resources.discover('reload', this.bridge);
  }

  /** Runs a command of a hook as the palette does; resolves false when none has that name. */
  runHookCommand(name: string, args: string): Promise<boolean> {
    return this.ports.hooks.commands.runAndShow(name, args, this.bridge);
  }

  /** See {@link MessageEdits.branchFrom}. */
  branchFrom(itemId: string): Promise<void> {
    return this.parts.edits.branchFrom(itemId);
  }

  /** Sent messages, said in other words or gone on from. */
  get edits(): MessageEdits {
    return this.parts.edits;
  }

  /** The entry that a drawn item stands for; undefined for what is in no session. */
  entryOfItem(itemId: string): string | undefined {
    const message = this.parts.presenter.messageOf(itemId);
    return (message && this.parts.state.entryIdOf(message)) ?? undefined;
  }

  /** Brings what an entry said into view, with the focus on it; false when it is not drawn. */
  reveal(entryId: string): boolean {
    const id = this.parts.presenter.itemOf(message => this.parts.state.entryIdOf(message) === entryId);
    if (id !== undefined) this.chat.apply({ type: 'reveal', id });
    return id !== undefined;
  }

  /** The files that the agent touched; undefined where that is not kept. */
  get changes(): SessionChanges | undefined {
    return this.parts.changes;
  }

  /** See {@link runAgain}; the id of the card. */
  runAgain(itemId: string): Promise<void> {
    const { presenter, control, state, toolset } = this.parts;
    return runAgain(itemId, {
      chat: this.chat,
      presenter,
      control,
      messages: () => state.readTranscript().messages,
      tools: () => toolset.wrapped(),
      record: message => this.sendCustom(message, { triggerTurn: false }),
    });
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
      hooks.records.onDidDispatch(record => this.noteDispatch(record)),
      hooks.onDidChange(showCommands),
      resources.onDidChange(showCommands),
      control.agent.steering.onDidChange(tellQueue),
      control.agent.followUps.onDidChange(tellQueue),
      control.onDidChangePhase(() => this.fireStatus()),
    ]) {
      this.owned.add(subscription);
    }
    const models = this.ports.models.onDidChange?.(() => void this.parts.models.modelsChanged());
    if (models !== undefined) this.owned.add(models);
  }

  private announce(event: SessionEvent): void {
    this.happenEmitter.fire(event);
  }

  private asWhole(): ConversationWhole {
    return {
      bridge: this.bridge,
      draft: { get: () => this.draft, set: text => (this.draft = text) },
      composer: this.composer,
      builtIns: builtInActions(this, this.ports.editor, this.ports.neighbours),
      systemPrompt: () => this.systemPrompt,
      giveBack: (text, images, files) => this.giveBack(text, images, files),
      insert: text => this.composer.insert(text),
      submit: text => this.submit(text),
      stop: () => this.stop(),
      runBash: (command, hidden) => this.runBash(command, hidden).then(({ recorded }) => recorded),
      recorded: () => this.shells.recorded(),
      persist: (message, place) => {
        this.writing.persist(message, place);
        this.fireStatus();
      },
      noteRun: async (tool, toolCallId, params) => {
        const { presenter } = this.parts;
        presenter.cards.runs(toolCallId);
        const settle = await this.changes?.begin(tool, toolCallId, params);
        presenter.cards.clock.start(toolCallId);
        return async () => {
          presenter.cards.clock.stop(toolCallId);
          await settle?.();
        };
      },
      follow: () => this.drawing.follow(),
      redraw: () => this.drawing.redraw(),
      fireStatus: () => this.fireStatus(),
      announce: event => this.announce(event),
    };
  }

  /** See {@link UserShells.run}. */
  runBash(command: string, hidden: boolean): ReturnType<UserShells['run']> {
    return this.shells.run(command, hidden);
  }

  private noteDispatch(record: DispatchRecord): void {
    if (record.conversation === this.id) this.parts.presenter.cards.addVerdict(record);
  }

  private giveBack(text: string, images: readonly ImageContent[] = [], files: readonly TextFile[] = []): void {
    this.composer.giveBack(
      text,
      images.map(({ mimeType, data }) => ({ mimeType, data })),
      files,
    );
  }
}
