import type { HostToTree, TreeToHost } from './session-tree';

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const text: Check = value => typeof value === 'string';
const flag: Check = value => typeof value === 'boolean';
const textOrNull: Check = value => value === null || text(value);
const kind: Check = value =>
  typeof value === 'string' && ['user', 'assistant', 'tool', 'command', 'hook', 'summary'].includes(value);
const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  value =>
    isFields(value) && Object.entries(fields).every(([key, check]) => check(value[key]));
const entry = shape({
  id: text,
  parent: textOrNull,
  kind,
  text,
  time: text,
  label: value => value === undefined || text(value),
});

const HOST: { readonly [T in HostToTree['type']]: Check } = {
  entries: shape({ entries: value => Array.isArray(value) && value.every(entry), replace: flag, done: flag }),
  leaf: shape({ id: textOrNull, title: text }),
  label: shape({ id: text, label: textOrNull }),
  select: shape({ id: text }),
};

const PAGE: { readonly [T in TreeToHost['type']]: Check } = {
  ready: shape({}),
  go: shape({ id: text }),
  label: shape({ id: text }),
};

/** A message of the host, or undefined when it is none. */
export function readHostToTree(value: unknown): HostToTree | undefined {
  return fits(value, HOST) ? (value as HostToTree) : undefined;
}

/** A message of the page, or undefined when it is none. */
export function readTreeToHost(value: unknown): TreeToHost | undefined {
  return fits(value, PAGE) ? (value as TreeToHost) : undefined;
}

function fits(value: unknown, checks: Readonly<Record<string, Check>>): boolean {
  if (!isFields(value) || typeof value['type'] !== 'string' || !Object.hasOwn(checks, value['type'])) return false;
  return checks[value['type']]?.(value) === true;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
