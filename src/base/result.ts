/** A problem of an input, for people: what is wrong, and where. */
export interface Problem {
  readonly message: string;
  /** File the input came from, absolute. */
  readonly file?: string;
  /** 1-based. */
  readonly line?: number;
  /** 1-based. */
  readonly column?: number;
}

/** Either a value or the problems that prevented it. */
export type Result<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Problem[] };

export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function failed<T = never>(...problems: readonly Problem[]): Result<T> {
  return { ok: false, problems };
}
