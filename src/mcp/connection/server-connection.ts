import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ABORTED_TEXT } from '../../agent/tools/tool';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import { isRecord } from '../../base/json/is-record';
import { hideSecrets } from '../../base/text/redact';
import { sleep, unlessAborted } from '../../base/async/wait';
import type { McpServerEntry } from '../config/read-config';
import { isStdio } from '../config/server-config';
import { LoginNeeded } from '../login/login-provider';
import type * as Library from './sdk';
import { readOffer, type McpOffer } from './server-offer';
import type { McpLogFile, ServerLog } from './server-log';
import { StdioTransport } from './stdio-transport';
import { openTransport, type Challenge, type TransportParts } from './transports';
import { ServerRequestError } from './request-error';

type Sdk = typeof Library;

/** The state of a connection. `error` is for the user and may have several lines. */
export type ConnectionState =
  | { readonly type: 'connecting' }
  | { readonly type: 'connected' }
  | { readonly type: 'needsLogin' }
  | { readonly type: 'failed'; readonly error: string }
  /** It was connected and was lost; the next request connects again. */
  | { readonly type: 'disconnected'; readonly error: string }
  | { readonly type: 'closed' };

export interface ServerRequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Is called with the progress that the server reports. */
  readonly onProgress?: (text: string) => void;
  /** True if the request can safely be repeated: it is tried once more after a temporary failure. */
  readonly repeatable?: boolean;
}

export interface ServerConnectionParts extends TransportParts {
  /** The folder that servers are told to work in, absolute. */
  readonly root: string;
  readonly version: string;
  readonly log: ServerLog;
  readonly file: McpLogFile;
}

/** The library's error codes for a timeout and for a closed connection. Servers use them, too, for other errors. */
const [TIMED_OUT, CLOSED] = [-32001, -32000];
const DEFAULT_TIMEOUT_S = 60;
/** The pauses before further tries to reach a server over HTTP, in ms; the same as in pi. */
const RETRY_PAUSES_MS = [250, 1_000];
/** How long to wait before a changed offer is read again, in ms: some servers report a change after each answer. */
const REFRESH_PAUSE_MS = 1_000;
const NO_OFFER: McpOffer = { tools: [], prompts: [], hasResources: false, problems: [] };

/** An open connection. */
interface Open {
  readonly client: Client;
  readonly transport: Transport;
}

/** The connection to one server. A request opens it again if it was lost. */
export class ServerConnection {
  private current: ConnectionState = { type: 'connecting' };
  private offered = NO_OFFER;
  private open: Open | undefined;
  private opening: Promise<Open> | undefined;
  /** Ends the current attempt to open the connection. */
  private stopOpening: (() => Promise<void>) | undefined;
  private readonly ending = new AbortController();
  private lastChallenge: Challenge = {};
  private refreshing: Promise<void> | undefined;
  /** Whose offer changed since it was last asked for. */
  private stale: Client | undefined;
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;

  constructor(
    readonly entry: McpServerEntry,
    private readonly parts: ServerConnectionParts,
  ) {}

  get state(): ConnectionState {
    return this.current;
  }

  /** What the server offers, or offered when it was last connected. */
  get offer(): McpOffer {
    return this.offered;
  }

  /** What the server said when it last asked for a login. */
  get challenge(): Challenge {
    return this.lastChallenge;
  }

  private get timeoutSeconds(): number {
    return this.entry.config.timeout ?? DEFAULT_TIMEOUT_S;
  }

  private get who(): string {
    return `MCP server "${this.entry.name}"`;
  }

  /** Opens the connection unless it is open; the result is {@link state}. Never rejects. */
  async connect(): Promise<void> {
    await this.connected().catch(() => undefined); // The error is in `state`.
  }

  /** Closes the connection and opens it again. Never rejects. */
  async restart(): Promise<void> {
    await this.stop();
    await this.connect();
  }

  /** Closes the connection. Call this when the login of this server was deleted. */
  async loggedOut(): Promise<void> {
    await this.stop();
    if (!this.isOver()) this.become({ type: 'needsLogin' });
  }

  /** Closes the connection and ends the server; resolves when no process of it runs any more. Never rejects. */
  async close(): Promise<void> {
    this.ending.abort();
    await this.stop();
    this.become({ type: 'closed' });
    this.changeEmitter.dispose();
  }

  /**
   * Sends a request, after opening the connection if it was lost, and returns the answer unchanged.
   * @throws {@link ServerRequestError}, or Error `Operation aborted` after an abort, or Error when it cannot connect
   */
  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: ServerRequestOptions = {},
  ): Promise<Readonly<Record<string, unknown>>> {
    for (let attempt = 1; ; attempt += 1) {
      const open = await this.connected(options.signal);
      try {
        return await this.ask(open, method, params, options);
      } catch (error) {
        const next = await this.afterFailure(error, open, attempt, options);
        if (next !== 'again') throw next;
      }
    }
  }

  private async ask(
    { client }: Open,
    method: string,
    params: Readonly<Record<string, unknown>>,
    { signal, onProgress }: ServerRequestOptions,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { ResultSchema } = await import('./sdk');
    return client.request({ method, params }, ResultSchema, {
      timeout: this.timeoutSeconds * 1000,
      resetTimeoutOnProgress: true,
      ...defined({ signal }),
      ...(onProgress === undefined
        ? {}
        : {
            onprogress: ({ progress, total, message }) =>
              onProgress(message ?? `Progress ${progress}${total === undefined ? '' : `/${total}`}`),
          }),
    });
  }

  /** The error to throw for a failed request, or `again` if the request must be sent again. */
  private async afterFailure(
    error: unknown,
    open: Open,
    attempt: number,
    { signal, repeatable = false }: ServerRequestOptions,
  ): Promise<Error | 'again'> {
    if (signal?.aborted === true) return new Error(ABORTED_TEXT, { cause: error });
    const sdk = await import('./sdk');
    const status = error instanceof sdk.StreamableHTTPError ? error.code : undefined;
    if (attempt === 1 && status === 404) {
      // The server does not know the session, for example after a restart, so it did not carry out the request.
      if (this.open === open) await this.drop();
      return 'again';
    }
    if (attempt === 1 && repeatable && isPassing(status, error)) {
      await sleep(RETRY_PAUSES_MS[0] ?? 0, this.ending.signal);
      return 'again';
    }
    if (error instanceof LoginNeeded || error instanceof sdk.UnauthorizedError) {
      await this.drop();
      if (!this.isOver()) this.become({ type: 'needsLogin' });
      return new Error(this.loginText(), { cause: error });
    }
    const code = error instanceof sdk.McpError ? error.code : undefined;
    return new ServerRequestError(this.failureText(error, open, sdk), code, error);
  }

  private failureText(error: unknown, { client, transport }: Open, sdk: Sdk): string {
    if (this.isOver()) return `${this.who} was stopped.`;
    if (isTimeout(error, sdk)) {
      return `${this.who} did not answer within ${this.timeoutSeconds} seconds.`;
    }
    if (error instanceof sdk.McpError && error.code === CLOSED && client.transport === undefined) {
      return `${this.who} is no longer connected: ${this.goneText(transport)}`;
    }
    // The library's prefix is of no use for the model.
    const text = messageOf(error).replace(/^MCP error -?\d+: /, '');
    return `${this.who}: ${hideSecrets(text)}`;
  }

  private goneText(transport: Transport): string {
    const why = transport instanceof StdioTransport ? transport.endedBecause : undefined;
    const tail = this.parts.log.stderrTail;
    return `${why ?? 'the connection was closed'}.${tail === '' ? '' : `\n${tail}`}`;
  }

  private loginText(): string {
    const { config, name } = this.entry;
    const provider = isStdio(config) ? undefined : config.auth?.provider;
    return `${this.who} needs a login. ${provider === undefined ? `/mcp login ${name}` : `/login ${provider}`} logs in.`;
  }

  private connected(signal?: AbortSignal): Promise<Open> {
    if (signal?.aborted === true) return Promise.reject(new Error(ABORTED_TEXT));
    if (this.isOver()) return Promise.reject(new Error(`${this.who} was stopped.`));
    if (this.open !== undefined) return Promise.resolve(this.open);
    this.opening ??= this.reopen().finally(() => {
      this.opening = undefined;
    });
    return unlessAborted(this.opening, signal, () => {
      throw new Error(ABORTED_TEXT);
    });
  }

  private async reopen(): Promise<Open> {
    this.become({ type: 'connecting' });
    const pauses = isStdio(this.entry.config) ? [] : RETRY_PAUSES_MS;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.openOnce();
      } catch (error) {
        const sdk = await import('./sdk');
        const status = error instanceof sdk.StreamableHTTPError ? error.code : undefined;
        const pause = isPassing(status, error) ? pauses[attempt] : undefined;
        if (pause === undefined || !(await sleep(pause, this.ending.signal))) throw this.connectFailed(error, sdk);
      }
    }
  }

  private async openOnce(): Promise<Open> {
    const { log } = this.parts;
    log.restarted();
    const sdk = await import('./sdk');
    const transport = await openTransport(this.entry, this.parts, {
      onStderr: text => log.addStderr(text),
      onChallenge: challenge => (this.lastChallenge = challenge),
    });
    const client = this.clientFor(sdk);
    const open = { client, transport };
    this.stopOpening = () => client.close();
    try {
      this.ending.signal.throwIfAborted();
      await client.connect(transport, { timeout: this.timeoutSeconds * 1000 });
      const offer = await readOffer(client, this.timeoutSeconds * 1000, sdk);
      this.ending.signal.throwIfAborted();
      client.onclose = () => this.lost(open);
      this.open = open;
      this.offered = offer;
      for (const problem of offer.problems) log.add(problem);
      log.add(`Connected: ${offer.tools.length} tools`);
      this.become({ type: 'connected' });
      return open;
    } catch (error) {
      const why = transport instanceof StdioTransport ? transport.endedBecause : undefined;
      await client.close();
      if (why === undefined || error instanceof LoginNeeded) throw error;
      throw new Error(why, { cause: error });
    } finally {
      this.stopOpening = undefined;
    }
  }

  private clientFor(sdk: Sdk): Client {
    const { root, log, file, version } = this.parts;
    const client = new sdk.Client(
      { name: 'hookline', version },
      {
        capabilities: { roots: {} },
        // Hookline checks answers itself; no code is generated from a server's schemas.
        jsonSchemaValidator: {
          getValidator: () => () => ({ valid: false, data: undefined, errorMessage: 'not checked' }),
        },
      },
    );
    client.setRequestHandler(sdk.ListRootsRequestSchema, () => ({
      roots: [{ uri: pathToFileURL(root).href, name: basename(root) }],
    }));
    client.setNotificationHandler(sdk.LoggingMessageNotificationSchema, ({ params: { level, logger, data } }) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      file.write(this.entry.name, level, logger === undefined ? text : `${logger}: ${text}`);
      log.add(`${level} ${text}`);
    });
    const changed = (): void => this.offerChanged(client);
    client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, changed);
    client.setNotificationHandler(sdk.PromptListChangedNotificationSchema, changed);
    client.onerror = error => log.add(messageOf(error));
    return client;
  }

  /** Reads the offer again. If more changes arrive meanwhile, it is read once more afterwards. */
  private offerChanged(client: Client): void {
    this.stale = client;
    this.refreshing ??= this.refresh().finally(() => (this.refreshing = undefined));
  }

  private async refresh(): Promise<void> {
    for (let client = this.stale; client !== undefined; client = this.stale) {
      this.stale = undefined;
      try {
        const offer = await readOffer(client, this.timeoutSeconds * 1000, await import('./sdk'));
        if (this.open?.client === client) {
          this.offered = offer;
          for (const problem of offer.problems) this.parts.log.add(problem);
          this.changeEmitter.fire();
        }
      } catch (error) {
        this.parts.log.add(`The changed list could not be read: ${messageOf(error)}`);
      }
      await sleep(REFRESH_PAUSE_MS, this.ending.signal);
    }
  }

  private connectFailed(error: unknown, sdk: Sdk): Error {
    if (this.isOver()) return new Error(`${this.who} was stopped.`);
    if (error instanceof LoginNeeded || error instanceof sdk.UnauthorizedError) {
      this.become({ type: 'needsLogin' });
      return new Error(this.loginText());
    }
    const why = isTimeout(error, sdk)
      ? `it did not answer within ${this.timeoutSeconds} seconds`
      : hideSecrets(messageOf(error).replace(/^MCP error -?\d+: /, ''));
    const tail = this.parts.log.stderrTail;
    const text = tail === '' ? why : `${why}\n${tail}`;
    this.parts.log.add(`Not connected: ${why}`);
    this.become({ type: 'failed', error: text });
    return new Error(`${this.who} cannot be reached: ${text}`, { cause: error });
  }

  private lost(open: Open): void {
    if (this.open !== open || this.isOver()) return;
    this.open = undefined;
    const error = this.goneText(open.transport);
    this.parts.log.add(`Disconnected: ${error}`);
    this.become({ type: 'disconnected', error });
  }

  /** Closes the connection, or ends the attempt to open it. */
  private async stop(): Promise<void> {
    await this.stopOpening?.();
    await this.opening?.catch(() => undefined);
    await this.drop();
  }

  private async drop(): Promise<void> {
    const { open } = this;
    this.open = undefined;
    await open?.client.close();
  }

  private isOver(): boolean {
    return this.ending.signal.aborted;
  }

  private become(state: ConnectionState): void {
    this.current = state;
    this.changeEmitter.fire();
  }
}

/** Whether the library waited too long for an answer. */
function isTimeout(error: unknown, { McpError }: Sdk): boolean {
  return error instanceof McpError && error.code === TIMED_OUT && isRecord(error.data) && 'timeout' in error.data;
}

/** Whether a failure is probably temporary: the network failed, or the server is overloaded or restarting. */
function isPassing(status: number | undefined, error: unknown): boolean {
  if (status === undefined) return error instanceof TypeError || (isRecord(error) && error['code'] === 'ECONNREFUSED');
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}
