import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigValues } from '../agent/models/keys/config-value';
import type { FolderVariables } from '../agent/tools/shell/process';
import { DisposableStore, toDisposable } from '../base/disposable';
import { messageOf } from '../base/errors';
import { Emitter, type Event } from '../base/event';
import type { Log } from '../base/log';
import { DelayedCall, oneAtATime } from '../base/async/repeated-calls';
import type { Problem } from '../base/result';
import { unlessAborted, withTimeout } from '../base/async/wait';
import type { RegisteredMcpServer } from '../hook-typings/registered/mcp';
import { mcpFile, readMcpConfig, type McpConfigMemory, type McpServerEntry } from './config/read-config';
import { checkServerConfig, isStdio, namespaceOf } from './config/server-config';
import { changeServer, type ServerChange } from './config/write-config';
import { McpLogFile } from './connection/server-log';
import { loginSettings } from './connection/transports';
import { logInToServer, type LoginPrompt } from './log-in';
import { loginKey, type McpCredentials } from './login/mcp-auth-file';
import { ManagedServer } from './managed-server';
import { McpPrompts } from './mcp-prompts';
import { McpTools } from './mcp-tools';
import { mcpSection } from './prompt-section';

/** How long the first prompt waits for servers whose tools it declares, in ms; the same as in pi. */
const DIRECT_WAIT_MS = 10_000;
/**
 * How long to wait after a change of registrations, in ms: a reload of hooks removes their servers and adds them again.
 */
const REGISTRATION_MS = 200;

/** The servers that hooks register. */
export interface McpRegistrations {
  list(): readonly RegisteredMcpServer[];
  readonly onDidChange: Event<void>;
}

/** Where no hooks run. */
export const NO_REGISTRATIONS: McpRegistrations = { list: () => [], onDidChange: () => toDisposable(() => undefined) };

/** The hook that manages MCP servers instead of Hookline. */
export interface McpReplacement {
  /** Absolute; undefined if there is none. */
  readonly path: () => string | undefined;
  /** Fires when `path` may have changed. */
  readonly onDidChange: Event<void>;
}

export interface McpServersParts {
  readonly place: {
    readonly agentDir: string;
    readonly cwd: string;
    readonly includeProject: () => boolean;
    readonly variables?: FolderVariables | undefined;
  };
  readonly registrations: McpRegistrations;
  /** The only servers there are, in place of those of files and hooks. */
  readonly given?: readonly McpServerEntry[];
  readonly credentials: McpCredentials;
  /** Opens a page in the user's browser. */
  readonly openPage: (url: URL) => void;
  /** See `TransportParts`. */
  readonly providerToken: (provider: string) => Promise<string | undefined>;
  readonly env: NodeJS.ProcessEnv;
  /** Version of Hookline, which is sent to servers. */
  readonly version: string;
  /** The hook that manages MCP servers instead of Hookline. */
  readonly replacement?: McpReplacement;
  /** Returns false for the name of a tool that must not be declared although it is configured as `direct`. */
  readonly declares?: (tool: string) => boolean;
  readonly log: Log;
}

/**
 * The MCP servers of a window or a folder: those of both `mcp.json` files and those of hooks. Nothing is read or
 * started before the first {@link reload}.
 */
export class McpServers {
  private servers: readonly ManagedServer[] = [];
  private found: readonly Problem[] = [];
  private readonly memory: McpConfigMemory = new Map();
  private readonly closing = new Set<Promise<void>>();
  /** Changes of servers that hooks registered, by name; they apply to this session. */
  private readonly sessionChanges = new Map<string, ServerChange>();
  /** The stored tokens that a server refused, by name of the server; an empty text if there were none. */
  private readonly refused = new Map<string, string>();
  private readonly file: McpLogFile;
  private readonly values: ConfigValues;
  private readonly changeEmitter = new Emitter<void>();
  /** Fires when the list of servers changed, or the state or offer of a server. */
  readonly onDidChange = this.changeEmitter.event;
  readonly tools: McpTools;
  readonly prompts: McpPrompts;
  private readonly afterRegistration = new DelayedCall(() => void this.reload());
  private readonly owned = new DisposableStore();
  /** The hook that managed the servers as of the last {@link reload}. */
  private replacedLast: string | undefined;
  private isDisposed = false;
  /** Reads the configuration again and applies it; connections that are still right are kept. Never rejects. */
  readonly reload = oneAtATime(() => this.follow());

  constructor(private readonly parts: McpServersParts) {
    const { place, log, env, registrations, replacement } = parts;
    this.file = new McpLogFile(join(place.agentDir, 'mcp.log'), error => {
      log.warn(`mcp.log cannot be written: ${messageOf(error)}`);
    });
    this.values = new ConfigValues(env);
    this.tools = new McpTools({
      servers: () => this.servers,
      ready: signal => this.ready(signal),
      declares: this.declares,
    });
    this.prompts = new McpPrompts(() => this.servers);
    this.owned.add(this.afterRegistration);
    this.owned.add(registrations.onDidChange(() => this.afterRegistration.reschedule(REGISTRATION_MS)));
    if (replacement === undefined) return;
    this.owned.add(
      replacement.onDidChange(() => {
        if (this.replacedBy !== this.replacedLast) void this.reload();
      }),
    );
  }

  /** The servers in the order of the files, those of hooks last. */
  list(): readonly ManagedServer[] {
    return this.servers;
  }

  find(name: string): ManagedServer | undefined {
    return this.servers.find(server => server.name === name);
  }

  /** See `McpServersParts`. */
  get declares(): (tool: string) => boolean {
    return this.parts.declares ?? (() => true);
  }

  /** Other servers of the same surroundings, which are only these. They have to be disposed by themselves. */
  beside(given: readonly McpServerEntry[]): McpServers {
    const { place, credentials, openPage, providerToken, env, version, log } = this.parts;
    const shared = { place, credentials, openPage, providerToken, env, version, log, declares: this.declares };
    return new McpServers({ ...shared, registrations: NO_REGISTRATIONS, given });
  }

  /** What is wrong with the configuration. */
  get problems(): readonly Problem[] {
    return this.found;
  }

  /** Path of the hook that manages MCP servers instead of Hookline; undefined if there is none. */
  get replacedBy(): string | undefined {
    return this.parts.replacement?.path();
  }

  /** Opens a page in the user's browser. */
  openPage(url: URL): void {
    this.parts.openPage(url);
  }

  /** Whether there are enabled servers whose tools are found by `tool_search`. */
  get needsSearch(): boolean {
    return this.servers.some(server => server.needsSearch);
  }

  /** The section of the system prompt about servers whose tools are not declared; undefined when there are none. */
  promptSection(): string | undefined {
    return mcpSection(this.servers.filter(({ isEnabled }) => isEnabled));
  }

  /**
   * Await this before a run. It reconnects servers to which the user logged in elsewhere, and waits for servers whose
   * tools are declared, once for each server; at most 10 seconds in all, or until the signal is aborted. Never rejects.
   */
  async beforePrompt(signal: AbortSignal): Promise<void> {
    const connecting = async (): Promise<void> => {
      await this.noticeLogins();
      await Promise.all(this.servers.flatMap(server => server.takeWait() ?? []));
    };
    await unlessAborted(
      withTimeout(connecting(), DIRECT_WAIT_MS, () => undefined),
      signal,
      () => undefined,
    );
  }

  /** Resolves when no server is connecting for the first time any more, or when the signal is aborted. */
  async ready(signal: AbortSignal | undefined): Promise<void> {
    const waits = this.servers.flatMap(server => server.starting ?? []);
    await unlessAborted(Promise.all(waits), signal, () => []);
  }

  /** Reconnects a server. @throws Error when there is no server of that name, or it is disabled */
  async restart(name: string): Promise<void> {
    const server = this.demand(name);
    if (server.connection === undefined) throw new Error(`MCP server "${name}" is disabled.`);
    await server.connection.restart();
  }

  /**
   * Logs in to a server and reconnects it.
   * @throws Error that says why the login failed
   */
  async logIn(name: string, prompt: LoginPrompt, signal: AbortSignal): Promise<void> {
    const { entry, connection } = this.demand(name);
    const { url, key } = this.loginPlace(entry);
    const settings = await loginSettings(entry, this.values);
    const { credentials } = this.parts;
    const challenge = connection?.challenge ?? {};
    await logInToServer({ url, key, settings, credentials, challenge, prompt, signal });
    this.refused.delete(name);
    await connection?.restart();
  }

  /** Deletes the login of a server; resolves false when there was none. @throws Error when it cannot be deleted */
  async logOut(name: string): Promise<boolean> {
    const { entry, connection } = this.demand(name);
    const { key } = this.loginPlace(entry);
    const isThere = (await this.parts.credentials.load(key)) !== undefined;
    await this.parts.credentials.update(key, () => undefined);
    await connection?.loggedOut();
    return isThere;
  }

  /**
   * Turns a server on or off, or changes how its tools are reached. The change is written to the file that defines the
   * server, or if `inProject`, to the folder's file. If a hook registered the server, it applies to this session only.
   * @throws Error that names the file when it cannot be written
   */
  async change(name: string, changes: ServerChange, inProject = false): Promise<void> {
    const { entry } = this.demand(name);
    if (entry.scope === 'hook') {
      this.sessionChanges.set(name, { ...this.sessionChanges.get(name), ...changes });
    } else {
      const { place } = this.parts;
      const file = inProject ? mcpFile('project', place) : (entry.override ?? entry.source);
      await changeServer(file, name, changes);
    }
    await this.reload();
  }

  /** Ends all servers; resolves when no process of theirs runs any more. Never rejects. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    this.owned.dispose();
    const { servers } = this;
    this.servers = [];
    await Promise.all([...this.closing, ...servers.map(server => server.close())]);
    await this.file.flush();
    this.changeEmitter.dispose();
  }

  private async follow(): Promise<void> {
    const { place } = this.parts;
    this.replacedLast = this.replacedBy;
    const isReplaced = this.replacedLast !== undefined;
    const { agentDir, cwd } = place;
    const { given = isReplaced ? [] : undefined } = this.parts;
    const read = given
      ? { entries: given, problems: [] }
      : await readMcpConfig({ agentDir, cwd, includeProject: place.includeProject() }, this.memory);
    const problems = [...read.problems];
    const entries = [...read.entries, ...(isReplaced ? [] : this.registered(read.entries, problems))];
    if (!place.includeProject()) {
      await mkdir(this.startFolder, { recursive: true }).catch(() => undefined); // Servers say that they cannot start in it.
    }
    if (this.isDisposed) return;
    this.found = problems;
    this.apply(entries);
    this.changeEmitter.fire();
  }

  /** The servers of hooks; if a file has a server of the same name, that one is used and a problem is added. */
  private registered(configured: readonly McpServerEntry[], problems: Problem[]): readonly McpServerEntry[] {
    return this.parts.registrations.list().flatMap(({ name, config, extensionPath }): McpServerEntry[] => {
      const above = configured.find(entry => namespaceOf(entry.name) === namespaceOf(name));
      if (above !== undefined) {
        const message = `MCP server "${name}" of this hook is not used, because ${above.source} has "${above.name}".`;
        problems.push({ message, file: extensionPath });
        return [];
      }
      const checked = checkServerConfig(name, { ...config, ...this.sessionChanges.get(name) });
      if (checked.ok) return [{ name, config: checked.config, source: extensionPath, scope: 'hook' }];
      problems.push({ message: `MCP server "${name}": ${checked.fault.message}.`, file: extensionPath });
      return [];
    });
  }

  /**
   * Where servers are started. Programs such as npx run what they find in their folder, so in a folder that is not
   * trusted, servers get an empty one.
   */
  private get startFolder(): string {
    const { cwd, agentDir, includeProject } = this.parts.place;
    return includeProject() ? cwd : join(agentDir, 'hookline', 'mcp');
  }

  private apply(entries: readonly McpServerEntry[]): void {
    const before = new Map(this.servers.map(server => [server.name, server]));
    this.servers = entries.map(entry => {
      const known = before.get(entry.name);
      if (known?.leadsTo(entry, this.startFolder) === true) {
        before.delete(entry.name);
        known.follow(entry);
        return known;
      }
      return this.begin(entry, known === undefined ? undefined : this.end(known));
    });
    const kept = new Set(entries.map(({ name }) => name));
    for (const server of before.values()) if (!kept.has(server.name)) void this.end(server);
  }

  private begin(entry: McpServerEntry, after: Promise<void> | undefined): ManagedServer {
    const { place, credentials, providerToken, version } = this.parts;
    const { values, file, startFolder: cwd } = this;
    const shared = {
      cwd,
      root: place.cwd,
      variables: place.variables,
      values,
      credentials,
      providerToken,
      version,
      file,
    };
    const server = new ManagedServer(entry, shared);
    server.onDidChange(() => {
      void this.noteRefusal(server);
      this.changeEmitter.fire();
    });
    if (server.isEnabled) server.start(after);
    return server;
  }

  private end(server: ManagedServer): Promise<void> {
    const ending = server.close().finally(() => this.closing.delete(ending));
    this.closing.add(ending);
    return ending;
  }

  /** Stores which tokens a server refused when it asks for a login. */
  private async noteRefusal({ name, state, entry, usesLogin }: ManagedServer): Promise<void> {
    if (state.type !== 'needsLogin' || !usesLogin || this.refused.has(name)) return;
    this.refused.set(name, '');
    this.refused.set(name, await this.tokensOf(entry));
  }

  /** Reconnects servers to which the user logged in on the command line or in another window. */
  private async noticeLogins(): Promise<void> {
    const waiting = this.servers.filter(({ state, usesLogin }) => state.type === 'needsLogin' && usesLogin);
    await Promise.all(
      waiting.map(async ({ name, entry, connection }) => {
        const tokens = await this.tokensOf(entry);
        if (tokens === '' || tokens === this.refused.get(name)) return;
        this.refused.delete(name);
        await connection?.restart();
      }),
    );
  }

  private async tokensOf(entry: McpServerEntry): Promise<string> {
    try {
      const login = await this.parts.credentials.load(this.loginPlace(entry).key);
      return login?.tokens === undefined ? '' : JSON.stringify(login.tokens);
    } catch (error) {
      this.parts.log.warn(`The login of MCP server "${entry.name}" cannot be read: ${messageOf(error)}`);
      return '';
    }
  }

  private loginPlace({ name, config }: McpServerEntry): { readonly url: string; readonly key: string } {
    const server = this.find(name);
    if (isStdio(config) || server?.usesLogin !== true) {
      throw new Error(
        `MCP server "${name}" does not support a login. Only servers with "url" and without an Authorization header do.`,
      );
    }
    return { url: config.url, key: loginKey(name, config.url) };
  }

  private demand(name: string): ManagedServer {
    const server = this.find(name);
    if (server !== undefined) return server;
    const names = this.servers.map(each => each.name).join(', ');
    throw new Error(`There is no MCP server "${name}". Known: ${names === '' ? 'none' : names}.`);
  }
}
