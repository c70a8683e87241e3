/** The command line asks for something that is not there or makes no sense: told by its text alone, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Hookline cannot start as it was asked to: told by its text alone, exit code 1. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
