import { homedir } from 'node:os';
import { parse } from 'node:path';
import type { Machine } from './agent-files';

/** The machine and user of a process. */
export function machineOf({ env, platform }: Pick<NodeJS.Process, 'env' | 'platform'>): Machine {
  const given = platform === 'win32' ? env['USERPROFILE'] : env['HOME'];
  const home = given === undefined || given === '' ? homedir() : given;
  return { env, home, platform, root: parse(home).root };
}
