import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

const HOST = '127.0.0.1';
/** How the page of VS Code's server says that it was started with the driver. */
const DRIVER = '&quot;enableSmokeTestDriver&quot;:true';

/** Headers that fit only the body as the server sent it. */
const OF_THE_BODY: readonly string[] = ['content-length', 'transfer-encoding', 'etag'];

/** What passes the requests of a browser on to a server. */
export interface PageProxy {
  readonly url: string;
  close(): void;
}

/**
 * Passes everything on to VS Code's server at `target` on 127.0.0.1, from another port: any free one when `port` is 0. A
 * server with the driver for smoke tests lets hooks be debugged, but its windows show no notifications. So only the
 * window of a debugger is told of the driver.
 */
export async function startPageProxy({
  target,
  port,
}: {
  readonly target: number;
  readonly port: number;
}): Promise<PageProxy> {
  const server = createServer((from, to) => passOn(from, to, target));
  server.on('upgrade', (from: IncomingMessage, socket: Duplex, head: Buffer) => tunnel(from, socket, head, target));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://${HOST}:${(server.address() as AddressInfo).port}/`, close };
}

function passOn(from: IncomingMessage, to: ServerResponse, port: number): void {
  const { method, url = '/', headers } = from;
  const { pathname, searchParams } = new URL(url, `http://${HOST}`);
  const isPlainWindow = pathname === '/' && searchParams.get('payload')?.includes('extensionDevelopmentPath') !== true;
  const asked = isPlainWindow ? { ...headers, 'accept-encoding': 'identity' } : headers;
  const on = request({ host: HOST, port, method, path: url, headers: asked }, answer => {
    const isPage = isPlainWindow && answer.headers['content-type']?.startsWith('text/html') === true;
    if (!isPage) {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
      return;
    }
    const parts: Buffer[] = [];
    answer.on('data', (part: Buffer) => parts.push(part));
    answer.on('end', () => {
      const page = Buffer.concat(parts).toString('utf8').replace(DRIVER, DRIVER.replace('true', 'false'));
      const kept = Object.entries(answer.headers).filter(([name]) => !OF_THE_BODY.includes(name));
      to.writeHead(answer.statusCode ?? 502, {
        ...Object.fromEntries(kept),
        'content-length': Buffer.byteLength(page),
      });
      to.end(page);
    });
  });
  on.on('error', () => to.destroy());
  to.on('close', () => on.destroy());
  from.pipe(on);
}

/** Connects a WebSocket: what the browser sent so far goes first, then all bytes in both directions. */
function tunnel({ method, url, rawHeaders }: IncomingMessage, socket: Duplex, head: Buffer, port: number): void {
  const on = connect(port, HOST, () => {
    const lines = [`${method ?? 'GET'} ${url ?? '/'} HTTP/1.1`];
    for (let at = 0; at < rawHeaders.length; at += 2) {
      lines.push(`${rawHeaders[at] ?? ''}: ${rawHeaders[at + 1] ?? ''}`);
    }
    on.write(`${lines.join('\r\n')}\r\n\r\n`);
    on.write(head);
    socket.pipe(on).pipe(socket);
  });
  for (const [one, other] of [
    [socket, on],
    [on, socket],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}
