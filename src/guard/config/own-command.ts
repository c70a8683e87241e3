import { join } from 'node:path';
import type { AgentId } from '../protocol/agent-call';
import type { GuardPlace } from '../protocol/place';

/** The command that an agent runs for an event. */
export function ownCommand(
  { client, nodeClient }: Pick<GuardPlace, 'client' | 'nodeClient'>,
  agent: AgentId,
  event: string,
  platform: NodeJS.Platform,
): string {
  if (platform === 'win32') return `node "${nodeClient}" ${agent} ${event}`;
  return `bash '${client.replaceAll("'", String.raw`'\''`)}' ${agent} ${event}`;
}

/** The last parts of the path of a client in any guard folder, whichever folder for state it is in. */
const CLIENT_END = join('guard', 'client').replaceAll('\\', '[\\\\/]');
const COMMAND = new RegExp(
  `^(?:bash '.*${CLIENT_END}\\.sh'|node ".*${CLIENT_END}\\.mjs") (?:claude|copilot|codex) \\w+$`,
);

/** Whether a command calls our client, of this or another guard folder. */
export function isOwnCommand(command: unknown): command is string {
  return typeof command === 'string' && COMMAND.test(command);
}
