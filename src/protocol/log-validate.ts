import type { HostToLog, LogFilter, LogToHost } from './log';

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const text: Check = value => typeof value === 'string';
const number: Check = value => typeof value === 'number' && Number.isFinite(value);
const flag: Check = value => typeof value === 'boolean';
const optional =
  (check: Check): Check =>
  value =>
    value === undefined || check(value);
const list =
  (member: Check): Check =>
  value =>
    Array.isArray(value) && value.every(member);
const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  value =>
    isFields(value) && Object.entries(fields).every(([key, check]) => check(value[key]));

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

const HOST: { readonly [T in HostToLog['type']]: Check } = {
  rows: shape({ rows: list(row), replace: flag }),
  details: shape({ details }),
  found: shape({ text, keys: list(text) }),
  filter: shape({ filter }),
};

const PAGE: { readonly [T in LogToHost['type']]: Check } = {
  ready: shape({}),
  select: shape({ key: text }),
  search: shape({ text }),
  copy: shape({ key: text }),
  makeTest: shape({ key: text }),
  replay: shape({}),
  openFile: shape({ path: text, line: optional(number) }),
  export: shape({}),
  clear: shape({}),
};

/** Checks a message that arrived in the page of the log; undefined when it is not one of ours. */
export function readHostToLog(value: unknown): HostToLog | undefined {
  return fits(HOST, value) ? (value as HostToLog) : undefined;
}

/** Checks a message that arrived in the host from the page of the log; undefined when it is not one of ours. */
export function readLogToHost(value: unknown): LogToHost | undefined {
  return fits(PAGE, value) ? (value as LogToHost) : undefined;
}

/** Checks what an earlier page saved; undefined when it is no filter. */
export function readLogFilter(value: unknown): LogFilter | undefined {
  return filter(value) ? (value as LogFilter) : undefined;
}

function fits(table: Readonly<Record<string, Check>>, value: unknown): boolean {
  if (!isFields(value)) return false;
  const { type } = value;
  return typeof type === 'string' && Object.hasOwn(table, type) && table[type]?.(value) === true;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
