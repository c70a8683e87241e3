import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Program } from '../modes/support/cli';

/** Says where real peers are installed: JSON of version to package folder, set by `npm run test:peers`. */
const PEERS_ENV = 'HOOKLINE_PEERS';

/** The name of the pi that we follow; scripts/peers/package.json says which version that is. */
export const TODAY = 'today';

/**
 * The package folder of a peer: {@link TODAY}, an earlier version of pi, or `pi-acp`; and for `packages`, `mcp` and `acp`, the
 * folders in which packages of pi, what the MCP project tests with, and clients of the Agent Client Protocol are installed.
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
  const version = name === TODAY ? versionOf(folder) : name;
  describe(`${title} (${/^\d/.test(version) ? `pi ${version}` : name})`, () => body(folder));
}

function versionOf(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string }).version;
}

/** How the real pi of today runs, for `CliPlace.run`, `CliPlace.start` and `RpcHost.start`: on our Node, with nothing from outside. */
export function piToday(folder: string): Program {
  return {
    cli: join(folder, 'dist', 'bundle', 'cli.js'),
    env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
  };
}
