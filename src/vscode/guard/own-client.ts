import { join } from 'node:path';
import { installClient } from '../../guard/client/install-client';
import type { GuardPlace } from '../../guard/protocol/place';
import { programOf } from '../../guard/protocol/program';

/** The files of the extension. */
export interface ExtensionFiles {
  /** Absolute. */
  readonly dir: string;
  readonly version: string;
}

/** Puts the clients of this version in place; they start its command line as host, with this agent folder of pi. Rejects when the disk does. */
export async function installOwnClient(place: GuardPlace, { dir }: ExtensionFiles, agentDir: string): Promise<void> {
  const dist = join(dir, 'dist');
  const program = { node: process.execPath, cli: join(dist, 'cli.js') };
  await installClient(place, dist, programOf(program, process.env, agentDir));
}
