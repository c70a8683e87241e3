import { list, messageReader, number, oneOf, optional, shape, text } from './checks';
import type { HostToReplay, ReplayToHost } from './replay';

const status = oneOf('same', 'changed', 'unsure', 'skipped');

const handler = shape({
  hook: text,
  registeredAs: text,
  file: text,
  line: optional(number),
  status,
  before: text,
  after: text,
  notes: list(text),
});
const row = shape({
  key: text,
  at: number,
  subject: text,
  brief: text,
  status,
  before: text,
  after: text,
  why: optional(text),
  handlers: list(handler),
});
const report = shape({ source: text, rows: list(row), missing: list(text) });

/** Checks a message that arrived in the page of a replay; undefined when it is not one of ours. */
export const readHostToReplay = messageReader<HostToReplay>({
  progress: shape({ done: number, all: number }),
  report: shape({ report }),
});

/** Checks a message that arrived in the host from the page of a replay; undefined when it is not one of ours. */
export const readReplayToHost = messageReader<ReplayToHost>({
  ready: shape({}),
  openFile: shape({ path: text, line: optional(number) }),
  again: shape({}),
});
