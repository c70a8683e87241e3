import { flag, list, messageReader, number, optional, shape, text } from './checks';
import type { HostToLog, LogFilter, LogToHost } from './log';

const row = shape({
  key: text,
  at: number,
  hookPath: text,
  hook: text,
  event: text,
  registeredAs: text,
  nth: number,
  tool: text,
  outcome: text,
  text,
  ms: number,
  askedMs: number,
  changed: flag,
  earlier: flag,
});
const details = shape({
  key: text,
  file: text,
  line: optional(number),
  conversation: text,
  changes: list(shape({ member: text })),
  stack: optional(text),
  dialogs: list(shape({ kind: text, title: text })),
  capped: flag,
});
const filter = shape({ hookPath: text, registeredAs: text, tool: text, outcome: text, text });

/** Checks a message that arrived in the page of the log; undefined when it is not one of ours. */
export const readHostToLog = messageReader<HostToLog>({
  rows: shape({ rows: list(row), replace: flag }),
  details: shape({ details }),
  found: shape({ text, keys: list(text) }),
  filter: shape({ filter }),
});

/** Checks a message that arrived in the host from the page of the log; undefined when it is not one of ours. */
export const readLogToHost = messageReader<LogToHost>({
  ready: shape({}),
  select: shape({ key: text }),
  search: shape({ text }),
  copy: shape({ key: text }),
  makeTest: shape({ key: text }),
  replay: shape({}),
  openFile: shape({ path: text, line: optional(number) }),
  export: shape({}),
  clear: shape({}),
});

/** Checks what an earlier page saved; undefined when it is no filter. */
export function readLogFilter(value: unknown): LogFilter | undefined {
  return filter(value) ? (value as LogFilter) : undefined;
}
