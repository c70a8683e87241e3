import { isDeepStrictEqual } from 'node:util';
import type { AgentNaming } from '../../hook-load/shell/tool-names';
import type { GuardedEventOf, EventAnswer, TranslatedCall } from './agent';
import { CannotChangeError, changedArguments } from './tool-calls';

/** A call that hooks changed, and its new arguments with pi's names. */
export interface ChangedCall {
  readonly call: TranslatedCall;
  readonly changed: Readonly<Record<string, unknown>>;
}

/**
 * The one call of an event, where hooks changed it; undefined where they changed nothing.
 * @throws {CannotChangeError} where the agent's call is several calls here
 */
export function changedCall(
  { calls, original }: GuardedEventOf<'tool_call'>,
  inputs: EventAnswer['input'],
): ChangedCall | undefined {
  if (inputs === undefined || calls.every(({ input }, index) => isDeepStrictEqual(input, inputs[index]))) {
    return undefined;
  }
  const [call] = calls;
  const [changed] = inputs;
  if (call === undefined || changed === undefined || calls.length > 1 || inputs.length > 1) {
    throw new CannotChangeError(`A hook changed one of the ${calls.length} calls that ${original.name} makes at once.`);
  }
  return { call, changed };
}

/**
 * The arguments for the agent's tool where hooks changed those of its call; undefined where they changed nothing.
 * @throws {CannotChangeError}
 */
export function changedInput(
  event: GuardedEventOf<'tool_call'>,
  inputs: EventAnswer['input'],
  namings: readonly AgentNaming[],
): Record<string, unknown> | undefined {
  const change = changedCall(event, inputs);
  return change === undefined ? undefined : changedArguments(event.original, change, { namings, cwd: event.cwd });
}
