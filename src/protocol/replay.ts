import { anything, list, number, object, oneOf, optional, messageReader, text, type MessageOf, type Of } from './shape';

/** What the page of a replay and its host say to each other. */

export const ReplayRowStatus = oneOf('same', 'changed', 'unsure', 'skipped');
export type ReplayRowStatus = Of<typeof ReplayRowStatus>;

/** One handler of an event, before and now. Values are plain JSON, capped and redacted. */
export const ReplayHandlerRow = object({
  hook: text,
  registeredAs: text,
  /** Absolute, with the 1-based line where the handler is registered now. */
  file: text,
  line: optional(number),
  status: ReplayRowStatus,
  /** The verdict in words. */
  before: text,
  after: text,
  /** The verdicts in full; absent: not asked. */
  beforeValue: anything,
  afterValue: anything,
  notes: list(text),
});
export type ReplayHandlerRow = Of<typeof ReplayHandlerRow>;

/** One event of the recorded run. */
export const ReplayRow = object({
  /** Names the first record of it in the log. */
  key: text,
  /** ms since the epoch */
  at: number,
  /** The event and its tool. */
  subject: text,
  /** What it was about. */
  brief: text,
  status: ReplayRowStatus,
  /** Verdict of all handlers together. */
  before: text,
  after: text,
  /** Why it was not repeated. */
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
  progress: { done: number, all: number },
  report: { report: ReplayView },
};
export type HostToReplay = MessageOf<typeof HostToReplay>;

export const ReplayToHost = {
  ready: {},
  openFile: { path: text, line: optional(number) },
  /** The same recording once more, against the hooks as they are by then. */
  again: {},
};
export type ReplayToHost = MessageOf<typeof ReplayToHost>;

export const readHostToReplay = messageReader(HostToReplay);
export const readReplayToHost = messageReader(ReplayToHost);
