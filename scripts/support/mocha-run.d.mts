export const LINE_MARK: string;

export interface MochaOptions {
  readonly files: string[];
  readonly grep?: string | undefined;
  /** Milliseconds per test. */
  readonly timeout: number;
  /** Puts LINE_MARK before each line of the report. */
  readonly markLines?: boolean | undefined;
  readonly resultFile?: string | undefined;
}
export function runMocha(options: MochaOptions): Promise<{ passed: number; failed: number; skipped: number }>;
