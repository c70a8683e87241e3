import { isDeepStrictEqual } from 'node:util';
import type {
  AvailableCommand,
  NewSessionResponse,
  SessionConfigOption,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk';
import type { SessionStore } from '../../../agent/session/store';
import { deferred } from '../../../base/async/wait';
import { DisposableStore } from '../../../base/disposable';
import type { McpServerEntry } from '../../../mcp/config/read-config';
import type { Conversation } from '../../../session/conversation';
import type { SessionMove } from '../../../session/moves/session-flow';
import { RefusedError } from '../../../session/state/refusal';
import type { FolderRuntime } from '../../start/folder-runtime';
import type { StartedConversation } from '../../start/started-conversation';
import type { AcpClient } from '../client';
import { ACP_ERRORS, AcpError } from '../connection/acp-error';
import { AcpQuestions, type AcpQuestionsParts } from '../questions/acp-questions';
import type { FolderTrust } from '../questions/folder-trust';
import { acpHookUi } from '../questions/hook-ui';
import { sayTo } from '../updates/notices';
import { showsTerminals } from '../updates/output';
import { replay } from '../updates/replay';
import { SessionUpdates } from '../updates/session-updates';
import { chosenOptions, configOptionsOf, modesOf } from './config-options';
import { HeldClient } from './held-client';
import { availableCommands, ownCommand } from './own-commands';
import { Turns, type TurnInput } from './turns';

/** What a session is opened with. */
export interface AcpSessionParts {
  readonly client: AcpClient;
  readonly runtime: FolderRuntime;
  readonly store: SessionStore;
  readonly reason: SessionMove['reason'];
  /** Absolute paths of folders that count as the workspace, too. */
  readonly folders: readonly string[];
  readonly mcpServers: readonly McpServerEntry[];
  readonly trust: FolderTrust;
}

/** What both answers of a new and a reopened session have. */
type SessionAnswer = Pick<NewSessionResponse, 'modes' | 'configOptions'>;

/** A session of the client: a conversation, which keeps the client's id when a hook moves it to another session file. */
export class AcpSession {
  readonly turns: Turns;
  private readonly begun = deferred();
  private readonly closing = new AbortController();
  private readonly owned = new DisposableStore();
  /** Settles when the last replay is over; never rejects. */
  private replaying: Promise<unknown> = Promise.resolve();
  private options: SessionConfigOption[];
  /** What was chosen when the options were made. */
  private chosen: readonly unknown[];
  /** The commands that the client knows; undefined before {@link announce}. */
  private commands: AvailableCommand[] | undefined;

  private constructor(
    private readonly client: HeldClient,
    private readonly started: StartedConversation,
    private readonly updates: SessionUpdates,
    private readonly trust: FolderTrust,
  ) {
    const { conversation } = started;
    this.turns = new Turns(conversation, text => ownCommand(text, { conversation, trust }), this.begun.promise);
    this.options = configOptionsOf(conversation);
    this.chosen = chosenOptions(conversation);
    this.listen();
  }

  /** Opens a session; the client hears nothing of it before {@link announce}. Takes the store over. */
  static async open(parts: AcpSessionParts): Promise<AcpSession> {
    const { runtime, store, reason, folders, mcpServers, trust } = parts;
    const client = new HeldClient(parts.client, store.getSessionId());
    const say = sayTo(client);
    const updates = deferred<SessionUpdates>();
    const callFor: AcpQuestionsParts['callFor'] = async (id, asked) =>
      (await updates.promise).permissionCall(id, asked);
    const restoreCall = (id: string): void => void updates.promise.then(ready => ready.restoreCall(id));
    const started = await runtime.open(
      store,
      {
        mode: 'rpc',
        hookUi: ask => acpHookUi(ask, { client, say }),
        connectDialogs: dialogs => dialogs.addView(new AcpQuestions({ client, callFor, restoreCall, say })),
        onOpen: conversation =>
          updates.resolve(new SessionUpdates({ client, conversation, cwd: conversation.ports.cwd })),
        printError: text => say('warning', text),
        whenDrained: () => client.whenDrained(),
        followsCommands: showsTerminals(client), // Others are shown what the tool tells of its result.
        showsTodos: true,
        mcpServers,
        approvals: { defaultMode: () => runtime.options.approveTools, isLocked: () => false, folders },
        shutdown: () => undefined, // Only the client closes its sessions.
      },
      reason,
    );
    return new AcpSession(client, started, await updates.promise, trust);
  }

  /** The id that the client knows. */
  get id(): string {
    return this.client.sessionId;
  }

  get conversation(): Conversation {
    return this.started.conversation;
  }

  /** The answer to the request that opens the session. */
  get answer(): SessionAnswer {
    return { modes: modesOf(this.conversation), configOptions: configOptionsOf(this.conversation) };
  }

  /** Tells the client what belongs to a session that it knows: to be called right after its answer. Then hooks hear of it. */
  announce(): void {
    if (this.closing.signal.aborted) return;
    const isFirst = !this.isAnnounced;
    this.commands = availableCommands(this.conversation);
    const commands: SessionUpdate = { sessionUpdate: 'available_commands_update', availableCommands: this.commands };
    if (isFirst) {
      this.client.pass(commands);
      this.client.release();
    } else this.client.update(commands);
    this.updates.tellUsage();
    void this.started.begin().then(
      () => this.begun.resolve(),
      () => this.begun.resolve(), // Errors of hooks are told by themselves.
    );
    void this.trust.ask({ client: this.client, say: this.updates.say }, this.closing.signal);
  }

  /** Whether the client was answered for the session. */
  get isAnnounced(): boolean {
    return this.commands !== undefined;
  }

  /**
   * Sends the client all that was said so far, also of the answer that is under way. What happens meanwhile follows, and so do
   * the answers of prompts. One replay after the other.
   */
  replay(signal: AbortSignal): Promise<void> {
    const replayed = this.replaying.then(() => this.replayNow(signal));
    this.replaying = replayed.catch(() => undefined); // The caller gets the error.
    return replayed;
  }

  private async replayNow(signal: AbortSignal): Promise<void> {
    const { client, conversation, updates } = this;
    const { store, toolset, todos, ports } = conversation;
    const { capabilities } = client;
    const reader = {
      capabilities,
      update: (update: SessionUpdate): void => client.pass(update),
      whenDrained: () => client.whenDrained(),
    };
    await updates.whenTold();
    client.hold();
    try {
      const { unrecorded } = updates;
      const now = { tools: toolset.all(), todos: todos.current, unrecorded };
      await replay({ client: reader, store, cwd: ports.cwd, ...now }, signal);
    } finally {
      client.release();
    }
  }

  /**
   * Answers a prompt; see {@link Turns.prompt}.
   * @throws {AcpError} `-32000` when the model has no key
   */
  async prompt(input: TurnInput, signal: AbortSignal): Promise<StopReason> {
    this.started.activate();
    try {
      return await this.turns.prompt(input, signal);
    } catch (error) {
      throw error instanceof RefusedError ? await this.refused(error) : error;
    } finally {
      await this.updates.whenTold();
      await this.replaying;
    }
  }

  /** Ends what goes on, lets hooks shut down, and closes the session file. Errors of hooks do not make it reject. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.turns.cancel();
    await this.started.end();
    this.owned.dispose();
    this.updates.dispose();
  }

  private async refused({ message, more }: RefusedError): Promise<AcpError> {
    const { state, ports } = this.conversation;
    const hasKey = state.model !== undefined && (await ports.models.hasKey(state.model));
    const code = hasKey ? ACP_ERRORS.internalError : ACP_ERRORS.authRequired;
    return new AcpError(code, [message, more?.detail].filter(Boolean).join(' '));
  }

  private listen(): void {
    const { conversation } = this;
    const { hooks, models, mcp } = conversation.ports;
    const commandsChanged = (): void => this.tellCommands();
    const optionsChanged = (): void => this.tellOptions();
    for (const subscription of [
      hooks.onDidChange(commandsChanged),
      conversation.resources.onDidChange(commandsChanged),
      mcp?.onDidChange(commandsChanged),
      models.onDidChange(optionsChanged),
      conversation.onDidHappen(event => {
        // The status also changes with each step of a run.
        const isChosenAnew = event.type === 'status_changed' && this.isChosenAnew;
        if (isChosenAnew || event.type === 'session_entered') optionsChanged();
      }),
    ]) {
      if (subscription !== undefined) this.owned.add(subscription);
    }
  }

  private get isChosenAnew(): boolean {
    return !isDeepStrictEqual(chosenOptions(this.conversation), this.chosen);
  }

  private tellCommands(): void {
    const commands = availableCommands(this.conversation);
    if (!this.isAnnounced || isDeepStrictEqual(commands, this.commands)) return;
    this.commands = commands;
    this.client.update({ sessionUpdate: 'available_commands_update', availableCommands: commands });
  }

  private tellOptions(): void {
    const options = configOptionsOf(this.conversation);
    this.chosen = chosenOptions(this.conversation);
    if (isDeepStrictEqual(options, this.options)) return;
    const mode = modeIn(this.options);
    this.options = options;
    this.client.update({ sessionUpdate: 'config_option_update', configOptions: options });
    if (modeIn(options) === mode) return;
    this.client.update({
      sessionUpdate: 'current_mode_update',
      currentModeId: modesOf(this.conversation).currentModeId,
    });
  }
}

function modeIn(options: readonly SessionConfigOption[]): unknown {
  return options.find(({ category }) => category === 'mode')?.currentValue;
}
