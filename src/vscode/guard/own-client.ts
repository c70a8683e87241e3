import { join } from 'node:path';
import { installClient } from '../../guard/client/install-client';
import type { GuardPlace } from '../../guard/protocol/place';

/** The files of the extension. */
export interface ExtensionFiles {
  /** Absolute. */
  readonly dir: string;
  readonly version: string;
}

/** Puts the clients of this version in place; they start its command line as host. Rejects when the disk does. */
export async function installOwnClient(place: GuardPlace, { dir }: ExtensionFiles): Promise<void> {
  const dist = join(dir, 'dist');
  await installClient(place, dist, { node: process.execPath, cli: join(dist, 'cli.js') });
}
