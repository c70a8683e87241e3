import { Emitter } from '../base/event';
import { reachesOf, serverReach, type ToolReach } from './config/exposure';
import type { McpServerEntry } from './config/read-config';
import { usesOAuth } from './config/server-config';
import type { McpOffer } from './connection/offer';
import { ServerConnection, type ConnectionParts, type ConnectionState } from './connection/server-connection';
import { ServerLog } from './connection/server-log';

/** How a server stands, for people. */
export type McpServerState = Exclude<ConnectionState, { readonly type: 'closed' }> | { readonly type: 'disabled' };

/** One server as lists and views show it; live, so that each reading is of now. */
export interface McpServer {
  readonly name: string;
  readonly entry: McpServerEntry;
  readonly state: McpServerState;
  /** What it offers, or did while it was there; undefined before it was. */
  readonly offer: McpOffer | undefined;
  /** How those of its tools are reached that nothing else is said of. */
  readonly reach: ToolReach;
  /** It may ask for a login that is kept for it. */
  readonly usesLogin: boolean;
  readonly log: ServerLog;
}

/** A server that is wanted, with its connection while it is enabled. */
export class ManagedServer implements McpServer {
  readonly log = new ServerLog();
  private open: ServerConnection | undefined;
  private beginning: Promise<void> | undefined;
  private isWaitedFor = false;
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;

  constructor(
    private wanted: McpServerEntry,
    private readonly parts: Omit<ConnectionParts, 'log'>,
  ) {}

  get name(): string {
    return this.wanted.name;
  }

  get entry(): McpServerEntry {
    return this.wanted;
  }

  get isEnabled(): boolean {
    return this.wanted.config.enabled !== false;
  }

  get state(): McpServerState {
    const state = this.open?.state;
    if (!this.isEnabled) return { type: 'disabled' };
    return state === undefined || state.type === 'closed' ? { type: 'connecting' } : state;
  }

  get offer(): McpOffer | undefined {
    return this.isEnabled ? this.open?.offer : undefined;
  }

  get reach(): ToolReach {
    return serverReach(this.wanted.config);
  }

  get usesLogin(): boolean {
    return usesOAuth(this.wanted.config);
  }

  /** The connection of an enabled server. */
  get connection(): ServerConnection | undefined {
    return this.open;
  }

  /** Settles when the first attempt to connect is over; undefined when it is. */
  get starting(): Promise<void> | undefined {
    return this.beginning;
  }

  /** As {@link starting}, once, and only when the next request is to declare tools of it. */
  takeWait(): Promise<void> | undefined {
    if (this.isWaitedFor || !reachesOf(this.wanted.config).has('direct')) return undefined;
    this.isWaitedFor = true;
    return this.beginning;
  }

  /** Another configuration that leads to the same connection. */
  follow(entry: McpServerEntry): void {
    this.wanted = entry;
  }

  /** Whether an entry leads to the connection that there is. */
  leadsTo(entry: McpServerEntry): boolean {
    return connectionKey(entry) === connectionKey(this.wanted);
  }

  /** Connects when `after` is over; to be called once, for an enabled server. */
  start(after: Promise<void> | undefined): void {
    const connection = new ServerConnection(this.wanted, { ...this.parts, log: this.log });
    this.open = connection;
    connection.onDidChange(() => this.changeEmitter.fire());
    const beginning = (after ?? Promise.resolve()).then(() => connection.connect());
    this.beginning = beginning.finally(() => {
      this.beginning = undefined;
    });
  }

  /** Ends the connection; resolves when nothing of the server runs any more. Never rejects. */
  async close(): Promise<void> {
    this.changeEmitter.dispose();
    await this.open?.close();
  }
}

/** Members that change nothing about a connection, or are looked at by themselves. */
const FREE_MEMBERS = ['enabled', 'exposure', 'toolExposure', 'description'];

/** What of an entry a connection is made from. */
function connectionKey({ name, config }: McpServerEntry): string {
  const members = Object.entries(config).filter(([member]) => !FREE_MEMBERS.includes(member));
  return JSON.stringify([name, config.enabled !== false, ...members]);
}
