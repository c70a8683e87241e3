import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Absolute paths of the files in the guard folder, which all windows, command lines and clients of a user share. */
export interface GuardPlace {
  /** Only its owner can open it. */
  readonly folder: string;
  /** The client that agents call, for bash. Its text is constant, since some agents trust only the file that they know. */
  readonly client: string;
  /** The same for Node, where there is no bash. */
  readonly nodeClient: string;
  /** Starts our MCP server, for bash and for Node. Agents have the path in their configuration. */
  readonly toolServer: string;
  readonly nodeToolServer: string;
  /** How the host is reached, while one runs; see `endpoint.ts`. */
  readonly endpoint: string;
  /** Which program the clients start as host; see `program.ts`. */
  readonly program: string;
  /** Is locked by the host while it runs. */
  readonly lock: string;
  /** The socket on which windows and command lines reach the host is named so, and with random letters; elsewhere when that is too long. */
  readonly socket: string;
  /** `GuardRecord` lines. */
  readonly log: string;
  /** Which agents are guarded, and how. */
  readonly guarded: string;
}

/** The guard folder below the folder for state (`src/startup/own-folders.ts`). */
export function guardPlace(stateDir: string): GuardPlace {
  const folder = join(stateDir, 'guard');
  return {
    folder,
    client: join(folder, 'client.sh'),
    nodeClient: join(folder, 'client.mjs'),
    toolServer: join(folder, 'tools.sh'),
    nodeToolServer: join(folder, 'tools.mjs'),
    endpoint: join(folder, 'endpoint'),
    program: join(folder, 'program'),
    lock: join(folder, 'host'),
    socket: join(folder, 'host.sock'),
    log: join(folder, 'log.jsonl'),
    guarded: join(folder, 'guarded.json'),
  };
}

/** Makes the guard folder; one that others could open is closed to them. Rejects when the disk does. */
export async function makeGuardFolder({ folder }: GuardPlace): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}
