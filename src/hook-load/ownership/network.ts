import type * as dgram from 'node:dgram';
import { EventEmitter } from 'node:events';
import type * as http from 'node:http';
import type * as http2 from 'node:http2';
import type * as https from 'node:https';
import type * as net from 'node:net';
import type * as tls from 'node:tls';
import { adoptEmitter, guardEmitter, happens, moduleWith, ownedClass, ownedFunction } from './adopt';
import type { ResourceOwner } from './resource-owner';

/** `node:net` for one scope. */
export function netModule(scope: ResourceOwner, real: typeof net): object {
  const socket = (instance: net.Socket): void => {
    adoptSocket(scope, instance, 'socket');
  };
  const server = (instance: net.Server): void => {
    adoptServer(scope, instance, 'server');
  };
  const Socket = ownedClass(real.Socket, socket);
  return moduleWith(real, {
    Server: ownedClass(real.Server, server),
    createServer: ownedFunction(real.createServer, server),
    Socket,
    Stream: Socket,
    connect: ownedFunction(real.connect, socket),
    createConnection: ownedFunction(real.createConnection, socket),
  });
}

/** `node:tls` for one scope. */
export function tlsModule(scope: ResourceOwner, real: typeof tls): object {
  const socket = (instance: net.Socket): void => {
    adoptSocket(scope, instance, 'TLS socket');
  };
  const server = (instance: net.Server): void => {
    adoptServer(scope, instance, 'TLS server');
  };
  return moduleWith(real, {
    Server: ownedClass(real.Server, server),
    createServer: ownedFunction(real.createServer, server),
    TLSSocket: ownedClass(real.TLSSocket, socket),
    connect: ownedFunction(real.connect, socket),
  });
}

/** `node:http` or `node:https` for one scope. */
export function httpModule(scope: ResourceOwner, real: typeof http | typeof https, name: 'http' | 'https'): object {
  const what = `${name} server`;
  const server = (instance: net.Server): void => {
    adoptServer(scope, instance, what);
  };
  const request = (instance: http.ClientRequest): void => {
    adoptRequest(scope, instance, `${name} request`);
  };
  const Agent = real.Agent as new (...args: never[]) => http.Agent;
  return moduleWith(real, {
    Server: ownedClass(real.Server as new (...args: never[]) => net.Server, server),
    createServer: ownedFunction(real.createServer as (...args: never[]) => net.Server, server),
    request: ownedFunction(real.request as (...args: never[]) => http.ClientRequest, request),
    get: ownedFunction(real.get as (...args: never[]) => http.ClientRequest, request),
    ...('ClientRequest' in real ? { ClientRequest: ownedClass(real.ClientRequest, request) } : {}),
    Agent: ownedClass(Agent, agent => {
      scope.own({
        what: `${name} agent`,
        kind: 'work',
        close: () => agent.destroy(),
      });
    }),
  });
}

/** `node:http2` for one scope. */
export function http2Module(scope: ResourceOwner, real: typeof http2): object {
  const server = (instance: net.Server): void => {
    adoptServer(scope, instance, 'http2 server');
  };
  return moduleWith(real, {
    createServer: ownedFunction(real.createServer as (...args: never[]) => net.Server, server),
    createSecureServer: ownedFunction(real.createSecureServer as (...args: never[]) => net.Server, server),
    connect: ownedFunction(real.connect, session => {
      const close = (): void => {
        session.destroy();
      };
      adoptEmitter(scope, session, { what: 'http2 session', kind: 'work', close });
    }),
  });
}

/** `node:dgram` for one scope. */
export function dgramModule(scope: ResourceOwner, real: typeof dgram): object {
  const socket = (instance: dgram.Socket): void => {
    const close = async (): Promise<void> => {
      const closed = happens(instance, 'close');
      try {
        instance.close();
        await closed;
      } catch {
        // The socket was already closed.
      }
    };
    adoptEmitter(scope, instance, { what: 'UDP socket', kind: 'listener', close });
  };
  return moduleWith(real, {
    createSocket: ownedFunction(real.createSocket, socket),
    Socket: ownedClass(real.Socket, socket),
  });
}

/** Events that pass emitters to the hook's listeners, which may add listeners to them. */
const HANDS_OVER = new Set(['request', 'checkContinue', 'checkExpectation', 'upgrade', 'connect', 'stream', 'session']);
const CONNECTS = new Set(['connection', 'secureConnection']);

/** Makes the scope own a server with its connections, and guards the emitters that the server passes to the hook. */
function adoptServer(scope: ResourceOwner, server: net.Server, what: string): void {
  const sockets = new Set<net.Socket>();
  const close = async (): Promise<void> => {
    const closed = new Promise<void>(resolve => {
      server.close(() => {
        resolve(); // Also called with an error if the server was not running; then there is nothing to wait for.
      });
    });
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  adoptEmitter(
    scope,
    server,
    { what, kind: 'listener', close },
    {
      observe: (event, args) => {
        // The scope was released while `listen` was looking up its host.
        if (event === 'listening' && scope.isReleased) void close();
        if (typeof event !== 'string') return;
        if (CONNECTS.has(event)) hold(scope, sockets, args[0], what);
        else if (HANDS_OVER.has(event)) guardAll(scope, args, what);
      },
    },
  );
}

function hold(scope: ResourceOwner, sockets: Set<net.Socket>, connection: unknown, what: string): void {
  const socket = connection as net.Socket;
  if (scope.isReleased) {
    socket.destroy();
    return;
  }
  sockets.add(socket);
  guardEmitter(scope, socket, `connection to ${what}`, event => {
    if (event === 'close') sockets.delete(socket);
  });
}

function guardAll(scope: ResourceOwner, args: readonly unknown[], what: string): void {
  for (const part of args) if (isEmitter(part)) guardEmitter(scope, part, `request to ${what}`);
}

function adoptSocket(scope: ResourceOwner, socket: net.Socket, what: string): void {
  const close = (): void => {
    socket.destroy();
  };
  adoptEmitter(scope, socket, { what, kind: 'work', close });
}

function adoptRequest(scope: ResourceOwner, request: http.ClientRequest, what: string): void {
  const close = (): void => {
    request.destroy();
  };
  const observe = (event: string | symbol, args: readonly unknown[]): void => {
    if (event === 'response' && isEmitter(args[0])) guardEmitter(scope, args[0], `response to ${what}`);
  };
  adoptEmitter(scope, request, { what, kind: 'work', close }, { observe });
}

function isEmitter(value: unknown): value is EventEmitter {
  return value instanceof EventEmitter;
}
