import { Emitter } from '../base/event';
import { reachesOf, serverReach, type ToolReach } from './config/exposure';
import type { McpServerEntry } from './config/read-config';
import { isStdio, usesOAuth } from './config/server-config';
import type { McpOffer } from './connection/server-offer';
import { ServerConnection, type ServerConnectionParts, type ConnectionState } from './connection/server-connection';
import { ServerLog } from './connection/server-log';

/** The state of a server, for users. */
export type McpServerState = Exclude<ConnectionState, { readonly type: 'closed' }> | { readonly type: 'disabled' };

/** One server for lists and views. Its members always return the current values. */
export interface McpServer {
  readonly name: string;
  readonly entry: McpServerEntry;
  readonly state: McpServerState;
  /** What it offers, or offered when it was last connected; undefined before that. */
  readonly offer: McpOffer | undefined;
  /** How its tools are reached, except those with an entry of their own in the configuration. */
  readonly reach: ToolReach;
  /** Whether it may ask for a login, which is then stored. */
  readonly usesLogin: boolean;
  readonly log: ServerLog;
}

/** A configured server, with its connection while it is enabled. */
export class ManagedServer implements McpServer {
  readonly log = new ServerLog();
  private open: ServerConnection | undefined;
  private beginning: Promise<void> | undefined;
  private isWaitedFor = false;
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;

  constructor(
    private wanted: McpServerEntry,
    private readonly parts: Omit<ServerConnectionParts, 'log'>,
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

  /** Whether it is enabled and has tools that are found by `tool_search`. */
  get needsSearch(): boolean {
    return this.isEnabled && reachesOf(this.wanted.config).has('deferred');
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

  /** Settles when the first attempt to connect has ended; undefined before and after the attempt. */
  get starting(): Promise<void> | undefined {
    return this.beginning;
  }

  /** Like {@link starting}, but only at the first call, and only if the configuration says that tools are `direct`. */
  takeWait(): Promise<void> | undefined {
    if (this.isWaitedFor || !reachesOf(this.wanted.config).has('direct')) return undefined;
    this.isWaitedFor = true;
    return this.beginning;
  }

  /** Sets a new configuration that needs no new connection (see {@link leadsTo}). */
  follow(entry: McpServerEntry): void {
    this.wanted = entry;
  }

  /** Whether the existing connection can be kept for an entry, and for the folder in which its server would be started. */
  leadsTo(entry: McpServerEntry, cwd: string): boolean {
    const isElsewhere = isStdio(entry.config) && cwd !== this.parts.cwd;
    return !isElsewhere && connectionKey(entry) === connectionKey(this.wanted);
  }

  /** Connects after `after` has resolved. Call this once, for an enabled server. */
  start(after: Promise<void> | undefined): void {
    const connection = new ServerConnection(this.wanted, { ...this.parts, log: this.log });
    this.open = connection;
    connection.onDidChange(() => this.changeEmitter.fire());
    const beginning = (after ?? Promise.resolve()).then(() => connection.connect());
    this.beginning = beginning.finally(() => {
      this.beginning = undefined;
    });
  }

  /** Ends the connection; resolves when no process of the server runs any more. Never rejects. */
  async close(): Promise<void> {
    this.changeEmitter.dispose();
    await this.open?.close();
  }
}

/** Members that do not affect the connection, or that {@link connectionKey} includes separately. */
const FREE_MEMBERS = ['enabled', 'exposure', 'toolExposure', 'description'];

/** A text of all that determines the connection of an entry: if it is equal, the connection can be kept. */
function connectionKey({ name, config }: McpServerEntry): string {
  const members = Object.entries(config).filter(([member]) => !FREE_MEMBERS.includes(member));
  return JSON.stringify([name, config.enabled !== false, ...members]);
}
