import { isFile } from '../../../base/files/on-disk';
import { readProgram } from '../../../guard/protocol/program';
import type { GuardCommandLine } from '../guard-command-line';

/** Absolute path of the client that the configurations of agents name. */
export function clientOf({ place, process }: Pick<GuardCommandLine, 'place' | 'process'>): string {
  return process.platform === 'win32' ? place.nodeClient : place.client;
}

/** Why no agent can be checked, whatever its configuration says; undefined if the client and its host's program are there. */
export function clientProblem(line: Pick<GuardCommandLine, 'place' | 'process'>): string | undefined {
  const client = clientOf(line);
  if (!isFile(client)) return `nothing is checked: ${client} is not there`;
  const program = readProgram(line.place);
  if (program === undefined) return `the host cannot start: ${line.place.program} does not name its program`;
  const gone = [program.node, program.cli].find(path => !isFile(path));
  return gone === undefined ? undefined : `the host cannot start: ${gone} is not there`;
}
