import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentId } from '../protocol/agent-call';
import { setupOf } from './agents';
import type { GuardScope, SetupFile } from './agents/agent-setup';
import type { Machine } from './this-machine';

/** Absolute path of the agent's own folder in the user's home. */
export function agentFolder(agent: AgentId, { env, home }: Machine): string {
  const { variable, name, isHome, inVariable } = setupOf(agent).folder;
  const given = variable === undefined ? undefined : env[variable];
  if (given === undefined || given === '') return join(home, name);
  if (inVariable !== undefined) return join(given, inVariable);
  return isHome === true ? join(given, name) : given;
}

/** A file that the guard of an agent is written to. */
export interface GuardedFile extends Omit<SetupFile, 'path'> {
  /** Absolute path. */
  readonly file: string;
}

/** The files that the guard of an agent is written to; empty where the agent has no such scope. */
export function filesOfGuard(agent: AgentId, scope: GuardScope, machine: Machine): readonly GuardedFile[] {
  const base = scope === 'user' ? agentFolder(agent, machine) : machine.root;
  return setupOf(agent)
    .files(scope, machine.platform)
    .map(({ path, ...rest }) => ({ file: join(base, ...path), ...rest }));
}

/** Whether a file has at least the rights of `mode`; true for one that is missing, and on Windows, which has none of them. */
export async function hasMode(file: string, mode: number): Promise<boolean> {
  if (process.platform === 'win32') return true;
  const info = await stat(file).catch(() => undefined);
  return info === undefined || (info.mode & mode) === mode;
}
