/** The command line is wrong. Only the message is shown, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Hookline cannot start as the command line asks. Only the message is shown, without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
