import { join } from 'node:path';
import { installClient } from '../../guard/client/install-client';
import type { GuardPlace } from '../../guard/protocol/place';
import { programOf, type GuardProgram } from '../../guard/protocol/program';

/** The files of the extension. */
export interface ExtensionFiles {
  /** Absolute. */
  readonly dir: string;
  readonly version: string;
}

/** Puts the clients of this version in place; they start its command line as host, with this agent folder of pi. Rejects when the disk does. */
export async function installOwnClient(place: GuardPlace, { dir }: ExtensionFiles, agentDir: string): Promise<void> {
  await installClient(place, join(dir, 'dist'), programOf(ownProgram({ dir }), process.env, agentDir));
}

/** The command line of this version, as a program of Node. In the desktop, the program of the extension host is Electron. */
export function ownProgram({ dir }: Pick<ExtensionFiles, 'dir'>): Pick<GuardProgram, 'node' | 'cli'> {
  return { node: process.execPath, cli: join(dir, 'dist', 'cli.js') };
}
