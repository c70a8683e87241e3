/** How one installation, update or removal reports its progress and is cancelled. */
export interface InstallRun {
  readonly signal: AbortSignal;
  /** Is called with a short text about what is being done now, for the user. */
  readonly progress: (text: string) => void;
}
