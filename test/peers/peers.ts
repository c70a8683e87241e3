import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Program } from '../modes/support/cli';

/** Says where real peers are installed: JSON of version to package folder, set by `npm run test:peers`. */
const PEERS_ENV = 'HOOKLINE_PEERS';

/** The pi whose contract we follow today. */
export const TODAY = '1.6.0';

/** The newest pi that installs whole, for what can only be imported. */
export const WHOLE = '0.87.1';

/**
 * The package folder of a peer: a version of pi, `pi-acp`, `modules` for the node_modules around 0.87.1, or `packages` and
 * `mcp` for the folders in which packages of pi, and what the MCP project tests with, are installed.
 * @throws when the run does not bring it: a test beside a peer that is not there would test nothing
 */
export function peerFolder(name: string): string {
  const folders = new Map<string, unknown>(Object.entries(JSON.parse(process.env[PEERS_ENV] ?? '{}') as object));
  const folder = folders.get(name);
  if (typeof folder !== 'string') throw new Error(`"${name}" is not installed; "npm run test:peers" brings it`);
  return folder;
}

/** Loads a file of an installed pi-coding-agent by its path below `dist`. The caller states what it exports. */
export async function importPeer<T>(folder: string, file: string): Promise<T> {
  return (await import(pathToFileURL(join(folder, 'dist', file)).href)) as T;
}

/** A suite for one peer. */
export function describePeer(title: string, name: string, body: (folder: string) => void): void {
  const folder = peerFolder(name);
  describe(`${title} (${/^\d/.test(name) ? `pi ${name}` : name})`, () => body(folder));
}

/**
 * How the real pi of today runs, for `CliPlace.run`, `CliPlace.start` and `RpcHost.start`: its bundle alone on our Node. What the bundle does not hold (jiti, which loads extensions,
 * and the image library) comes from the modules of 0.87.1.
 */
export function piToday(folder: string): Program {
  return {
    cli: join(folder, 'dist', 'bundle', 'cli.js'),
    env: { NODE_PATH: peerFolder('modules'), PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
  };
}
