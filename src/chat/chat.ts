import * as l10n from '@vscode/l10n';
import { customEntry } from '../agent/session/entry';
import type { SessionStore } from '../agent/session/store';
import { DisposableStore } from '../base/disposable';
import { Emitter } from '../base/event';
import type { SlashCommand } from '../protocol/messages';
import type { CommandState, RunningRow } from '../protocol/panels/running-commands';
import { Conversation } from '../session/conversation';
import { isForPrograms, type Notice, type ProgramEvent, type ViewEvent } from '../session/ports/session-events';
import { mcpCommands } from '../session/prompts/mcp-command';
import { resourceCompletions } from '../session/prompts/resource-commands';
import { Lineage } from './call-records/lineage';
import { SessionCalls } from './call-records/session-calls';
import { CacheNotices } from './cards/cache-notices';
import { Drawings } from './cards/drawings';
import { Presenter } from './cards/presenter';
import { ShellCards } from './cards/shell-cards';
import { ShownTexts } from './cards/shown-texts';
import { SessionChanges } from './changes/session-changes';
import { listCommands, runBuiltIn } from './commands/slash-commands';
import { BuiltInCompletions } from './composer/completion/built-in-completions';
import { HookCompletions } from './composer/completion/hook-completions';
import { ComposerRequests } from './composer/composer-requests';
import { ComposerState } from './composer/composer-state';
import { isOnlyDraft } from './composer/drafts';
import { MessageEdits } from './composer/message-edits';
import { ChatModel, toolItemId } from './model/chat-model';
import type { ChatPorts } from './ports';
import { ConversationUi, componentsFor } from './questions/hook-ui';
import { GateCards } from './questions/gate-cards';
import { ChatStatus } from './status';

/** Opens a conversation with its view. Nothing of the session is shown before {@link Conversation.open}. */
export function openChat(id: string, ports: ChatPorts, store: SessionStore): Chat {
  const { editor, neighbours } = ports;
  const conversation: Conversation = new Conversation(
    id,
    {
      ...ports,
      hookUi: () => chat.ui,
      runCommand: command => runBuiltIn(command, { conversation, editor, neighbours, chat: chat.model }),
      prepareView: () => chat.prepare(),
      askMissingFolder: missing => editor.askMissingFolder(missing),
    },
    store,
  );
  const chat: Chat = new Chat(conversation, ports);
  return chat;
}

/**
 * The view of one conversation: cards, composer, questions, changed files. It lives in the host; pages come and go. It
 * follows the events of the conversation and calls its methods for the user.
 */
export class Chat {
  readonly model = new ChatModel();
  readonly composer: ComposerState;
  /** The files that the agent touched. */
  readonly changes: SessionChanges;
  readonly presenter: Presenter;
  readonly ui: ConversationUi;
  readonly status: ChatStatus;
  /** Edits of sent messages, and branches from them. */
  readonly edits: MessageEdits;
  readonly composerRequests: ComposerRequests;
  private readonly calls: SessionCalls;
  private readonly shells = new ShellCards(this.model);
  private readonly gates: GateCards;
  private readonly cacheNotices: CacheNotices;
  /** Texts as hooks want them shown. */
  private readonly texts: ShownTexts;
  private readonly owned = new DisposableStore();
  private readonly redrawEmitter = this.owned.add(new Emitter<void>());
  /** Everything shown was replaced. */
  readonly onDidRedraw = this.redrawEmitter.event;
  /** The draft that goes with the user to the next session. */
  private carried: ReturnType<ComposerState['take']> | undefined;

  constructor(
    readonly conversation: Conversation,
    private readonly ports: ChatPorts,
  ) {
    const { model: chat } = this;
    const { hooks, editor, log, cwd, ripgrep, context, drafts, settings } = ports;
    const { state, forHooks } = conversation;
    const composer = (this.composer = new ComposerState({ state, drafts, chat }));

    // Records of tool calls that are not in the session.
    const lineage = new Lineage();
    const calls = (this.calls = new SessionCalls({ records: ports.callRecords, state, lineage }));
    const changes = (this.changes = this.owned.add(
      new SessionChanges({ tracker: ports.changes, chat, editor, log, state, lineage, conversation: forHooks }),
    ));

    // The cards, and the drawings of hooks.
    const setTitle = (title: string): void => this.ui.setTitle(title);
    const components = componentsFor(forHooks, { chat, editor, hooks, setTitle });
    const columns = (): number => components.cells.cardColumns;
    const drawings = new Drawings({ hooks, chat, cwd, columns, entry: id => customEntry(state.store.getEntry(id)) });
    const texts = (this.texts = this.owned.add(
      new ShownTexts({ hooks, chat, columns, entryOf: message => state.entryPlaceOf(message) }),
    ));
    this.owned.add(components.onDidResize(() => texts.redraw()));
    this.presenter = new Presenter(chat, {
      cwd,
      modelName: (provider, model) => ports.models.find(provider, model)?.name ?? model,
      hasLogin: provider => ports.models.authStorage.getOAuthProviders().some(({ id }) => id === provider),
      isGated: () => hooks.runner.hasHandlers('tool_call'),
      drawings,
      texts,
      calls,
      touchedBy: toolCallId => changes.touchedBy(toolCallId),
      isKept: toolCallId => changes.isKept(toolCallId),
      runningState: toolCallId => this.runningState(toolCallId),
      versionOf: message => state.versionOf(message),
      isOpenElsewhere: () => state.isOpenElsewhere,
    });
    this.gates = new GateCards(chat, this.presenter.cards, cwd);
    this.cacheNotices = new CacheNotices(chat, () => settings.current.showCacheMissNotices);

    // The composer, and what hooks put on the screen.
    const builtIn = new BuiltInCompletions({
      ...{ cwd, ripgrep, context, hooks },
      commands: () => this.commands,
      commandParts: () => ({ ports, models: conversation.models, status: this.status }),
    });
    const completions = new HookCompletions(builtIn, ports.hookWaitMs);
    const ask: ConversationUi['ask'] = question => conversation.questions.ask(question);
    const shown = { chat, editor, composer, hooks, components, drawings, completions };
    const ui = (this.ui = this.owned.add(new ConversationUi({ ...shown, conversation: forHooks, ask })));
    this.status = this.owned.add(new ChatStatus({ conversation, hookCounts: ports.hookCounts, chat, ui }));
    const { inbox, tree, sessions, run: control } = conversation;
    this.edits = new MessageEdits({ state, chat, composer, inbox, tree, sessions, control, changes });
    this.composerRequests = new ComposerRequests({ cwd, builtIn, fromHooks: completions, chat, composer, inbox, log });
    this.listen();
  }

  get id(): string {
    return this.conversation.id;
  }

  /** What can be typed behind a slash. */
  get commands(): readonly SlashCommand[] {
    const { hooks, settings, mcp } = this.ports;
    const others = [...listCommands(hooks.commands.list()), ...mcpCommands(mcp, hooks.commands)];
    const { current } = this.conversation.resources;
    return [...others, ...resourceCompletions(current, others, settings.current.enableSkillCommands)];
  }

  /** The commands that run on after their calls. */
  get running(): readonly RunningRow[] {
    return (this.conversation.commands?.letGo ?? []).map(({ toolCallId, command, startedAt, state }) => ({
      ...{ id: toolItemId(toolCallId), command, startedAt },
      state: state === 'ending' ? state : 'runningOn',
    }));
  }

  /** A hook or a component waits for the user. */
  get isAsking(): boolean {
    return this.status.isAsking;
  }

  /**
   * See {@link Inbox.submit}. `keepsDraft`: the text does not come from the draft, so the draft stays. `page`: the page that
   * it was sent from, see {@link ComposerState.clear}.
   */
  async submit(
    text: string,
    {
      keepsDraft = false,
      page,
      ...options
    }: Parameters<Conversation['inbox']['submit']>[1] & { readonly keepsDraft?: boolean; readonly page?: object } = {},
  ): Promise<void> {
    if (!keepsDraft) this.composer.clear(page);
    this.changes.warm();
    await this.conversation.inbox.submit(text, options);
  }

  /** The entry of an item; undefined if the item is not in the session. */
  entryOfItem(itemId: string): string | undefined {
    const message = this.model.messageOf(itemId);
    return (message && this.conversation.state.entryIdOf(message)) ?? undefined;
  }

  /** Brings what an entry said into view, with the focus on it; false when it is not drawn. */
  reveal(entryId: string): boolean {
    const id = this.model.itemOf(message => this.conversation.state.entryIdOf(message) === entryId);
    if (id !== undefined) this.model.apply({ type: 'reveal', id });
    return id !== undefined;
  }

  /** Repeats the call of a card, see {@link Conversation.runAgain}. */
  runAgain(itemId: string): Promise<void> {
    const item = this.model.get(itemId);
    return this.conversation.runAgain(item?.kind === 'tool' ? item.toolCallId : undefined);
  }

  /** Resolves when everything is read that the cards of another session need. */
  prepare(): Promise<void> {
    return this.calls.load();
  }

  /** Ends the conversation with its view. */
  async dispose(): Promise<void> {
    await this.conversation.run.stop();
    this.owned.dispose();
    await this.conversation.dispose();
  }

  private listen(): void {
    const { ports, conversation, ui, status } = this;
    const { hooks, mcp } = ports;
    const showCommands = (): void => {
      this.model.apply({ type: 'commands', commands: this.commands });
      status.fire();
    };
    for (const subscription of [
      conversation.onDidHappen(event => {
        if (isForPrograms(event)) this.note(event);
        else this.draw(event);
      }),
      hooks.records.onDidDispatch(record => {
        if (record.conversation === this.id) this.presenter.cards.addVerdict(record);
      }),
      hooks.onDidChange(showCommands),
      hooks.onDidChange(() => this.texts.redraw()),
      conversation.resources.onDidChange(showCommands),
      mcp?.onDidChange(showCommands),
      ui.onDidChange(() => this.uiChanged()),
      ui.onDidSubmit(text => void this.submit(text)),
      ui.onDidStop(() => void conversation.run.stop()),
    ]) {
      if (subscription !== undefined) this.owned.add(subscription);
    }
  }

  private note(event: ProgramEvent): void {
    if (event.type === 'todos_changed') this.model.apply({ type: 'todos', todos: event.todos });
    if (event.type !== 'entry_appended') return;
    const entry = customEntry(event.entry);
    if (entry !== undefined) this.presenter.addEntry(entry.id);
    this.cacheNotices.addEntry(event.entry);
  }

  private draw(event: ViewEvent): void {
    const { presenter, model, composer } = this;
    const { cards } = presenter;
    switch (event.type) {
      case 'step':
        presenter.apply(event.step, event.byUser);
        return;
      case 'message_announced':
        presenter.announce(event.message, event.state);
        return;
      case 'message_withdrawn':
        presenter.withdraw(event.message);
        return;
      case 'message_replaced':
        presenter.replaced(event.message, event.calls);
        return;
      case 'answer_dropped':
        presenter.dropFailedAnswer(event.retried);
        return;
      case 'call_admitted':
        cards.admitted(event.toolCallId);
        return;
      case 'tool_clock':
        if (event.isRunning) cards.runs(event.toolCallId);
        else cards.clock.stop(event.toolCallId);
        return;
      case 'command_output':
      case 'command_end':
        return; // The chat shows commands that are kept.
      case 'command_state': {
        const { state, startedAt } = event;
        cards.setCommand(event.toolCallId, state === 'runningOn' ? { type: state, startedAt } : { type: state });
        this.runningChanged();
        return;
      }
      case 'command_over':
        cards.endCommand(event.toolCallId, event.end);
        this.runningChanged();
        return;
      case 'call_input':
        cards.showInput(event.toolCallId, event.input);
        return;
      case 'question':
        this.gates.follow(event.question, event.change);
        if (event.change.type === 'waiting' || event.change.type === 'settled') this.uiChanged();
        return;
      case 'shell':
        this.shells.follow(event.shell, event.change);
        return;
      case 'notice': {
        const { level, text, ...more } = shownNotice(event.notice);
        model.notice(level, text, more);
        return;
      }
      case 'transcript':
        this.redraw(event);
        return;
      case 'session_leaving':
        this.carryDraft();
        return;
      case 'session_entered': {
        const { carried } = this;
        this.carried = undefined;
        if (carried !== undefined) composer.giveBack(carried.text, carried.images, carried.files);
        return;
      }
      case 'text_returned':
        composer.giveBack(event.text, event.images, event.files);
        return;
      case 'status_changed':
        this.status.fire();
    }
  }

  /** Brings the output of a running command into view. */
  showCommand(toolCallId: string): void {
    const { commands } = this.conversation;
    const command = commands?.get(toolCallId);
    if (command !== undefined) this.ports.editor.showCommand(command, () => commands?.stop(toolCallId));
  }

  /** What the card of a call says of its command; undefined when that does not run on. */
  private runningState(toolCallId: string): CommandState | undefined {
    const command = this.conversation.commands?.get(toolCallId);
    if (command?.isLetGo !== true) return undefined;
    return command.state === 'ending' ? { type: 'ending' } : { type: 'runningOn', startedAt: command.startedAt };
  }

  private runningChanged(): void {
    this.model.apply({ type: 'runningCommands', running: this.running });
    this.status.fire();
  }

  private redraw({ parts, omitted }: Extract<ViewEvent, { readonly type: 'transcript' }>): void {
    this.presenter.show(parts);
    if (omitted > 0) {
      const text =
        omitted === 1
          ? l10n.t('1 earlier message of this session is not shown.')
          : l10n.t('{0} earlier messages of this session are not shown.', omitted);
      this.model.notice('info', text);
    }
    this.ui.completions.follow(this.conversation.store);
    this.status.fire();
    void this.changes.refresh();
    this.redrawEmitter.fire();
  }

  /** Takes the draft of a session that no list shows, because it has no answer and so no file. */
  private carryDraft(): void {
    const { composer, conversation } = this;
    if (isOnlyDraft(composer.draft, conversation.run.agent.messages)) this.carried = composer.take();
  }

  private uiChanged(): void {
    this.conversation.run.describeWork(this.ui.workingMessage);
    this.status.fire();
  }
}

/** What the page shows of a notice. */
function shownNotice({ about: _about, ...shown }: Notice): Omit<Notice, 'about'> {
  return shown;
}
