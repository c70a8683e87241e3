import { isRecord } from './is-record';

/** A JSON value without halves of surrogate pairs, in texts and names. The same value if it has none. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return wellFormedText(value);
  if (Array.isArray(value)) {
    const members = value.map(wellFormed);
    return members.every((member, at) => member === value[at]) ? value : members;
  }
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [wellFormedText(name), wellFormed(member)] as const);
  const isSame = entries.every(([name, member]) => Object.hasOwn(value, name) && member === value[name]);
  return isSame ? value : Object.fromEntries(entries);
}

/** In a regular expression for code points, only a half without the other one is a surrogate. */
const HALF = /\p{Surrogate}/gu;

/** The text without halves of surrogate pairs. */
export function wellFormedText(text: string): string {
  return text.replace(HALF, '\ufffd');
}
