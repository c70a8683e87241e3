/** What one installation, update or removal reports to, and what ends it. */
export interface InstallRun {
  readonly signal: AbortSignal;
  /** Gets what is being done now, in a few words. */
  readonly progress: (text: string) => void;
}
