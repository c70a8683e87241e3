import type { CustomMessage } from '../agent/messages';

/** `customType` of the message about the end of a command that ran on. */
export const COMMAND_END = 'hookline.commandEnd';
/** `customType` of the message about a call that the user ran again. */
export const RUN_AGAIN = 'hookline.runAgain';
/** `customType` of the message about files that the user reverted. */
export const REVERTED = 'hookline.revert';
/** `customType` of the message that tells the model which rule it broke. */
export const RULE_MESSAGE = 'ttsr';

const OWN: ReadonlySet<string> = new Set([COMMAND_END, RUN_AGAIN, REVERTED, RULE_MESSAGE]);

/** Whether Hookline itself put the message into the conversation; all other custom messages are of hooks. */
export function isOwnMessage({ customType }: Pick<CustomMessage, 'customType'>): boolean {
  return OWN.has(customType);
}
