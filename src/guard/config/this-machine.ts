import { homedir } from 'node:os';
import { parse } from 'node:path';

/** The machine whose agents are guarded. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Absolute path below which the files of the system are: `/`, and another folder in tests. */
  readonly root: string;
  /** Whether there is a program of this path; absent: as on the disk. */
  readonly exists?: (path: string) => boolean;
}

/** The machine and user of a process. */
export function machineOf({ env, platform }: Pick<NodeJS.Process, 'env' | 'platform'>): Machine {
  const given = platform === 'win32' ? env['USERPROFILE'] : env['HOME'];
  const home = given === undefined || given === '' ? homedir() : given;
  return { env, home, platform, root: parse(home).root };
}
