import { DisposableStore } from '../../../base/disposable';
import { defined } from '../../../base/defined';
import { messageOf } from '../../../base/errors';
import type { Event } from '../../../base/event';
import { GuardedFolder, type GuardedFolderParts } from '../../../guard/calls/guarded-folder';
import type { GuardedEvent } from '../../../guard/agents/agent';
import type { AgentCall, AgentId, AgentReply, GuardGate } from '../../../guard/protocol/agent-call';
import type { ToolContent, ToolList, ToolReply, ToolRequest } from '../../../guard/protocol/tools';
import type { HostFolder, HostFolderPorts } from '../../../guard/host/host-folders';
import type { HookLog } from '../../../hook-insight/recording/hook-log';
import { LiveFolder, type LiveFolderParts } from './live-folder';

/** The mode of the built-in gate for agents. */
export type GateModes = Readonly<Partial<Record<AgentId, GuardGate>>>;

/** What the folders of the host have in common. */
export interface OwnFolderParts
  extends LiveFolderParts, Pick<GuardedFolderParts, 'contractOf' | 'guardedFiles' | 'getsTools'> {
  /** The mode of the built-in gate for each agent, as it is now; off when there is none. */
  readonly gateModes: () => Promise<GateModes>;
  readonly hookLog: HookLog;
}

/** A folder that no window has open, with the sessions of agents in it. */
export class OwnFolder implements HostFolder {
  private constructor(
    private readonly parts: OwnFolderParts,
    private readonly modes: { current: GateModes },
    private readonly live: LiveFolder,
    private readonly guarded: GuardedFolder,
    private readonly store: DisposableStore,
  ) {}

  /**
   * Opens a folder, given by its absolute path.
   * @throws {UsageError | StartError} that says what is wrong; everything that was opened is closed then
   */
  static async open(cwd: string, ports: HostFolderPorts, parts: OwnFolderParts): Promise<OwnFolder> {
    const { hookLog, contractOf, gateModes, guardedFiles, getsTools, printError, log } = parts;
    const modes = { current: await gateModes() };
    const live = await LiveFolder.open(cwd, parts);
    const { hooks } = live;
    const store = new DisposableStore();
    store.add(hooks.records.onDidDispatch(hookLog.add));
    store.add(hooks.records.onDidEndSpan(hookLog.addSpan));
    const guarded = new GuardedFolder({
      ...{ hooks, cwd, contractOf, guardedFiles, heldFiles: live.heldFiles, log, ...defined({ getsTools }) },
      ...ports,
      gateModeOf: agent => modes.current[agent] ?? 'off',
      models: live.models,
      isTrusted: () => live.isTrusted,
      front: {
        notify: (message, level) => printError(`${level}: ${message}`),
        setStatus: () => undefined,
      },
    });
    return new OwnFolder(parts, modes, live, guarded, store);
  }

  /** Hooks, as they are on disk now, decide about an event. Never rejects: what fails is a refusal. */
  async handle(event: GuardedEvent, call: AgentCall, signal: AbortSignal): Promise<AgentReply> {
    try {
      this.modes.current = await this.parts.gateModes();
      await this.live.refresh();
    } catch (error) {
      // The hooks that were loaded before may lack a gate.
      const reason = `Hookline could not read the hooks of ${this.live.cwd}: ${messageOf(error)}`;
      this.parts.printError(reason);
      return { output: this.parts.contractOf(event.agent).refuse(event.name, reason), records: [] };
    }
    return this.guarded.handle(event, call, signal);
  }

  /** The tools of the hooks that are on disk now. Rejects when those cannot be read. */
  async tools(): Promise<ToolList> {
    await this.live.refresh();
    return this.guarded.toolList();
  }

  readonly onDidChangeTools: Event<void> = listener => {
    const store = new DisposableStore();
    store.add(this.live.watch());
    store.add(this.guarded.onDidChangeTools(listener));
    return store;
  };

  /** Has hooks, as they are on disk now, decide about a call of a tool, and runs it. Never rejects. */
  async callTool(
    request: ToolRequest,
    update: (content: ToolContent) => void,
    signal: AbortSignal,
  ): Promise<ToolReply> {
    try {
      this.modes.current = await this.parts.gateModes();
      await this.live.refresh();
    } catch (error) {
      const text = `Hookline could not read the hooks of ${this.live.cwd}: ${messageOf(error)}`;
      this.parts.printError(text);
      return { outcome: 'failed', content: [{ type: 'text', text }], records: [] };
    }
    return this.guarded.callTool(request, update, signal);
  }

  /** Makes global functions that hooks deleted available again. */
  restoreGlobals(): void {
    this.live.hooks.restoreGlobals();
  }

  /** Whether sessions of agents that live are open. */
  isInUse(): boolean {
    return this.guarded.sessions.length > 0;
  }

  waitingHooks(): number {
    return this.guarded.waitingHooks;
  }

  /** Ends the sessions, then the hooks. Errors of hooks do not make it reject. */
  async end(): Promise<void> {
    await this.guarded.end();
    await this.live.dispose();
    this.store.dispose();
  }
}
