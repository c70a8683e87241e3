import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as l10n from '@vscode/l10n';
import { deferred } from '../../base/async/wait';
import { errorCode } from '../../agent/tools/result';
import type { LoginSettings } from './login-provider';

/** The result with which the browser returns from a login: the code, or the reason why there is none. */
export type CallbackResult =
  | { readonly type: 'code'; readonly code: string; readonly state: string | undefined }
  | { readonly type: 'refused'; readonly reason: string };

/** A small server on this machine to which the browser returns from a login. */
export class CallbackServer {
  private readonly arrived = deferred<CallbackResult>();

  private constructor(
    private readonly server: Server,
    /** The URL that is sent to the authorization server. */
    readonly url: string,
  ) {}

  /**
   * Listens at the address in the settings, or else at the first of `before`, for which a client was registered, or
   * else at any port. If the port is not set in the settings and is in use, any other port is used.
   * @throws Error that names the port of the settings when it cannot be used
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
    // A configured URL is sent unchanged, because some servers compare it character by character.
    const url =
      callbackUrl !== undefined && wanted.port !== ''
        ? callbackUrl
        : `http://${wanted.hostname}:${actual}${wanted.pathname}`;
    const way = new CallbackServer(server, url);
    server.on('request', (request, response) => way.take(request.url ?? '/', response));
    return way;
  }

  /** Resolves when the browser returns from the login. */
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

/** The result in the URL to which the browser was sent; undefined when the URL contains none. */
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
  return l10n.t('The login cannot use port {0}: {1}', port, why);
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}
