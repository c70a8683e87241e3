import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as l10n from '@vscode/l10n';
import { deferred } from '../../base/wait';
import { errorCode } from '../../agent/tools/result';
import type { LoginSettings } from './login-provider';

/** What the browser brought back: the code, or why there is none. */
export type CallbackResult =
  | { readonly type: 'code'; readonly code: string; readonly state: string | undefined }
  | { readonly type: 'refused'; readonly reason: string };

/** A small server on this machine to which the browser comes back from a login. */
export class CallbackServer {
  private readonly arrived = deferred<CallbackResult>();

  private constructor(
    private readonly server: Server,
    /** The address as it is sent to the authorization server. */
    readonly url: string,
  ) {}

  /**
   * Listens where the settings say, else where a client was registered for (`before`), else at any port.
   * @throws Error naming the port when it is taken
   */
  static async open(settings: LoginSettings, before: readonly string[]): Promise<CallbackServer> {
    const { callbackUrl, callbackPort } = settings;
    const wanted = new URL(callbackUrl ?? before[0] ?? 'http://127.0.0.1/callback');
    const isFixed = callbackPort !== undefined || (callbackUrl !== undefined && wanted.port !== '');
    const port = callbackPort ?? (wanted.port === '' ? 0 : Number(wanted.port));
    const host = wanted.hostname === '[::1]' ? '::1' : '127.0.0.1';
    const server = createServer();
    try {
      await listen(server, port, host);
    } catch (error) {
      if (isFixed || errorCode(error) !== 'EADDRINUSE') throw new Error(portTaken(port, error), { cause: error });
      await listen(server, 0, host);
    }
    const { port: actual } = server.address() as AddressInfo;
    // Exactly as it is configured: some servers compare letter by letter.
    const url =
      callbackUrl !== undefined && wanted.port !== ''
        ? callbackUrl
        : `http://${wanted.hostname}:${actual}${wanted.pathname}`;
    const way = new CallbackServer(server, url);
    server.on('request', (request, response) => way.take(request.url ?? '/', response));
    return way;
  }

  /** Resolves with what the browser brings. */
  get returned(): Promise<CallbackResult> {
    return this.arrived.promise;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>(resolve => this.server.close(() => resolve()));
  }

  private take(path: string, response: ServerResponse): void {
    const given = new URL(path, this.url);
    const returned = given.pathname === new URL(this.url).pathname ? readCallback(given) : undefined;
    if (returned === undefined) {
      response.writeHead(404).end();
      return;
    }
    const text =
      returned.type === 'code'
        ? l10n.t('You are logged in to the MCP server. You can close this page.')
        : l10n.t('The login to the MCP server failed: {0}', returned.reason);
    response.writeHead(returned.type === 'code' ? 200 : 400, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><meta charset="utf-8"><title>Hookline</title><p>${escaped(text)}</p>`);
    this.arrived.resolve(returned);
  }
}

/** What an address that the browser was sent to says; undefined when it says nothing of a login. */
export function readCallback(url: URL): CallbackResult | undefined {
  const code = url.searchParams.get('code');
  const error = url.searchParams.get('error');
  if (error !== null) return { type: 'refused', reason: url.searchParams.get('error_description') ?? error };
  if (code === null) return undefined;
  return { type: 'code', code, state: url.searchParams.get('state') ?? undefined };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portTaken(port: number, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return l10n.t('Port {0}, which the login returns to, cannot be used: {1}', port, why);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}
