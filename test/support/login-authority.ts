import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An authorization server (OAuth) on this machine that knows one code, `right`, and gives the token `secret` for it. Its
 * page lets everybody in at once.
 */
export class LoginAuthority {
  /** What the server that it guards is called at; said when somebody asks for it. */
  resource = '';
  /** The page where people log in; undefined: the own one. */
  page: string | undefined;
  /** The paths that were asked for. */
  readonly asked: string[] = [];

  private constructor(private readonly server: Server) {}

  static async open(): Promise<LoginAuthority> {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const authority = new LoginAuthority(server);
    server.on('request', (request, response) => {
      let body = '';
      request.on('data', chunk => (body += String(chunk)));
      request.on('end', () => authority.answer(new URL(request.url ?? '/', authority.origin), body, response));
    });
    return authority;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What a server says that sends people here. */
  get challenge(): string {
    return `Bearer resource_metadata="${this.origin}/resource"`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private answer(url: URL, body: string, response: ServerResponse): void {
    this.asked.push(url.pathname);
    if (url.pathname === '/authorize') {
      response.writeHead(302, { location: backFrom(url).href }).end();
      return;
    }
    const said = this.said(url.pathname, body);
    response.writeHead(said === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(said ?? {}));
  }

  private said(path: string, body: string): object | undefined {
    const { origin } = this;
    switch (path) {
      case '/resource':
        return { resource: this.resource, authorization_servers: [origin] };
      case '/.well-known/oauth-authorization-server':
        return {
          issuer: origin,
          authorization_endpoint: this.page ?? `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        };
      case '/register':
        return { ...(JSON.parse(body) as object), client_id: 'me' };
      case '/token':
        return new URLSearchParams(body).get('code') === 'right'
          ? { access_token: 'secret', token_type: 'Bearer', expires_in: 3600, refresh_token: 'again' }
          : undefined;
      default:
        return undefined;
    }
  }
}

/** Where the page sends the browser of somebody who allows it. */
export function backFrom(page: URL): URL {
  const back = new URL(page.searchParams.get('redirect_uri') ?? '');
  back.searchParams.set('code', 'right');
  back.searchParams.set('state', page.searchParams.get('state') ?? '');
  return back;
}
