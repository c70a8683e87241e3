import {
  anything,
  boolean,
  list,
  number,
  object,
  oneOf,
  messageReader,
  optional,
  reader,
  text,
  type MessageOf,
  type Of,
} from '../base/shape';

/** Messages between the page of the hook log and its host. */

/** One dispatch as a line of the log. */
export const LogRow = object({
  /** Identifies the dispatch. */
  key: text,
  /** ms since 1970 */
  at: number,
  hookPath: text,
  hook: text,
  event: text,
  /** Name under which the handler was registered; `command:<name>` for a command. */
  registeredAs: text,
  nth: number,
  /** Empty when the event is about no tool. */
  tool: text,
  /** Kind of outcome, such as `blocked`. */
  outcome: text,
  /** The outcome in words. */
  text,
  ms: number,
  /** How much of `ms` the handler waited for the user */
  askedMs: number,
  /** When the handler waited; `at` is in ms since 1970. */
  waits: list(object({ at: number, ms: number })),
  /** Identifies the conversation, also across reloads of the window. */
  conversation: text,
  /** Identifies the tool call within its conversation. */
  call: optional(text),
  /** What the call is about, in one line. */
  subject: optional(text),
  /** The handler changed something. */
  changed: boolean,
  /** The dispatch was before the window was reloaded. */
  earlier: boolean,
  /** Name of the other agent whose event it was; absent for Hookline's own. */
  agent: optional(text),
});
export type LogRow = Of<typeof LogRow>;

/** A part of a run other than a hook's dispatch: a request to the model, a tool, or a turn, which contains both. */
export const LogSpan = object({
  kind: oneOf('turn', 'model', 'tool'),
  conversation: text,
  call: optional(text),
  tool: optional(text),
  /** ms since 1970 */
  at: number,
  ms: number,
});
export type LogSpan = Of<typeof LogSpan>;

/** Everything the log knows about one dispatch. Values are plain JSON, capped and redacted. */
export const LogDetails = object({
  key: text,
  file: text,
  line: optional(number),
  payload: anything,
  returned: anything,
  changes: list(object({ member: text, before: anything, after: anything })),
  stack: optional(text),
  /** What the handler asked; `answer` is absent when the dialog was cancelled. */
  dialogs: list(object({ kind: text, title: text, answer: anything })),
  capped: boolean,
});
export type LogDetails = Of<typeof LogDetails>;

/** Which rows are shown. An empty text matches every row. */
export const LogFilter = object({ hookPath: text, registeredAs: text, tool: text, outcome: text, text });
export type LogFilter = Of<typeof LogFilter>;

export const HostToLog = {
  /** The newest row is last; `replace` drops the rows that were there. */
  rows: { rows: list(LogRow), replace: boolean },
  /** In the order in which they ended; `replace` drops the spans that were there. */
  spans: { spans: list(LogSpan), replace: boolean },
  details: { details: LogDetails },
  /** Rows whose record contains the text. */
  found: { text, keys: list(text) },
  filter: { filter: LogFilter },
};
export type HostToLog = MessageOf<typeof HostToLog>;

export const LogToHost = {
  ready: {},
  select: { key: text },
  search: { text },
  copy: { key: text },
  makeTest: { key: text },
  replay: {},
  openFile: { path: text, line: optional(number) },
  export: {},
  clear: {},
};
export type LogToHost = MessageOf<typeof LogToHost>;

export const readHostToLog = messageReader(HostToLog);
export const readLogToHost = messageReader(LogToHost);
/** Reads the filter that an earlier page saved. */
export const readLogFilter = reader(LogFilter);
