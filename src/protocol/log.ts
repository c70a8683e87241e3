/** What the page of the hook log and its host say to each other. */

/** One dispatch as a line of the log. */
export interface LogRow {
  /** Names the dispatch. */
  readonly key: string;
  /** ms since the epoch */
  readonly at: number;
  readonly hookPath: string;
  readonly hook: string;
  readonly event: string;
  /** Name under which the handler was registered; `command:<name>` for a command. */
  readonly registeredAs: string;
  readonly nth: number;
  /** Empty when the event is about no tool. */
  readonly tool: string;
  /** Kind of outcome, such as `blocked`. */
  readonly outcome: string;
  /** The outcome in words. */
  readonly text: string;
  readonly ms: number;
  /** ms of it that waited for the person */
  readonly askedMs: number;
  /** The handler changed something. */
  readonly changed: boolean;
  /** From before the window was reloaded. */
  readonly earlier: boolean;
}

/** All that is known of one dispatch. Values are plain JSON, capped and redacted. */
export interface LogDetails {
  readonly key: string;
  readonly file: string;
  readonly line?: number;
  readonly conversation: string;
  readonly payload?: unknown;
  readonly returned?: unknown;
  readonly changes: readonly { readonly member: string; readonly before?: unknown; readonly after?: unknown }[];
  readonly stack?: string;
  /** What the handler asked; no answer: cancelled. */
  readonly dialogs: readonly { readonly kind: string; readonly title: string; readonly answer?: unknown }[];
  readonly capped: boolean;
}

/** Rows that are shown: empty texts let everything through. */
export interface LogFilter {
  readonly hookPath: string;
  readonly registeredAs: string;
  readonly tool: string;
  readonly outcome: string;
  readonly text: string;
}

export type HostToLog =
  /** Newest last; `replace` drops what was there. */
  | { readonly type: 'rows'; readonly rows: readonly LogRow[]; readonly replace: boolean }
  | { readonly type: 'details'; readonly details: LogDetails }
  /** Rows whose record contains the text. */
  | { readonly type: 'found'; readonly text: string; readonly keys: readonly string[] }
  | { readonly type: 'filter'; readonly filter: LogFilter };

export type LogToHost =
  | { readonly type: 'ready' }
  | { readonly type: 'select'; readonly key: string }
  | { readonly type: 'search'; readonly text: string }
  | { readonly type: 'copy'; readonly key: string }
  | { readonly type: 'makeTest'; readonly key: string }
  | { readonly type: 'replay' }
  | { readonly type: 'openFile'; readonly path: string; readonly line?: number }
  | { readonly type: 'export' }
  | { readonly type: 'clear' };
