export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface SuiteResult extends Counts {
  /** Why a suite counts as failed beyond its failed tests. */
  readonly problem?: string;
  /** Files that passed only at the second try. */
  readonly unsteady?: string;
  readonly files?: Readonly<Record<string, Counts>>;
}

export function withSecondTry(
  suite: string,
  files: readonly string[],
  run: (files: readonly string[]) => Promise<SuiteResult>,
): Promise<SuiteResult>;
