import { DialogQueue } from '../../session/ports/dialogs';
import { isFolder } from '../../base/files/on-disk';
import type { Log } from '../../base/log';
import { messageOf } from '../../base/errors';
import type { Event } from '../../base/event';
import type { GuardedEvent } from '../agents/agent';
import type { GuardedFolderParts } from '../calls/guarded-folder';
import type { AgentCall, AgentReply } from '../protocol/agent-call';
import type { ToolContent, ToolList, ToolReply, ToolRequest } from '../protocol/tools';
import type { FrontQuestions } from './front-questions';

/** A folder whose hooks the host runs itself. */
export interface HostFolder {
  /** Never rejects. When `signal` fires, nobody waits for the reply any more. */
  handle(event: GuardedEvent, call: AgentCall, signal: AbortSignal): Promise<AgentReply>;
  /** The tools of its hooks, as they are on disk now. Rejects when the hooks cannot be read. */
  tools(): Promise<ToolList>;
  /** Fires when they may have changed, also on disk while somebody listens. */
  readonly onDidChangeTools: Event<void>;
  /** Answers a call that came to the MCP server. Never rejects. `signal` as above. */
  callTool(request: ToolRequest, update: (content: ToolContent) => void, signal: AbortSignal): Promise<ToolReply>;
  /** Whether sessions of agents are open in it whose process lives. */
  isInUse(): boolean;
  /** How many of its hooks wait for approval. */
  waitingHooks(): number;
  /** Ends its sessions and hooks. */
  end(): Promise<void>;
}

/** How the hooks of a folder ask people. */
export interface FolderQuestions {
  readonly dialogs: DialogQueue;
  /** Whether somebody can answer now. */
  readonly canAsk: () => boolean;
}

/** What a folder is opened with. */
export interface HostFolderPorts extends FolderQuestions, Pick<GuardedFolderParts, 'note'> {}

/** Loads the hooks of a folder, given by its absolute path. Rejects with what is wrong with it, for people. */
export type OpenHostFolder = (folder: string, ports: HostFolderPorts) => Promise<HostFolder>;

interface Loaded {
  readonly opening: Promise<HostFolder>;
  readonly dialogs: DialogQueue;
  opened: HostFolder | undefined;
  /** Calls that have no reply yet, and MCP servers for the folder. */
  calls: number;
  /** ms since 1970 */
  lastUsedAt: number;
}

export interface HostFoldersParts {
  readonly open: OpenHostFolder;
  readonly questions: FrontQuestions;
  readonly note: GuardedFolderParts['note'];
  /** ms since 1970 */
  readonly now: () => number;
  readonly log: Log;
}

/** The folders that no window has open: each is loaded by its first call, and once at a time. */
export class HostFolders {
  private readonly loaded = new Map<string, Loaded>();

  constructor(private readonly parts: HostFoldersParts) {}

  /** Absolute paths of the folders that are loaded. */
  get paths(): readonly string[] {
    return [...this.loaded.keys()];
  }

  /** How many hooks wait for approval in a folder. */
  waitingHooksIn(folder: string): number {
    return this.loaded.get(folder)?.opened?.waitingHooks() ?? 0;
  }

  /** Passes an event to the hooks of a folder. Rejects when the folder cannot be loaded; the next call tries again. */
  handle(folder: string, event: GuardedEvent, call: AgentCall, signal: AbortSignal): Promise<AgentReply> {
    return this.use(folder, opened => opened.handle(event, call, signal));
  }

  /** The folder is loaded while the work lasts. Rejects when it cannot be loaded, and as the work does. */
  async use<T>(folder: string, work: (opened: HostFolder) => Promise<T>): Promise<T> {
    const loaded = this.loaded.get(folder) ?? this.load(folder);
    loaded.calls += 1;
    try {
      return await work(await loaded.opening);
    } finally {
      loaded.calls -= 1;
      loaded.lastUsedAt = this.parts.now();
    }
  }

  /** Ends the folders that are gone or had no call for this time, and have no session of an agent that lives. */
  async endIdle(idleMs: number): Promise<void> {
    const latest = this.parts.now() - idleMs;
    const idle = [...this.loaded].filter(
      ([folder, { calls, opened, lastUsedAt }]) =>
        calls === 0 && (lastUsedAt <= latest || !isFolder(folder)) && opened?.isInUse() === false,
    );
    await Promise.all(idle.map(([folder, loaded]) => this.end(folder, loaded)));
  }

  /** Ends all folders. Never rejects. */
  async endAll(): Promise<void> {
    await Promise.all([...this.loaded].map(([folder, loaded]) => this.end(folder, loaded)));
  }

  private load(folder: string): Loaded {
    const { open, questions, note, now, log } = this.parts;
    const dialogs = new DialogQueue(error => log.error('A question could not be asked.', error));
    dialogs.addView(questions.viewOf(folder));
    const opening = open(folder, { dialogs, canAsk: () => questions.canAsk, note });
    const loaded: Loaded = { opening, dialogs, opened: undefined, calls: 0, lastUsedAt: now() };
    this.loaded.set(folder, loaded);
    opening.then(
      opened => (loaded.opened = opened),
      () => this.loaded.delete(folder), // The call that waits for it tells why.
    );
    return loaded;
  }

  private async end(folder: string, { opening, dialogs }: Loaded): Promise<void> {
    this.loaded.delete(folder);
    dialogs.dispose();
    try {
      await (await opening).end();
    } catch (error) {
      this.parts.log.error(`The hooks of ${folder} could not be ended: ${messageOf(error)}`, error);
    }
  }
}
