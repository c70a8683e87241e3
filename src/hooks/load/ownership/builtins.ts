import { createRequire } from 'node:module';
import type * as childProcess from 'node:child_process';
import type * as dgram from 'node:dgram';
import type * as fs from 'node:fs';
import type * as http from 'node:http';
import type * as http2 from 'node:http2';
import type * as https from 'node:https';
import type * as net from 'node:net';
import type * as readline from 'node:readline';
import type * as tls from 'node:tls';
import type * as workerThreads from 'node:worker_threads';
import { fsModule, fsPromisesModule } from './files';
import { dgramModule, http2Module, httpModule, netModule, tlsModule } from './network';
import { childProcessModule, readlineModule, workerThreadsModule } from './processes';
import type { ResourceOwner } from './resource-owner';
import { timersModule, timersPromisesModule } from './timers';

/** As the host's own `require` sees them: VS Code replaces some of them with versions that know its proxy settings. */
const real = createRequire(import.meta.url);

type Build = (scope: ResourceOwner) => object;

/** The modules of Node through which something can be opened. */
const BUILDERS: Readonly<Record<string, Build>> = {
  child_process: scope => childProcessModule(scope, real('node:child_process') as typeof childProcess),
  dgram: scope => dgramModule(scope, real('node:dgram') as typeof dgram),
  fs: scope => fsModule(scope, real('node:fs') as typeof fs, scope.builtin('fs/promises') ?? {}),
  'fs/promises': scope => fsPromisesModule(scope, real('node:fs/promises') as typeof fs.promises),
  http: scope => httpModule(scope, real('node:http') as typeof http, 'http'),
  http2: scope => http2Module(scope, real('node:http2') as typeof http2),
  https: scope => httpModule(scope, real('node:https') as typeof https, 'https'),
  net: scope => netModule(scope, real('node:net') as typeof net),
  process: scope => globalsOf(scope)['process'] as object,
  readline: scope => readlineModule(scope, real('node:readline') as typeof readline),
  'readline/promises': scope => readlineModule(scope, real('node:readline/promises') as typeof readline),
  timers: scope => timersModule(scope, globalsOf(scope)),
  'timers/promises': scope => timersPromisesModule(scope),
  tls: scope => tlsModule(scope, real('node:tls') as typeof tls),
  worker_threads: scope =>
    workerThreadsModule(scope, real('node:worker_threads') as typeof workerThreads, globalsOf(scope)),
};

/** The wrapper of a Node module for one scope; undefined for modules that open nothing. `name` is without `node:`. */
export function ownedBuiltin(scope: ResourceOwner, name: string): object | undefined {
  return Object.hasOwn(BUILDERS, name) ? BUILDERS[name]?.(scope) : undefined;
}

function globalsOf(scope: ResourceOwner): Readonly<Record<string, unknown>> {
  return scope.globals as Readonly<Record<string, unknown>>;
}
