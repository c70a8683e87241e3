import { isDeepStrictEqual } from 'node:util';
import type { AgentNaming } from '../../hook-load/shell/tool-names';
import type { AgentEventOf, EventAnswer } from './agent';
import { CannotChangeError, changedArguments } from './tool-calls';

/**
 * The arguments for the agent's tool where hooks changed those of its call; undefined where they changed nothing.
 * @throws {CannotChangeError}
 */
export function changedInput(
  { calls, original, cwd }: AgentEventOf<'tool_call'>,
  inputs: EventAnswer['input'],
  namings: readonly AgentNaming[],
): Record<string, unknown> | undefined {
  if (inputs === undefined || calls.every(({ input }, index) => isDeepStrictEqual(input, inputs[index]))) return undefined;
  const [call] = calls;
  const [changed] = inputs;
  if (call === undefined || changed === undefined || calls.length > 1 || inputs.length > 1) {
    throw new CannotChangeError(`A hook changed one of the ${calls.length} calls that ${original.name} makes at once.`);
  }
  return changedArguments(original, { call, changed }, { namings, cwd });
}
