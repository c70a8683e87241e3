import { homedir } from 'node:os';
import { parse } from 'node:path';
import type { Machine } from '../../guard/config/agent-files';

/** The machine and user of a process. */
export function machineOf({ env, platform }: Pick<NodeJS.Process, 'env' | 'platform'>): Machine {
  const home = homedir();
  return { env, home, platform, root: parse(home).root };
}
