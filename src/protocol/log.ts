import {
  anything,
  flag,
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
} from './shape';

/** What the page of the hook log and its host say to each other. */

/** One dispatch as a line of the log. */
export const LogRow = object({
  /** Names the dispatch. */
  key: text,
  /** ms since the epoch */
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
  /** ms of it that waited for the user */
  askedMs: number,
  /** When it waited, ms since the epoch. */
  waits: list(object({ at: number, ms: number })),
  /** Names the conversation, of whatever run of the window. */
  conversation: text,
  /** Names the tool call among those of its conversation. */
  call: optional(text),
  /** What the call is about, in one line. */
  subject: optional(text),
  /** The handler changed something. */
  changed: flag,
  /** From before the window was reloaded. */
  earlier: flag,
});
export type LogRow = Of<typeof LogRow>;

/** A stretch of a run that is no hook's. A turn is around the others. */
export const LogSpan = object({
  kind: oneOf('turn', 'model', 'tool'),
  conversation: text,
  call: optional(text),
  tool: optional(text),
  /** ms since the epoch */
  at: number,
  ms: number,
});
export type LogSpan = Of<typeof LogSpan>;

/** All that is known of one dispatch. Values are plain JSON, capped and redacted. */
export const LogDetails = object({
  key: text,
  file: text,
  line: optional(number),
  conversation: text,
  payload: anything,
  returned: anything,
  changes: list(object({ member: text, before: anything, after: anything })),
  stack: optional(text),
  /** What the handler asked; no answer: cancelled. */
  dialogs: list(object({ kind: text, title: text, answer: anything })),
  capped: flag,
});
export type LogDetails = Of<typeof LogDetails>;

/** Rows that are shown: empty texts let everything through. */
export const LogFilter = object({ hookPath: text, registeredAs: text, tool: text, outcome: text, text });
export type LogFilter = Of<typeof LogFilter>;

export const HostToLog = {
  /** Newest last; `replace` drops what was there. */
  rows: { rows: list(LogRow), replace: flag },
  /** In the order in which they ended; `replace` as with rows. */
  spans: { spans: list(LogSpan), replace: flag },
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
/** Reads what an earlier page saved. */
export const readLogFilter = reader(LogFilter);
