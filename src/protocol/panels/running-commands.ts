import { number, object, oneOf, optional, tagged, text, type MessageOf, type Of } from '../base/shape';

/** The commands of calls that a user can watch, let run on, and stop. */

/** A command that runs on although its call has returned. */
export const RunningRow = object({
  /** Id of the item of its call. */
  id: text,
  command: text,
  /** In ms since 1970. */
  startedAt: number,
  /** `ending`: it was stopped, and has not ended yet. */
  state: oneOf('runningOn', 'ending'),
});
export type RunningRow = Of<typeof RunningRow>;

/**
 * What became of the command of a call, where that is more than the state of the call says. `waitedFor`: the call waits for it
 * and may be let return. The others have returned already. `left`: the conversation or its window ended first.
 */
export const CommandState = tagged('type', {
  waitedFor: {},
  runningOn: { startedAt: number },
  ending: {},
  ended: { exitCode: optional(number) },
  stopped: {},
  timedOut: {},
  left: {},
});
export type CommandState = Of<typeof CommandState>;

/** Page to host; `id` is that of the item of the call. */
export const CommandsToHost = {
  /** Shows the output in a terminal tab. */
  showCommand: { id: text },
  /** Lets the call return at once, and the command run on. */
  runCommandOn: { id: text },
  stopCommand: { id: text },
};
export type CommandsToHost = MessageOf<typeof CommandsToHost>;
