import { join } from 'node:path';
import { onPath } from '../../agent/tools/shell/shell';
import { isFile } from '../../base/files/on-disk';
import { AGENT_IDS, type AgentId } from '../protocol/agent-call';
import type { GuardPlace } from '../protocol/place';
import type { Machine } from './this-machine';

/**
 * The command that an agent runs for an event. A repository may set variables for what its agent runs: the path of bash keeps
 * PATH and functions from choosing another program, and `-p` keeps bash from reading options, functions and a start file.
 */
export function clientCommand(
  { client, nodeClient }: Pick<GuardPlace, 'client' | 'nodeClient'>,
  agent: AgentId,
  event: string,
  machine: ClientMachine,
): string {
  if (machine.platform === 'win32') return `node "${nodeClient}" ${agent} ${event}`;
  return `${bashOf(machine)} -p '${client.replaceAll("'", String.raw`'\''`)}' ${agent} ${event}`;
}

/** The program of our MCP server, as an agent starts it; see {@link clientCommand}. */
export function toolServerCommand(
  { toolServer, nodeToolServer }: Pick<GuardPlace, 'toolServer' | 'nodeToolServer'>,
  machine: ClientMachine,
): ServerCommand {
  if (machine.platform === 'win32') return { command: 'node', args: [nodeToolServer] };
  return { command: bashOf(machine), args: ['-p', toolServer] };
}

/** What the choice of the program depends on. */
type ClientMachine = Pick<Machine, 'env' | 'platform' | 'exists'>;

/** A program with its arguments. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Where there is none, entries are only read and taken out, see {@link requireClientProgram}. */
function bashOf(machine: ClientMachine): string {
  return bashPath(machine) ?? 'bash';
}

/** The usual places come first, so that all windows and terminals write the same. */
function bashPath({ env, platform, exists = isFile }: ClientMachine): string | undefined {
  const places = ['/bin/bash', '/usr/bin/bash', ...onPath('bash', { env, platform })];
  return places.find(path => PLAIN_PATH.test(path) && exists(path));
}

/**
 * To be called before entries are written: an agent that cannot start the client may run its calls.
 * @throws Error that says what is missing
 */
export function requireClientProgram(machine: ClientMachine): void {
  if (machine.platform === 'win32' || bashPath(machine) !== undefined) return;
  throw new Error('bash was not found, and agents need it to ask Hookline. Install bash.');
}

/** A path that a shell takes as it is. */
const PLAIN_PATH = /^[\w./+-]+$/;

/** The last parts of the path of a client in any guard folder, whichever folder for state it is in. */
const CLIENT_END = join('guard', 'client').replaceAll('\\', '[\\\\/]');
const COMMAND = new RegExp(
  `^(?:(?:/[\\w./+-]+/)?bash(?: -p)? '.*${CLIENT_END}\\.sh'|node ".*${CLIENT_END}\\.mjs") (?:${AGENT_IDS.join('|')}) \\w+$`,
);

/** Whether a command calls our client, of this or another guard folder, also as earlier versions wrote it. */
export function isClientCommand(command: unknown): command is string {
  return typeof command === 'string' && COMMAND.test(command);
}

const SERVER_END = /[\\/]guard[\\/]tools\.(?:sh|mjs)$/;

/** Whether these are arguments that start our MCP server, of this or another guard folder. */
export function isToolServer(args: unknown): boolean {
  const last: unknown = Array.isArray(args) ? args.at(-1) : undefined;
  return typeof last === 'string' && SERVER_END.test(last);
}
