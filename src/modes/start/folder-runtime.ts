import { resolve } from 'node:path';
import { createStreamFn } from '../../agent/models/requests/stream';
import { sessionDirFor } from '../../agent/session/library/session-list';
import type { SessionStore } from '../../agent/session/store';
import { defined } from '../../base/defined';
import { type Disposable, DisposableStore } from '../../base/disposable';
import type { HookError } from '../../hook-contract/record';
import type { HookHost } from '../../hook-run/host/host';
import { ConversationMcp } from '../../mcp/conversation-mcp';
import type { McpServerEntry } from '../../mcp/config/read-config';
import type { McpServers } from '../../mcp/mcp-servers';
import type { McpPort } from '../../mcp/mcp-port';
import { Conversation } from '../../session/conversation';
import type { SessionMove } from '../../session/moves/session-flow';
import { DialogQueue } from '../../session/ports/dialogs';
import type { ConversationPorts } from '../../session/ports/ports';
import { emitAndReportSlow, emitWithTimeout } from '../../session/ports/wait-for-hooks';
import { reportCalls } from '../../session/report-calls';
import { chooseTools, toolFilter } from '../../session/run/tool-choice';
import { sessionDirFrom, sessionDirOf } from '../../startup/live-settings';
import { LiveResources } from '../../startup/resources';
import type { CliOptions } from '../arguments/options';
import { printEach, printServers } from './folder-problems';
import { loadFolder, type FolderParts, type LoadedFolder } from './load-folder';
import type { FoundModel } from './model-lookup';
import { requestedModel, toolsIn, type ProcessServices } from './process-services';
import { StartedConversation } from './started-conversation';

/** How a conversation is opened, and who handles the questions and requests of hooks in it. */
export interface ConversationFront extends Pick<
  ConversationPorts,
  'mode' | 'hookUi' | 'shutdown' | 'whenDrained' | 'approvals' | 'followsCommands' | 'showsTodos'
> {
  /** Servers that the client gives for this conversation. */
  readonly mcpServers?: readonly McpServerEntry[];
  readonly connectDialogs?: (dialogs: DialogQueue) => Disposable;
  /** Is called with the conversation before hooks are told of its start. */
  readonly onOpen?: (conversation: Conversation) => void;
  /** Gets warnings about this conversation; the folder gets them when absent. */
  readonly printError?: (text: string) => void;
}

/** What is about to happen to a session, as hooks hear of it. */
export type SessionToOpen =
  { readonly reason: 'new' } | { readonly reason: 'resume'; readonly targetSessionFile: string };

/**
 * Loads what the conversations of a folder share. Folders of one process know nothing of each other.
 * @throws {UsageError | StartError} that says what is wrong; everything that was opened is closed then
 */
export async function openFolder(parts: FolderParts): Promise<FolderRuntime> {
  const loaded = await loadFolder(parts);
  try {
    const { services, options, host, store } = loaded;
    const { place, settings, models, packages, named } = services;
    const requested = requestedModel(options, models);
    const sessionDir = await sessionFolder(parts, loaded);
    const resources = store.add(
      await LiveResources.open({ place, settings, packages, hooks: host.runner, named, log: parts.log }),
    );
    printEach(resources.current.problems, parts.printError);
    return new FolderRuntime(parts, loaded, { requested, sessionDir, resources });
  } catch (error) {
    await loaded.end();
    throw error;
  }
}

/** What is read after hooks were loaded. */
interface FolderFacts {
  readonly requested: FoundModel | undefined;
  readonly sessionDir: string;
  readonly resources: LiveResources;
}

/**
 * A folder with its hooks, settings, models and MCP servers, and any number of conversations in it. Each conversation has
 * a session, a run and a queue of questions of its own.
 */
export class FolderRuntime {
  /** The one that was active last comes last. */
  private readonly opened = new Map<string, StartedConversation>();
  private counter = 0;
  /** Hooks have heard of the folder's first conversation. */
  private hasStarted = false;
  private disposing: Promise<void> | undefined;

  constructor(
    private readonly parts: FolderParts,
    private readonly loaded: LoadedFolder,
    private readonly facts: FolderFacts,
  ) {
    const { host, services, store } = loaded;
    const { parent } = services;
    store.add(host.onError(error => this.reportHookError(error)));
    if (parent !== undefined) store.add(host.onDidCallInChild(({ step }) => parent.reportStep(step)));
  }

  /** The command line, with the flags of this folder's hooks. */
  get options(): CliOptions {
    return this.loaded.options;
  }

  get services(): ProcessServices {
    return this.loaded.services;
  }

  get host(): HookHost {
    return this.loaded.host;
  }

  /** The folder of session files, absolute: from the flag, else the environment, else hooks, else the settings. */
  get sessionDir(): string {
    return this.facts.sessionDir;
  }

  /** The model that the command line names. */
  get requested(): FoundModel | undefined {
    return this.facts.requested;
  }

  /** The thinking level that the command line names. */
  get requestedLevel(): CliOptions['thinking'] {
    return this.options.thinking ?? this.requested?.thinking;
  }

  /** The open conversations; the one that was active last comes last. */
  get conversations(): readonly StartedConversation[] {
    return [...this.opened.values()];
  }

  /** Asks hooks whether a session may be opened beside the others, however long that takes; false when one declines. */
  async mayOpen(session: SessionToOpen): Promise<boolean> {
    const from = this.conversations.at(-1);
    if (from === undefined) return true;
    const event = { type: 'session_before_switch', ...session } as const;
    return !(await emitAndReportSlow(event, from.conversation.hookWait)).cancelled;
  }

  /**
   * Opens a conversation and makes it the active one. Hooks hear of its start in {@link StartedConversation.begin}: the
   * folder's first one is its startup, and each later one the `reason`; a fork comes from the parent of its session. Takes
   * the store over, and closes it when it rejects.
   * @throws {SessionReadOnlyError} when the session cannot be written to but has to be
   */
  async open(
    session: SessionStore,
    front: ConversationFront,
    reason: SessionMove['reason'] = 'new',
  ): Promise<StartedConversation> {
    const { host, services } = this.loaded;
    const [move, previous] =
      reason === 'fork'
        ? [{ reason, entryId: session.getLeafId() }, session.getHeader()?.parentSession]
        : [{ reason }, this.conversations.at(-1)?.conversation.store.getSessionFile()];
    const owned = new DisposableStore();
    const printError = front.printError ?? this.parts.printError;
    const mcp = this.mcpFor(front, printError);
    const own = mcp instanceof ConversationMcp ? mcp : undefined;
    if (own !== undefined) {
      owned.add(printServers({ list: () => own.listOwn(), onDidChange: own.onDidChange }, printError));
    }
    const dialogs = owned.add(
      new DialogQueue(error => this.parts.log.error('A view that shows questions failed', error)),
    );
    if (front.connectDialogs !== undefined) owned.add(front.connectDialogs(dialogs));
    const id = `chat-${++this.counter}`;
    const conversation = new Conversation(id, this.portsFor(front, { dialogs, mcp }), session);
    const { forHooks } = conversation;
    const started = new StartedConversation(conversation, {
      begin: () => this.begin(conversation, printError, { move, previous }),
      activate: () => this.activate(started),
      farewell: () => host.sessions.farewell(forHooks),
      close: async () => {
        await own?.dispose();
        this.opened.delete(id);
        owned.dispose();
        const active = this.conversations.at(-1);
        if (active !== undefined) host.setActive(active.conversation.forHooks);
      },
    });
    owned.add(host.attach(forHooks));
    this.opened.set(id, started);
    try {
      await conversation.open();
      if (this.disposing !== undefined) throw new Error(`The folder ${services.place.cwd} was closed.`);
      this.activate(started);
      const { parent } = services;
      if (parent !== undefined) owned.add(reportCalls(conversation, step => parent.reportStep(step)));
      front.onOpen?.(conversation);
      return started;
    } catch (error) {
      await started.end();
      throw error;
    }
  }

  /** Ends all conversations, lets hooks shut down, and closes the servers. Errors of hooks do not make it reject. */
  dispose(): Promise<void> {
    this.disposing ??= Promise.all(this.conversations.map(each => each.end())).then(() => this.loaded.end());
    return this.disposing;
  }

  private activate(started: StartedConversation): void {
    const { id, forHooks } = started.conversation;
    this.opened.delete(id);
    this.opened.set(id, started);
    this.host.setActive(forHooks);
  }

  /** Tells hooks of the start of a conversation, then applies what the command line says of tools and keys. */
  private async begin(
    conversation: Conversation,
    printError: (text: string) => void,
    { move, previous }: { readonly move: SessionMove; readonly previous: string | undefined },
  ): Promise<void> {
    const { options, requested } = this;
    const isFirst = !this.hasStarted;
    this.hasStarted = true;
    if (isFirst) {
      await emitWithTimeout({ type: 'session_start', reason: 'startup' }, conversation.hookWait);
      await this.facts.resources.discover('startup', conversation.forHooks);
    } else {
      await conversation.sessions.begin(move, previous);
    }
    for (const name of chooseTools(conversation.toolset, options)) printError(`Warning: there is no tool "${name}".`);
    for (const { message } of conversation.models.scope.warnings) printError(`Warning: ${message}`);
    if (requested?.warning !== undefined) printError(`Warning: ${requested.warning}`);
    const provider = (requested?.model ?? conversation.state.model)?.provider;
    if (options.apiKey !== undefined && provider !== undefined) {
      this.services.models.authStorage.setRuntimeApiKey(provider, options.apiKey);
    }
  }

  /** Tells the conversation in which it happened, or else the one that was active last. */
  private reportHookError(error: HookError): void {
    const meant = this.opened.get(error.conversation ?? '') ?? this.conversations.at(-1);
    meant?.conversation.reportHookError(error);
  }

  /** The servers of the folder and those of the client; undefined with `--no-mcp`. */
  private mcpFor(
    { mcpServers = [] }: ConversationFront,
    printError: (text: string) => void,
  ): McpServers | ConversationMcp | undefined {
    const { mcp } = this.loaded;
    if (mcpServers.length === 0) return mcp;
    if (mcp !== undefined) return new ConversationMcp(mcp, mcpServers);
    printError('Warning: the MCP servers of the client are not used, because of --no-mcp.');
    return undefined;
  }

  private portsFor(
    front: ConversationFront,
    { dialogs, mcp }: { readonly dialogs: DialogQueue; readonly mcp: McpPort | undefined },
  ): ConversationPorts {
    const { services, options, host } = this.loaded;
    const { place, settings, models, prompt } = services;
    const { resources, sessionDir } = this.facts;
    const { mode, hookUi, shutdown, whenDrained, approvals, followsCommands, showsTodos } = front;
    return {
      cwd: place.cwd,
      ...defined({ variables: place.variables }),
      sessionDir,
      hooks: host,
      models,
      start: defined({ model: this.requested?.model, thinkingLevel: this.requestedLevel }),
      stream: createStreamFn(models),
      settings,
      readAgain: async () => {
        await Promise.all([settings.reload(), prompt.reload(), mcp?.reload()]);
      },
      ...defined({ mcp }),
      builtInTools: toolsIn(place, settings, services.writeRecords),
      resources,
      promptOptions: tools => prompt.for(tools, resources.forPrompt),
      dialogs,
      mode,
      ...defined({ hookUi, whenDrained, followsCommands, showsTodos }),
      allowsTool: toolFilter(options),
      approvals: approvals ?? { defaultMode: () => options.approveTools, isLocked: () => false },
      log: this.parts.log,
      shutdown,
    };
  }
}

/** See {@link FolderRuntime.sessionDir}. */
async function sessionFolder(
  { startedIn, env }: FolderParts,
  { services, options, host }: LoadedFolder,
): Promise<string> {
  const { agentDir, cwd } = services.place;
  if (options.sessionDir !== undefined) return resolve(startedIn, options.sessionDir);
  const ofEnvironment = sessionDirFrom(env, startedIn);
  if (ofEnvironment !== undefined) return ofEnvironment;
  const { sessionDir } = await host.runner.emit({ type: 'session_directory', cwd }, undefined);
  if (sessionDir !== undefined) return resolve(cwd, sessionDir);
  return sessionDirOf(services.settings.current, cwd) ?? sessionDirFor(agentDir, cwd);
}
