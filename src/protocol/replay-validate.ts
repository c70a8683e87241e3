import type { HostToReplay, ReplayToHost } from './replay';

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const text: Check = value => typeof value === 'string';
const number: Check = value => typeof value === 'number' && Number.isFinite(value);
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
const status: Check = value => ['same', 'changed', 'unsure', 'skipped'].some(known => known === value);

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

const HOST: { readonly [T in HostToReplay['type']]: Check } = {
  progress: shape({ done: number, all: number }),
  report: shape({ report }),
};

const PAGE: { readonly [T in ReplayToHost['type']]: Check } = {
  ready: shape({}),
  openFile: shape({ path: text, line: optional(number) }),
  again: shape({}),
};

/** Checks a message that arrived in the page of a replay; undefined when it is not one of ours. */
export function readHostToReplay(value: unknown): HostToReplay | undefined {
  return fits(HOST, value) ? (value as HostToReplay) : undefined;
}

/** Checks a message that arrived in the host from the page of a replay; undefined when it is not one of ours. */
export function readReplayToHost(value: unknown): ReplayToHost | undefined {
  return fits(PAGE, value) ? (value as ReplayToHost) : undefined;
}

function fits(table: Readonly<Record<string, Check>>, value: unknown): boolean {
  if (!isFields(value)) return false;
  const { type } = value;
  return typeof type === 'string' && Object.hasOwn(table, type) && table[type]?.(value) === true;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
