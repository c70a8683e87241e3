import {
  anything,
  boolean,
  list,
  number,
  object,
  oneOf,
  optional,
  messageReader,
  text,
  type MessageOf,
  type Of,
} from '../base/shape';

/** Messages between the page of a replay and its host. */

export const ReplayRowStatus = oneOf('same', 'changed', 'unsure', 'skipped');
export type ReplayRowStatus = Of<typeof ReplayRowStatus>;

/** One handler of an event, in the recorded run and now. Values are plain JSON, capped and redacted. */
export const ReplayHandlerRow = object({
  hook: text,
  registeredAs: text,
  /** Absolute path; `line` is where the handler is registered now, counted from 1. */
  file: text,
  line: optional(number),
  status: ReplayRowStatus,
  /** The verdict in words. */
  before: text,
  after: text,
  /** The full verdicts; absent where the handler was not called. */
  beforeValue: anything,
  afterValue: anything,
  /** The error that the handler throws now. */
  thrown: optional(object({ message: text, line: optional(number), stack: optional(text) })),
  notes: list(text),
});
export type ReplayHandlerRow = Of<typeof ReplayHandlerRow>;

/** One event of the recorded run. */
export const ReplayRow = object({
  /** Identifies the event's first record in the log. */
  key: text,
  /** ms since 1970 */
  at: number,
  /** Name of the event and of its tool. */
  subject: text,
  /** What the event was about, in one line. */
  brief: text,
  status: ReplayRowStatus,
  /** The combined verdict of all handlers. */
  before: text,
  after: text,
  /** Why the event was not replayed; absent when it was. */
  why: optional(text),
  handlers: list(ReplayHandlerRow),
});
export type ReplayRow = Of<typeof ReplayRow>;

/** A finished replay. */
export const ReplayView = object({
  /** What was replayed, in words. */
  source: text,
  rows: list(ReplayRow),
  /** Names of recorded hooks that are not loaded now. */
  missing: list(text),
});
export type ReplayView = Of<typeof ReplayView>;

export const HostToReplay = {
  /** A replay begins; `again`: of the recording that the page shows. */
  begun: { again: boolean },
  progress: { done: number, all: number },
  report: { report: ReplayView },
  /** The replay ended without a result. */
  failed: { message: text },
};
export type HostToReplay = MessageOf<typeof HostToReplay>;

export const ReplayToHost = {
  ready: {},
  openFile: { path: text, line: optional(number) },
  /** Replays the same recording once more, with the hooks as they are then. */
  again: {},
};
export type ReplayToHost = MessageOf<typeof ReplayToHost>;

export const readHostToReplay = messageReader(HostToReplay);
export const readReplayToHost = messageReader(ReplayToHost);
