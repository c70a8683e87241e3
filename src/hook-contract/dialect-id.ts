/**
 * The descriptions of pi's hooks, oldest first; `pi` is today's pi. Hooks for pi 0.31 to 0.34 run as `omp` or `tree`, hooks
 * older than v1 as `v1`.
 */
export type DialectId = 'v1' | 'v2' | 'tree' | 'omp' | 'ext' | 'pi';

/** Why a file counts as one dialect, for people. */
export interface DialectTag {
  readonly id: DialectId;
  /** The evidence that decided, e.g. "imports @oh-my-pi/pi-coding-agent/hooks". */
  readonly because: string;
  /** True when set by `// @pi-dialect` or by the setting. */
  readonly overridden: boolean;
}
