import { connect, createServer as createNetServer, type AddressInfo, type Server } from 'node:net';
import { Loading } from '../support/loading';
import { TempFiles } from '../support/temp-files';
import type { OwnershipScope } from '../../../src/hook-load/ownership/scope';

/** A hook of one file whose factory has run. */
export class RunningHook {
  readonly loading: Loading;
  scope!: OwnershipScope;

  constructor(files: Readonly<Record<string, string>>) {
    this.loading = new Loading(new TempFiles(files));
  }

  /** Loads `h.ts`, runs its factory with `argument`, and gives what it returns. */
  async run<T>(argument?: unknown): Promise<T> {
    const module = await this.loading.load('h.ts');
    this.scope = this.loading.scopes.at(-1)!;
    return (await module.factory(argument)) as T;
  }

  /** The texts of what was reported, with what failed. */
  get reports(): string[] {
    return this.loading.reports.map(
      ({ error, where }) => `${where}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** A port on which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createNetServer();
  await listening(server);
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

/** Starts listening on a free port of 127.0.0.1. */
export function listening(server: Server, port = 0): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** Resolves when somebody accepts connections on a port of 127.0.0.1; the guard of the test ends a wait in vain. */
export async function untilListening(port: number): Promise<void> {
  const isAccepted = (): Promise<boolean> =>
    new Promise(resolve => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  while (!(await isAccepted())) await new Promise(resolve => setTimeout(resolve, 5));
}

/** True when a server can be started on the port right now. */
export async function isFree(port: number): Promise<boolean> {
  const server = createNetServer();
  try {
    await listening(server, port);
    return true;
  } catch {
    return false;
  } finally {
    await new Promise(resolve => server.close(resolve));
  }
}
