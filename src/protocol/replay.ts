/** What the page of a replay and its host say to each other. */

export type ReplayRowStatus = 'same' | 'changed' | 'unsure' | 'skipped';

/** One handler of an event, before and now. Values are plain JSON, capped and redacted. */
export interface ReplayHandlerRow {
  readonly hook: string;
  readonly registeredAs: string;
  /** Absolute, with the 1-based line where the handler is registered now. */
  readonly file: string;
  readonly line?: number;
  readonly status: ReplayRowStatus;
  /** The verdict in words. */
  readonly before: string;
  readonly after: string;
  /** The verdicts in full; absent: not asked. */
  readonly beforeValue?: unknown;
  readonly afterValue?: unknown;
  readonly notes: readonly string[];
}

/** One event of the recorded run. */
export interface ReplayRow {
  /** Names the first record of it in the log. */
  readonly key: string;
  /** ms since the epoch */
  readonly at: number;
  /** The event and its tool. */
  readonly subject: string;
  /** What it was about. */
  readonly brief: string;
  readonly status: ReplayRowStatus;
  /** Verdict of all handlers together. */
  readonly before: string;
  readonly after: string;
  /** Why it was not repeated. */
  readonly why?: string;
  readonly handlers: readonly ReplayHandlerRow[];
}

/** A finished replay. */
export interface ReplayView {
  /** What was replayed, in words. */
  readonly source: string;
  readonly rows: readonly ReplayRow[];
  /** Names of recorded hooks that are not loaded now. */
  readonly missing: readonly string[];
}

export type HostToReplay =
  | { readonly type: 'progress'; readonly done: number; readonly all: number }
  | { readonly type: 'report'; readonly report: ReplayView };

export type ReplayToHost =
  | { readonly type: 'ready' }
  | { readonly type: 'openFile'; readonly path: string; readonly line?: number }
  /** The same recording once more, against the hooks as they are by then. */
  | { readonly type: 'again' };
