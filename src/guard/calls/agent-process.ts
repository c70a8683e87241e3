import { basename } from 'node:path';
import { readAncestors } from '../../base/ending/ancestors';
import { readProcessRow } from '../../base/ending/process-table';
import { isCode } from '../../base/errors';
import type { AgentCall } from '../protocol/agent-call';

/** The process of an agent. */
export interface AgentProcess {
  /** Whether it has ended. */
  isOver(): boolean;
}

/** Programs that agents put between themselves and the client. */
const BETWEEN: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'fish', 'env', 'timeout']);

/**
 * The process of the agent that made a call: the nearest one above the client that is no shell. Undefined where the system
 * does not show it.
 */
export function findAgentProcess({ parentPid }: Pick<AgentCall, 'parentPid'>): AgentProcess | undefined {
  if (parentPid <= 1) return undefined;
  const found = readAncestors(parentPid).find(({ words: [program = ''] }) => !BETWEEN.has(basename(program)));
  return found === undefined || found.pid <= 1 ? undefined : processOf(found.pid);
}

/** The process that has this id now. */
export function processOf(pid: number): AgentProcess {
  const begun = startOf(pid);
  return { isOver: () => !isThere(pid) || startOf(pid) !== begun };
}

/** Tells a process from a later one with the same id, on Linux. */
function startOf(pid: number): number | undefined {
  return process.platform === 'linux' ? readProcessRow(pid)?.startedAt : undefined;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}
