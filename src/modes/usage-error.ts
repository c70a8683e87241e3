/** The command line asks for something that does not exist or makes no sense: told by its text alone. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Hookline cannot start as it was asked to: told by its text alone. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
